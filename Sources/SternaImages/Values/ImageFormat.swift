/// A format of image files.
public struct ImageFormat: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// A short name in lower case, `png` for instance.
    public var rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let png = ImageFormat(rawValue: "png")
    public static let jpeg = ImageFormat(rawValue: "jpeg")
    public static let webp = ImageFormat(rawValue: "webp")
    public static let gif = ImageFormat(rawValue: "gif")

    /// The media type, `image/png` for instance.
    public var mediaType: String { "image/\(rawValue)" }

    public var description: String { rawValue }

    /// Tells PNG, JPEG, WebP and GIF by the first bytes; nil for anything else. The media type of a response is not asked: servers
    /// label images wrongly.
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
