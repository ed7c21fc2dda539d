import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// RFC 9112, 6.3: answers that have no body, whatever their fields say.
@Suite("Responses without a body")
struct BodilessResponseTests {
    @Test(
        "A response to HEAD has no body",
        arguments: [
            "Content-Length: 5", "Transfer-Encoding: chunked", "X: 1", "Content-Length: 999999999999999999",
        ], [200, 206, 301, 404, 500])
    func head(fields: String, status: Int) {
        let transcript = ParserTranscript.of("HTTP/1.1 \(status) X\r\n\(fields)\r\n\r\n", isHeadRequest: true)
        expectNil(transcript.failure)
        expectEqual(transcript.status, status)
        #expect(transcript.hasEnded)
        #expect(transcript.isPersistent)
        #expect(transcript.body.isEmpty)
    }

    @Test("With 204 and 304", arguments: [204, 304], ["Content-Length: 5", "Transfer-Encoding: chunked", "X: 1"])
    func status(status: Int, fields: String) {
        let transcript = ParserTranscript.of("HTTP/1.1 \(status) X\r\n\(fields)\r\n\r\n")
        #expect(transcript.hasEnded)
        #expect(transcript.body.isEmpty)
        #expect(transcript.isPersistent)
        #expect(!transcript.hasLeftover)
    }

    @Test("For 205 and other statuses the fields define the body", arguments: [200, 205, 303, 404])
    func others(status: Int) {
        let transcript = ParserTranscript.of("HTTP/1.1 \(status) X\r\nContent-Length: 2\r\n\r\nok")
        expectEqual(transcript.text, "ok")
        #expect(transcript.hasEnded)
    }

    @Test("A body that is sent anyway is left over, and ends the connection", arguments: [200, 204, 304])
    func leftover(status: Int) {
        let transcript = ParserTranscript.of(
            "HTTP/1.1 \(status) X\r\nContent-Length: 5\r\n\r\nhello", isHeadRequest: status == 200)
        #expect(transcript.hasEnded)
        #expect(transcript.body.isEmpty)
        #expect(transcript.hasLeftover)
    }

    @Test(
        "After the end nothing is read until the next request",
        arguments: ["x", "\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"])
    func behindEnd(rest: String) {
        let transcript = ParserTranscript.of(
            ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", rest].map { Array($0.utf8) })
        expectEqual(transcript.text, "ok")
        #expect(transcript.hasLeftover)
        expectNil(transcript.failure)
    }
}
