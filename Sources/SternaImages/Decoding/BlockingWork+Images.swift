import SternaCore

extension BlockingWork {
    /// The threads that decode and filter images, separate from those of file operations.
    static let images = BlockingWork("sterna.images")
}
