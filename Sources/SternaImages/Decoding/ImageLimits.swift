public import SternaCore

/// The limits on an image. Decoders check them before they allocate memory, so that a small file cannot exhaust it.
public struct ImageLimits: Sendable, Hashable, Codable {
    /// The maximum size of the file, in bytes; 64 MiB by default.
    public var bytes = 64 << 20

    /// The maximum number of pixels of the image in the file, whatever its target size; 100,000,000 by default.
    public var pixels = 100_000_000

    /// The maximum number of frames of an animation; 2,000 by default.
    public var frames = 2_000

    /// The maximum number of scans of a progressive JPEG, each of which processes the whole image; 100 by default.
    public var scans = 100

    /// The maximum memory for decoding, including the pixels, in bytes; 512 MiB by default.
    public var memory = 512 << 20

    /// Creates the default limits.
    public init() {}

    /// Checks the size of a file in bytes. Throws `limitExceeded` above ``bytes``.
    public func check(bytes count: Int) throws(SternaError) {
        guard count > bytes else { return }
        throw Self.exceeded("The image has \(count) bytes", bytes, "bytes")
    }

    /// Checks the size of an image. Throws `limitExceeded` above ``pixels``, and `decodingFailed` for an image without pixels.
    public func check(size: PixelSize) throws(SternaError) {
        guard !size.isEmpty else {
            throw SternaError(
                .decodingFailed, phase: .decode, "The image has no pixels: \(size).")
        }
        guard size.area.map({ $0 > pixels }) ?? true else { return }
        throw Self.exceeded("The image has \(size) pixels", pixels, "pixels")
    }

    /// Checks the number of frames. Throws `limitExceeded` above ``frames``.
    public func check(frames count: Int) throws(SternaError) {
        guard count > frames else { return }
        throw Self.exceeded("The animation has \(count) frames", frames, "frames")
    }

    /// Checks the sum of allocations in bytes; nil stands for a number beyond 64 bits. Throws `limitExceeded` above ``memory``.
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
