import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// RFC 9112, 5: `field-name ":" OWS field-value OWS`.
@Suite("Field lines")
struct FieldLineTests {
    static func response(_ line: String) -> String { "HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 0\r\n\r\n" }

    @Test(
        "Valid field lines are read",
        arguments: [
            ("X:1", "X: 1"), ("X: 1", "X: 1"), ("X:\t 1 \t", "X: 1"), ("X:", "X: "), ("X:   ", "X: "),
            ("X: a b\tc", "X: a b\tc"), ("X: a:b", "X: a:b"), ("!#$%&'*+-.^_`|~09aZ: t", "!#$%&'*+-.^_`|~09aZ: t"),
            ("X: \u{E9}", "X: \u{E9}"), ("X: ,,;\"", "X: ,,;\""),
        ])
    func accepted(line: String, field: String) {
        let transcript = ParserTranscript.of(Self.response(line))
        expectNil(transcript.failure)
        expectEqual(transcript.fields.first, field)
        #expect(transcript.hasEnded)
    }

    @Test(
        "Invalid field lines are refused",
        arguments: [
            "X : 1", "X\t: 1", " X: 1", "\tX: 1", ": 1", "X", "X 1", "X Y: 1", "X\u{E9}: 1", "X\0: 1", "X(: 1",
            "X@: 1", "X/Y: 1", "X: a\0b", "X: a\rb", "X: a\r", "X: a\u{7F}", "X: \u{1}", "X: \u{B}", "\rX: 1",
            "X\r: 1", "=", "\"X\": 1", "Content-Length : 0",
            "Transfer-Encoding : chunked",
        ])
    func refused(line: String) {
        let transcript = ParserTranscript.of(Self.response(line))
        expectEqual(transcript.failure, .malformedResponse)
        expectNil(transcript.status)
    }

    @Test("A fold right after the status line is refused") func foldAtStart() {
        expectEqual(ParserTranscript.of("HTTP/1.1 200 OK\r\n folded: 1\r\n\r\n").failure, .malformedResponse)
        expectEqual(ParserTranscript.of("HTTP/1.1 200 OK\r\n \r\n\r\n").failure, .malformedResponse)
    }

    @Test(
        "Lines of a head may end with a bare LF (RFC 9112, 2.2); the connection is not reused",
        arguments: [
            "HTTP/1.1 200 OK\nX: 1\nContent-Length: 2\n\nok", "HTTP/1.1 200 OK\r\nX: 1\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nX: 1\r\nContent-Length: 2\n\r\nok",
            "HTTP/1.1 200 OK\r\nX: 1\r\nContent-Length: 2\r\n\nok",
            "HTTP/1.1 200 OK\nX:1\t\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 200\nX: 1\nContent-Length: 2\n\nok",
            "HTTP/1.1 100 Continue\n\nHTTP/1.1 200 OK\r\nX: 1\r\nContent-Length: 2\r\n\r\nok",
        ])
    func bareLF(text: String) {
        for cutsEachByte in [false, true] {
            let bytes = Array(text.utf8)
            let transcript = ParserTranscript.of(cutsEachByte ? bytes.map { [$0] } : [bytes])
            expectNil(transcript.failure)
            expectEqual(transcript.status, 200)
            expectEqual(transcript.fields, ["X: 1", "Content-Length: 2"])
            expectEqual(transcript.text, "ok")
            #expect(transcript.hasEnded)
            #expect(!transcript.isPersistent)
        }
    }

    @Test("A head ends at the first empty line, with CR LF or a bare LF")
    func emptyLine() {
        let transcript = ParserTranscript.of("HTTP/1.1 200 OK\r\n\nContent-Length: 0\r\n\r\n", closes: true)
        expectEqual(transcript.text, "Content-Length: 0\r\n\r\n")
        #expect(transcript.fields.isEmpty)
        #expect(!transcript.isPersistent)
    }

    @Test(
        "A CR that is not right before an LF is an error, with bare LF as well",
        arguments: [
            "HTTP/1.1 200 OK\n\rX: 1\n\n", "HTTP/1.1 200 OK\nX: 1\n\r\r\n", "HTTP/1.1 200 OK\nX: 1\r\r\n\n",
            "HTTP/1.1 200 OK\r\r\nX: 1\n\n", "HTTP/1.1 200 OK\nX: a\rY: b\n\n", "HTTP/1.1 200 OK\rX: 1\n\n",
            "HTTP/1.1 200 OK\n X: 1\n\n",
        ])
    func strayCR(text: String) {
        let transcript = ParserTranscript.of(text)
        expectEqual(transcript.failure, .malformedResponse)
        expectNil(transcript.status)
    }

    @Test("Fields keep their order, case and repeats")
    func order() {
        let transcript = ParserTranscript.of(
            "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nx-B: 2\r\nSET-COOKIE: c=3\r\ncontent-LENGTH: 0\r\n\r\n")
        expectEqual(transcript.fields, ["Set-Cookie: a=1", "x-B: 2", "SET-COOKIE: c=3", "content-LENGTH: 0"])
        expectEqual(transcript.declaredLength, 0)
    }

    @Test("A head may have no fields")
    func none() {
        let transcript = ParserTranscript.of("HTTP/1.1 200 OK\r\n\r\nrest", closes: true)
        #expect(transcript.fields.isEmpty)
        expectEqual(transcript.text, "rest")
        #expect(transcript.hasEnded)
    }

    @Test(
        "Version and Connection decide whether the connection is reused",
        arguments: [
            ("1.1", "X: 1", true), ("1.1", "Connection: close", false), ("1.1", "Connection: CLOSE", false),
            ("1.1", "connection: keep-alive, Close", false), ("1.1", "Connection: x,close ,y", false),
            ("1.1", "Connection: keep-alive\r\nConnection: close", false), ("1.1", "Connection: closed", true),
            ("1.1", "X-Connection: close", true), ("1.0", "X: 1", false), ("1.0", "Connection: keep-alive", true),
            ("1.0", "Connection: Keep-Alive", true), ("1.0", "Connection: keep-alive, close", false),
        ])
    func persistence(version: String, line: String, persistent: Bool) {
        let transcript = ParserTranscript.of("HTTP/\(version) 200 OK\r\n\(line)\r\nContent-Length: 2\r\n\r\nab")
        #expect(transcript.hasEnded)
        expectEqual(transcript.isPersistent, persistent)
    }
}
