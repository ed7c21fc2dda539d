import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// RFC 9112, 6.2 and 6.3; RFC 9110, 8.6.
@Suite("Content-Length")
struct ContentLengthTests {
    static func response(_ fields: String) -> String { "HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nhello, world" }

    @Test(
        "A valid length is read",
        arguments: [
            ("Content-Length: 5", 5), ("Content-Length:5", 5), ("content-length: \t5\t ", 5), ("CONTENT-LENGTH: 05", 5),
            ("Content-Length: 5, 5", 5), ("Content-Length: 5,5 ,\t5", 5), ("Content-Length: 5\r\nContent-Length: 5", 5),
            ("Content-Length: 5\r\nX: 1\r\ncontent-length: 5, 5", 5), ("Content-Length: 0", 0),
        ])
    func accepted(fields: String, length: Int) {
        let transcript = ParserTranscript.of(Self.response(fields))
        expectNil(transcript.failure)
        expectEqual(transcript.body.count, length)
        #expect(transcript.hasEnded)
        #expect(transcript.hasLeftover)
        expectEqual(transcript.declaredLength, Int64(length))
    }

    @Test(
        "Invalid lengths, and lengths that differ, are refused",
        arguments: [
            "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5, 6",
            "Content-Length: 5\r\nContent-Length: 5, 6",
            "Content-Length: +5", "Content-Length: -5", "Content-Length: -0", "Content-Length: 18446744073709551621",
            "Content-Length: 9223372036854775808", "Content-Length: 4294967301x", "Content-Length:",
            "Content-Length: ", "Content-Length: 5 5", "Content-Length: 5,", "Content-Length: ,5", "Content-Length: ,",
            "Content-Length: 5,,5", "Content-Length: 0x5", "Content-Length: 5.0", "Content-Length: 5e0",
            "Content-Length: \"5\"", "Content-Length: five", "Content-Length: 5;", "Content-Length: \u{665}",
            "Content-Length: 5\r\nContent-Length:", "Content-Length: 1_0",
            "Content-Length: \(String(repeating: "9", count: 400))",
        ])
    func refused(fields: String) {
        let transcript = ParserTranscript.of(Self.response(fields))
        expectEqual(transcript.failure, .malformedResponse)
        expectNil(transcript.status)
        #expect(transcript.body.isEmpty)
    }

    @Test("A length that would overflow does not become a small one")
    func huge() {
        let transcript = ParserTranscript.of(Self.response("Content-Length: 999999999999999999"))
        expectNil(transcript.failure)
        expectEqual(transcript.declaredLength, 999_999_999_999_999_999)
        #expect(!transcript.hasEnded)
    }

    @Test("A body shorter than its length is incomplete when the connection ends")
    func short() {
        let transcript = ParserTranscript.of(Self.response("Content-Length: 100"), closes: true)
        expectEqual(transcript.text, "hello, world")
        #expect(!transcript.hasEnded)
    }

    @Test("Without a length the body lasts until the connection ends, which is not reused")
    func untilClose() {
        let open = ParserTranscript.of(Self.response("X: 1"))
        expectEqual(open.text, "hello, world")
        #expect(!open.hasEnded)
        let closed = ParserTranscript.of(Self.response("X: 1"), closes: true)
        expectEqual(closed.text, "hello, world")
        #expect(closed.hasEnded)
        #expect(!closed.isPersistent)
        let empty = ParserTranscript.of("HTTP/1.1 200 OK\r\n\r\n", closes: true)
        #expect(empty.hasEnded)
        #expect(empty.body.isEmpty)
    }

    @Test(
        "A connection that ends within the head does not complete the response",
        arguments: ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nX: 1\r\n\r"])
    func insideHead(text: String) {
        let transcript = ParserTranscript.of(text, closes: true)
        #expect(!transcript.hasEnded)
        expectNil(transcript.failure)
    }
}
