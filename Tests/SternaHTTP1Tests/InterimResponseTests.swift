import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// RFC 9110, 15.2.
@Suite("Interim responses")
struct InterimResponseTests {
    static let final = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test("Interim responses are skipped before the final response", arguments: [0, 1, 3, 16])
    func few(count: Int) {
        let transcript = ParserTranscript.of(
            String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: count) + Self.final)
        expectEqual(transcript.interim, Array(repeating: 103, count: count))
        expectEqual(transcript.status, 200)
        expectEqual(transcript.fields, ["Content-Length: 2"])
        expectEqual(transcript.text, "ok")
        #expect(transcript.hasEnded)
    }

    @Test("The number of interim responses is limited", arguments: [17, 100, 100_000])
    func many(count: Int) {
        let transcript = ParserTranscript.of(
            [Array(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: count).utf8), Array(Self.final.utf8)])
        expectEqual(transcript.failure, .limitExceeded)
        #expect(transcript.interim.count <= 16)
        expectNil(transcript.status)
    }

    @Test("The limit can be set", arguments: [0, 1, 40])
    func limit(count: Int) {
        var limits = Limits()
        limits.informationalCount = count
        let interim = "HTTP/1.1 102 Processing\r\n\r\n"
        let within = ParserTranscript.of(String(repeating: interim, count: count) + Self.final, limits: limits)
        expectEqual(within.status, 200)
        let beyond = ParserTranscript.of(String(repeating: interim, count: count + 1) + Self.final, limits: limits)
        expectEqual(beyond.failure, .limitExceeded)
    }

    @Test("Lengths in interim responses are ignored")
    func framing() {
        let transcript = ParserTranscript.of("HTTP/1.1 103 Early Hints\r\nContent-Length: 40\r\n\r\n" + Self.final)
        expectEqual(transcript.status, 200)
        expectEqual(transcript.declaredLength, 2)
        expectEqual(transcript.text, "ok")
    }

    @Test("`Connection: close` in an interim response does not affect the final one")
    func connection() {
        let transcript = ParserTranscript.of("HTTP/1.1 100 Continue\r\nConnection: close\r\n\r\n" + Self.final)
        expectEqual(transcript.text, "ok")
        #expect(transcript.hasEnded)
    }

    @Test("A switch to a protocol that was not requested is refused")
    func switching() {
        let transcript = ParserTranscript.of("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n\u{1}\u{2}")
        expectEqual(transcript.failure, .malformedResponse)
        expectNil(transcript.status)
    }

    @Test(
        "An interim response is parsed as strictly as a final one",
        arguments: [
            "HTTP/1.1 100 C\r\nX : 1\r\n\r\n", "HTTP/1.1 100 C\r\nContent-Length: 1, 2\r\n\r\n",
            "HTTP/1.1 100 C\rX\r\n\r\n", "HTTP/1.1 100 C\r\n\r\n\r\n",
        ])
    func strict(text: String) {
        expectEqual(ParserTranscript.of(text + Self.final).failure, .malformedResponse)
    }
}
