import SternaCore

/// The frames of an animation, decoded on demand.
public protocol ImageAnimation: AnyObject, Sendable {
    /// The number of frames, at least 2.
    var frameCount: Int { get }

    /// The number of times that the frames are shown; 0 for an endless loop.
    var loopCount: Int { get }

    /// The memory of the animation in addition to its first frame, in bytes.
    var cost: Int { get }

    /// Returns how long a frame is shown; for an index beyond the last frame, the delay of the last.
    func delay(of index: Int) -> Duration

    /// Decodes a frame as it is shown, composed with the frames before it. Throws `decodingFailed` or `limitExceeded`. It blocks:
    /// on an actor that must stay responsive, call ``frame(_:)`` with `await`.
    ///
    /// Reading frames in order is cheapest. It may be called on any thread.
    func pixels(of index: Int) throws -> PixelBuffer
}

extension ImageAnimation {
    /// Decodes a frame on a thread for images, and returns it as it is shown. Throws `decodingFailed` or `limitExceeded`.
    public func frame(_ index: Int) async throws -> PixelBuffer {
        try await BlockingWork.images.run { try self.pixels(of: index) }
    }

    /// The total duration of all frames.
    public var duration: Duration {
        (0..<frameCount).reduce(.zero) { $0 + delay(of: $1) }
    }
}
