import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Forms and media types at the edges")
struct FormEdgeTests {
    @Test("A form of several parts without any is no body")
    func noParts() throws {
        var form = FormBuilder()
        form.format = .multipart
        try expectNil(form.body())
    }

    @Test(
        "Letters outside ASCII are no letters of an extension",
        arguments: [
            "a.m\u{212A}v", "a.\u{FF4A}\u{FF50}\u{FF47}", "a.jpg ", "a.jpg\0", "a.jpg\u{301}", "a.", ".jpg", "a.jpg/",
        ])
    func extensions(name: String) {
        // A path's last slash is not part of the name.
        let expected = name.hasSuffix("/") ? "image/jpeg" : "application/octet-stream"
        expectEqual(MediaType.ofFile(named: name), expected)
    }
}
