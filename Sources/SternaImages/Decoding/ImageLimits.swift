public import SternaCore

/// What an image may take at most. Decoders check it before they allocate anything, so that a small file cannot take all memory.
public struct ImageLimits: Sendable, Hashable, Codable {
    /// The bytes of the file; 64 MiB by default.
    public var bytes = 64 << 20

    /// The pixels of the image in the file, whatever size it is shown in; 100,000,000 by default.
    public var pixels = 100_000_000

    /// The frames of an animation; 2,000 by default.
    public var frames = 2_000

    /// The scans of a progressive JPEG, each of which passes over the whole image; 100 by default.
    public var scans = 100

    /// The bytes of memory that decoding takes together with the pixels; 512 MiB by default.
    public var memory = 512 << 20

    /// The default limits.
    public init() {}

    /// Throws `limitExceeded` for a file of too many bytes.
    public func check(bytes count: Int) throws(SternaError) {
        guard count > bytes else { return }
        throw Self.exceeded("The image has \(count) bytes", bytes, "bytes")
    }

    /// Throws `limitExceeded` for an image of too many pixels, and `decodingFailed` for one without any.
    public func check(size: PixelSize) throws(SternaError) {
        guard !size.isEmpty else {
            throw SternaError(
                .decodingFailed, phase: .decode, "The image has no pixels: \(size).")
        }
        guard size.area.map({ $0 > pixels }) ?? true else { return }
        throw Self.exceeded("The image has \(size) pixels", pixels, "pixels")
    }

    /// Throws `limitExceeded` for an animation of too many frames.
    public func check(frames count: Int) throws(SternaError) {
        guard count > frames else { return }
        throw Self.exceeded("The animation has \(count) frames", frames, "frames")
    }

    /// Throws `limitExceeded` where areas of so many bytes would together take too much memory; nil stands for a number beyond 64 bits.
    public func check(memory areas: Int?...) throws(SternaError) {
        var sum = 0
        for area in areas {
            let (next, isOver) = sum.addingReportingOverflow(area ?? .max)
            guard !isOver, next <= memory else {
                throw Self.exceeded("Decoding the image takes more memory", memory, "bytes")
            }
            sum = next
        }
    }

    private static func exceeded(_ what: String, _ limit: Int, _ unit: String) -> SternaError {
        SternaError(
            .limitExceeded, phase: .decode,
            "\(what); the limit is \(limit) \(unit). Raise it in ImageLimits if you trust the server.")
    }
}
