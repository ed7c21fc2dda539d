import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

@Suite("Limits of a head")
struct HeadLimitTests {
    @Test("A line of 90 KB is refused, and accepted where the limit is raised")
    func longLine() {
        let text = "HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 90_000))\r\nContent-Length: 0\r\n\r\n"
        expectEqual(ParserTranscript.of(text).failure, .limitExceeded)
        var limits = Limits()
        limits.headBytes = 128 << 10
        let transcript = ParserTranscript.of(text, limits: limits)
        expectNil(transcript.failure)
        expectEqual(transcript.fields.first?.utf8.count, 90_003)
        #expect(transcript.hasEnded)
    }

    @Test("The limit counts the whole head, nearly to the byte")
    func exact() {
        for (total, isRefused) in [(64 << 10 - 8, false), ((64 << 10) - 1, false), ((64 << 10) + 8, true)] {
            let start = "HTTP/1.1 204 No Content\r\nX: "
            let text = start + String(repeating: "a", count: total - start.utf8.count - 4) + "\r\n\r\n"
            expectEqual(text.utf8.count, total)
            expectEqual((ParserTranscript.of(text).failure == .limitExceeded), isRefused, "\(total)")
            let bytes = Array(text.utf8)
            let split = ParserTranscript.of([Array(bytes[..<40_000]), Array(bytes[40_000...])])
            expectEqual((split.failure == .limitExceeded), isRefused, "\(total), in two pieces")
        }
    }

    @Test("A large body after the head does not count")
    func bodyBehind() {
        let transcript = ParserTranscript.of(
            "HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n" + String(repeating: "b", count: 200_000))
        expectNil(transcript.failure)
        expectEqual(transcript.body.count, 200_000)
        #expect(transcript.hasEnded)
    }

    @Test("An endless head is refused by its size, however it is split", arguments: [1_000, 16 << 10, 1 << 20])
    func endless(piece: Int) {
        let line = Array("X-Endless: \(String(repeating: "a", count: 600))\r\n".utf8)
        var bytes = Array("HTTP/1.1 200 OK\r\n".utf8)
        for _ in 0..<200 { bytes += line }
        let pieces = stride(from: 0, to: bytes.count, by: piece).map { Array(bytes[$0..<min($0 + piece, bytes.count)]) }
        expectEqual(ParserTranscript.of(pieces).failure, .limitExceeded)
    }

    @Test("The number of fields is limited", arguments: [(255, false), (256, false), (257, true), (5_000, true)])
    func fieldCount(count: Int, isRefused: Bool) {
        let fields = (0..<count).map { "X\($0): 1\r\n" }.joined()
        let transcript = ParserTranscript.of("HTTP/1.1 204 No Content\r\n\(fields)\r\n")
        expectEqual((transcript.failure == .limitExceeded), isRefused)
        expectEqual(transcript.fields.count, (isRefused ? 0 : count))
    }

    @Test("Limits are clamped")
    func clamped() {
        var limits = Limits()
        limits.headBytes = .max
        limits.fieldCount = .min
        limits.informationalCount = -1
        limits.chunkLineBytes = 0
        expectEqual(limits.headBytes, 16 << 20)
        expectEqual(limits.fieldCount, 1)
        expectEqual(limits.informationalCount, 0)
        expectEqual(limits.chunkLineBytes, 16)
    }

    @Test("A head of 64 KiB byte by byte costs no more than its length")
    func linear() {
        let start = "HTTP/1.1 204 No Content\r\n"
        let line = "X-Filler: \(String(repeating: "f", count: 240))\r\n"
        let text = start + String(repeating: line, count: 250) + "\r\n"
        let bytes = Array(text.utf8)
        #expect(bytes.count > 60_000 && bytes.count < 64 << 10)
        let clock = ContinuousClock()
        let time = clock.measure {
            let transcript = ParserTranscript.of(bytes.lazy.map { [$0] })
            expectNil(transcript.failure)
            expectEqual(transcript.fields.count, 250)
        }
        // Looking at each prefix anew would be two thousand million steps.
        #expect(time < .seconds(10))
    }
}
