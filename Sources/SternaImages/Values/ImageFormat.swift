/// A format of image files.
public struct ImageFormat: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The short name in lower case, for instance `png`.
    public var rawValue: String

    /// Creates a format from its short name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The formats that ``init(firstBytes:)`` recognizes.
    public static let png = ImageFormat(rawValue: "png")
    public static let jpeg = ImageFormat(rawValue: "jpeg")
    public static let webp = ImageFormat(rawValue: "webp")
    public static let gif = ImageFormat(rawValue: "gif")

    /// The media type, for instance `image/png`.
    public var mediaType: String { "image/\(rawValue)" }

    public var description: String { rawValue }

    /// Recognizes PNG, JPEG, WebP and GIF by the first bytes, of which 16 suffice; nil for other files. The media type of a
    /// response does not count, since servers label images wrongly.
    public init?(firstBytes bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(16))
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if head.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if head.starts(with: "GIF87a".utf8) || head.starts(with: "GIF89a".utf8) {
            self = .gif
        } else if head.count >= 12, head.starts(with: "RIFF".utf8), head[8..<12].elementsEqual("WEBP".utf8) {
            self = .webp
        } else {
            return nil
        }
    }
}
