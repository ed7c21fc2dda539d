import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Extensions by media type")
struct MediaTypeExtensionTests {
    @Test(
        "A type has one usual extension",
        arguments: [
            ("image/jpeg", "jpg"), ("Image/PNG; q=1", "png"), ("text/plain; charset=utf-8", "txt"),
            ("text/html", "html"),
            ("audio/mpeg", "mp3"), ("video/mp4", "mp4"), ("application/json", "json"), ("application/xml", "xml"),
            ("application/pdf", "pdf"), ("application/zip", "zip"), ("application/gzip", "gz"), ("audio/amr", "amr"),
            ("text/xml", "xml"), ("image/x-icon", "ico"), ("application/hal+json", "json"), ("image/svg+xml", "svg"),
            ("application/vnd.example.bird+zip", "zip"), ("application/rss+xml", "xml"),
        ])
    func usual(type: String, expected: String) {
        expectEqual(MediaType(type)?.preferredFilenameExtension, expected)
    }

    @Test(
        "A type that says nothing, or is unknown, has none",
        arguments: [
            "application/octet-stream", "example/bird", "application/+", "a/b+", "multipart/form-data; boundary=x",
            "x/" + String(repeating: "y", count: 10_000),
        ])
    func none(type: String) {
        expectNil(MediaType(type)?.preferredFilenameExtension)
    }

    @Test(
        "The extension leads back to the type",
        arguments: ["image/jpeg", "image/webp", "audio/flac", "video/webm", "application/epub+zip", "font/woff2"])
    func leadsBack(type: String) throws {
        let name = try #require(MediaType(type)?.preferredFilenameExtension)
        expectEqual(MediaType.ofFile(named: "a.\(name)"), type)
    }
}
