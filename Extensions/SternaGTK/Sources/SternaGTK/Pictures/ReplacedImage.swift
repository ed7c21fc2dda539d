import Sterna

/// The answer for an image that is wanted no more.
enum ReplacedImage {
    static var error: SternaError {
        SternaError(.cancelled, phase: .wait, "Another image was set, or none is wanted any more.")
    }
}
