import SternaCore

extension BlockingWork {
    /// Decodes and filters images, on other threads than those of files.
    static let images = BlockingWork("sterna.images")
}
