public import NIOCore
public import SternaCore

/// How an image is decoded.
public struct ImageDecodingOptions: Sendable, Hashable {
    /// The size in which the image is shown; nil, the default, decodes it as large as it is.
    public var target: ImageTarget?

    /// The pixels of a point; 1 by default.
    public var scale = 1.0

    /// What the image may take at most.
    public var limits = ImageLimits()

    /// Whether the part that is there is returned of a file that ends early, rather than an error; no by default.
    public var allowsPartialImages = false

    /// Whether animations are decoded as such; the default. If not, there is only their first frame.
    public var decodesAnimations = true

    /// The default options.
    public init() {}
}

/// Decodes image files. The codecs are in a package of its own, `SternaImageCodecs`; a program can bring others.
public protocol ImageDecoding: Sendable {
    /// The formats that it decodes.
    var formats: Set<ImageFormat> { get }

    /// Whether it decodes a file; asked with its first 64 bytes, or all of a shorter one. By default ``ImageFormat/init(firstBytes:)``
    /// tells a format, and it is one of ``formats``.
    func accepts(firstBytes: [UInt8]) -> Bool

    /// Decodes a file, on a thread that may wait.
    ///
    /// The pixels are premultiplied, in sRGB, and turned as the file says. Throws `decodingFailed` for a file that is damaged, incomplete
    /// or in another format, and `limitExceeded` before it allocates more than the options allow.
    func decode(_ file: Bytes, options: ImageDecodingOptions) throws -> DecodedImage
}

extension ImageDecoding {
    public func accepts(firstBytes: [UInt8]) -> Bool {
        ImageFormat(firstBytes: firstBytes).map { formats.contains($0) } ?? false
    }
}

/// Several decoders, the first of which that accepts a file decodes it.
public struct ImageDecoderList: ImageDecoding {
    /// The decoders, in the order in which they are asked.
    public var decoders: [any ImageDecoding]

    public init(_ decoders: [any ImageDecoding]) { self.decoders = decoders }

    public var formats: Set<ImageFormat> { decoders.reduce(into: []) { $0.formUnion($1.formats) } }

    public func accepts(firstBytes: [UInt8]) -> Bool { decoders.contains { $0.accepts(firstBytes: firstBytes) } }

    /// Decodes a file; throws `decodingFailed` also if no decoder accepts it.
    public func decode(_ file: Bytes, options: ImageDecodingOptions) throws -> DecodedImage {
        try options.limits.check(bytes: file.count)
        let head = Array(file.readableBytesView.prefix(64))
        guard let decoder = decoders.first(where: { $0.accepts(firstBytes: head) }) else {
            throw Self.unknown(head, formats)
        }
        return try decoder.decode(file, options: options)
    }

    private static func unknown(_ head: [UInt8], _ formats: Set<ImageFormat>) -> SternaError {
        let known = formats.map(\.rawValue).sorted().joined(separator: ", ")
        let what =
            if head.isEmpty {
                "The file is empty."
            } else if let format = ImageFormat(firstBytes: head) {
                "The file is an image of the format \(format), for which there is no decoder."
            } else {
                "The file is no image of a known format."
            }
        return SternaError(.decodingFailed, phase: .decode, "\(what) These are decoded: \(known).")
    }
}
