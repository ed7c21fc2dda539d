public import NIOCore
public import SternaCore

/// The options of decoding an image.
public struct ImageDecodingOptions: Sendable, Hashable {
    /// The size in which the image is shown; nil, the default, decodes the full size.
    public var target: ImageTarget?

    /// The pixels per point; 1 by default.
    public var scale = 1.0

    /// The limits on the file and on memory.
    public var limits = ImageLimits()

    /// Whether a truncated file returns its decoded part instead of an error; false by default.
    public var allowsPartialImages = false

    /// Whether animations are decoded with all frames; true by default. Otherwise only the first frame is decoded.
    public var decodesAnimations = true

    /// Creates the default options.
    public init() {}
}

/// A decoder of image files. The package `SternaImageCodecs` has one for PNG, JPEG, WebP and GIF; a program can provide others.
public protocol ImageDecoding: Sendable {
    /// The formats that the decoder supports.
    var formats: Set<ImageFormat> { get }

    /// Returns whether the decoder supports a file, by its first 64 bytes, or all bytes of a shorter file. By default true if
    /// ``ImageFormat/init(firstBytes:)`` finds one of ``formats``.
    func accepts(firstBytes: [UInt8]) -> Bool

    /// Decodes a file. It is called on a thread that may block.
    ///
    /// The pixels are premultiplied, in sRGB, with the orientation of the file applied. Throws `decodingFailed` for a file that is
    /// damaged, incomplete or in another format, and `limitExceeded` before it allocates more than the options allow.
    func decode(_ file: Bytes, options: ImageDecodingOptions) throws -> DecodedImage
}

extension ImageDecoding {
    /// Returns whether ``ImageFormat/init(firstBytes:)`` finds one of ``formats``.
    public func accepts(firstBytes: [UInt8]) -> Bool {
        ImageFormat(firstBytes: firstBytes).map { formats.contains($0) } ?? false
    }
}

/// A list of decoders, of which the first that accepts a file decodes it.
public struct ImageDecoderList: ImageDecoding {
    /// The decoders, in the order in which they are tried.
    public var decoders: [any ImageDecoding]

    /// Creates a list of decoders, in the order in which they are tried.
    public init(_ decoders: [any ImageDecoding]) { self.decoders = decoders }

    /// The formats that any of the decoders supports.
    public var formats: Set<ImageFormat> { decoders.reduce(into: []) { $0.formUnion($1.formats) } }

    /// Returns whether any decoder accepts a file with these first bytes.
    public func accepts(firstBytes: [UInt8]) -> Bool { decoders.contains { $0.accepts(firstBytes: firstBytes) } }

    /// Decodes a file by the first decoder that accepts it.
    ///
    /// Throws `decodingFailed` if no decoder accepts it, `limitExceeded` for a file larger than ``ImageLimits/bytes``, and the
    /// errors of the decoder.
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
                "The file is not an image of a known format."
            }
        return SternaError(.decodingFailed, phase: .decode, "\(what) Supported formats: \(known).")
    }
}
