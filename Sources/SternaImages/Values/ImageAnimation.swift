import SternaCore

/// The frames of an animation, which are decoded on demand.
public protocol ImageAnimation: AnyObject, Sendable {
    /// The number of frames, at least 2.
    var frameCount: Int { get }

    /// How often the frames are shown; 0 for ever.
    var loopCount: Int { get }

    /// The bytes in memory that the animation keeps beside its first frame.
    var cost: Int { get }

    /// Returns how long a frame is shown; the delay of the last one for an index behind it.
    func delay(of index: Int) -> Duration

    /// Decodes a frame as it is shown, all before it included; throws `decodingFailed` or `limitExceeded`. It takes time: call
    /// ``frame(_:)`` with `await` on an actor that must go on.
    ///
    /// Frames are cheapest in order. Any thread may call it.
    func pixels(of index: Int) throws -> PixelBuffer
}

extension ImageAnimation {
    /// Decodes a frame on a thread for such work, and returns it as it is shown; throws `decodingFailed` or `limitExceeded`.
    public func frame(_ index: Int) async throws -> PixelBuffer {
        try await BlockingWork.images.run { try self.pixels(of: index) }
    }

    /// How long the frames take together.
    public var duration: Duration {
        (0..<frameCount).reduce(.zero) { $0 + delay(of: $1) }
    }
}
