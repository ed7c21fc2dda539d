import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// RFC 9112, 4: `HTTP-version SP status-code SP [ reason-phrase ]`.
@Suite("Status lines")
struct StatusLineTests {
    static let rest = "\r\nContent-Length: 0\r\n\r\n"

    @Test(
        "Valid status lines are read",
        arguments: [
            ("HTTP/1.1 200 OK", 200, 1), ("HTTP/1.0 200 OK", 200, 0), ("HTTP/1.1 204 ", 204, 1),
            ("HTTP/1.1 599 Whatever it is called", 599, 1), ("HTTP/1.1 999 Beyond the classes", 999, 1),
            ("HTTP/1.1 200 \u{E9}\u{4E2D} obs-text", 200, 1), ("HTTP/1.1 200 with\ttab", 200, 1),
            ("HTTP/1.1 200  two spaces", 200, 1),
        ])
    func accepted(line: String, status: Int, minor: Int) {
        let transcript = ParserTranscript.of(line + Self.rest)
        expectNil(transcript.failure)
        expectEqual(transcript.status, status)
        expectEqual(transcript.minorVersion, minor)
        #expect(transcript.hasEnded)
    }

    @Test(
        "Invalid status lines are refused",
        arguments: [
            "HTTP/2.0 200 OK", "HTTP/2 200 OK", "HTTP/0.9 200 OK", "HTTP/3.1 200 OK", "HTTP/11 200 OK",
            "HTTP/1 200 OK", "HTTP/1. 200 OK", "HTTP/1.10 200 OK", "HTTP/1.x 200 OK", "HTTP/1.1200 OK",
            "http/1.1 200 OK", "HTTP /1.1 200 OK", " HTTP/1.1 200 OK", "HTTP/1.1\t200\tOK", "HTTP/1.1  200 OK",
            "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 02000 OK", "HTTP/1.1 -20 OK", "HTTP/1.1 +20 OK",
            "HTTP/1.1 2x0 OK", "HTTP/1.1 0x2 OK", "HTTP/1.1 200OK", "HTTP/1.1 200\tOK", "HTTP/1.1 OK",
            "HTTP/1.1", "HTTP/1.1 ", "ICY 200 OK", "GET / HTTP/1.1", "HTTQ/1.1 200 OK", "\u{FEFF}HTTP/1.1 200 OK",
            "HTTP/1.1 200 O\0K", "HTTP/1.1 200 O\rK", "HTTP/1.1 200 O\u{7F}K", "HTTP/1.1 200 \u{1B}[2J",
            "HTTP/1.1 \u{662}\u{660}\u{660} OK", "",
        ])
    func refused(line: String) {
        let transcript = ParserTranscript.of(line + Self.rest)
        expectEqual(transcript.failure, .malformedResponse)
        expectNil(transcript.status)
        #expect(transcript.interim.isEmpty)
    }

    @Test("Status 000 to 099 is refused, 100 to 999 is not", arguments: [0..<100, 100..<1_000])
    func numbers(range: Range<Int>) {
        for status in range {
            let digits = String(String(1_000 + status).dropFirst())
            let transcript = ParserTranscript.of("HTTP/1.1 \(digits) Text\(Self.rest)")
            if status < 100 || status == 101 {
                expectEqual(transcript.failure, .malformedResponse, "\(digits)")
            } else if status < 200 {
                #expect(transcript.failure == nil && transcript.interim == [status], "\(digits)")
            } else {
                #expect(transcript.failure == nil && transcript.status == status, "\(digits)")
            }
        }
    }

    @Test("An impossible status line is refused before its end", arguments: ["S", "HTTP/2", "HTTX", "\r", "\n"])
    func early(start: String) {
        expectEqual(ParserTranscript.of(start).failure, .malformedResponse)
    }

    @Test("A reason phrase of 10 MB is refused")
    func longReason() {
        var pieces = [Array("HTTP/1.1 200 ".utf8)]
        for _ in 0..<160 { pieces.append([UInt8](repeating: UInt8(ascii: "r"), count: 64 << 10)) }
        pieces.append(Array(Self.rest.utf8))
        let transcript = ParserTranscript.of(pieces)
        expectEqual(transcript.failure, .limitExceeded)
        expectNil(transcript.status)
    }
}
