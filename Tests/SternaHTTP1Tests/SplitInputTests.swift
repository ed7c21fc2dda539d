import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// How the network cuts a response means nothing.
@Suite("Responses in pieces")
struct SplitInputTests {
    static let messages: [ParserRow] = [
        ParserRow("length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        ParserRow("length and more", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello!"),
        ParserRow("no body", "HTTP/1.1 204 No Content\r\nX: 1\r\n\r\n"),
        ParserRow("empty", "HTTP/1.1 404 Not Found\r\nContent-Length: 0, 0\r\n\r\n"),
        ParserRow("no reason", "HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nx"),
        ParserRow("old, until close", "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nuntil\r\n\r\nthe end"),
        ParserRow("old, kept", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nold"),
        ParserRow("chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n"),
        ParserRow(
            "extensions and trailers",
            "HTTP/1.1 200 OK\r\ntransfer-encoding:Chunked\r\nTrailer: X\r\n\r\n"
                + "0a ;a=\"b\"\r\n0\r\n\r\n0\r\n\r\n\r\n00;x\r\nX: 1\r\nY:\t2 \r\n\r\n"),
        ParserRow("close", "HTTP/1.1 500 Oh\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno"),
        ParserRow(
            "interim",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        ),
        ParserRow("obs-text", "HTTP/1.1 200 \u{E9}\r\nX: \u{E9}\u{4E2D}\r\nContent-Length: 2\r\n\r\n\u{E9}"),
        ParserRow("differing lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello", .malformedResponse),
        ParserRow(
            "bad chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz", .malformedResponse),
        ParserRow("bare LF", "HTTP/1.1 200 OK\r\nX: 1\nContent-Length: 5\r\n\r\nhello"),
        ParserRow(
            "bare LF alone", "HTTP/1.1 103 Early Hints\nLink: </a>\n\nHTTP/1.1 200 OK\nContent-Length: 5\n\nhello"),
        ParserRow("LF CR", "HTTP/1.1 200 OK\n\rContent-Length: 5\n\r\n\rhello", .malformedResponse),
        ParserRow(
            "blanks behind sizes", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5  \r\nhello\r\n0\t\r\n\r\n"),
        ParserRow("fold", "HTTP/1.1 200 OK\r\nX: 1\r\n 2\r\n\t3\r\nContent-Length: 5\r\n\r\nhello"),
        ParserRow("folded length", "HTTP/1.1 200 OK\r\nContent-Length:\r\n 5\r\n\r\nhello", .malformedResponse),
        ParserRow("identity, until close", "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nuntil the end"),
    ]

    @Test("A response may be split at any byte", arguments: messages, [false, true])
    func twoPieces(row: ParserRow, isHeadRequest: Bool) {
        let bytes = Array(row.text.utf8)
        let whole = ParserTranscript.of([bytes], isHeadRequest: isHeadRequest, closes: true)
        if !isHeadRequest { expectEqual(whole.failure, row.failure) }
        for cut in 0...bytes.count {
            let split = ParserTranscript.of(
                [Array(bytes[..<cut]), Array(bytes[cut...])], isHeadRequest: isHeadRequest, closes: true)
            expectEqual(split, whole, "cut at \(cut)")
        }
    }

    @Test("A response may arrive byte by byte", arguments: messages)
    func bytes(row: ParserRow) {
        let bytes = Array(row.text.utf8)
        let whole = ParserTranscript.of([bytes], closes: true)
        expectEqual(ParserTranscript.of(bytes.map { [$0] }, closes: true), whole)
        expectEqual(ParserTranscript.of([[]] + bytes.flatMap { [[$0], []] }, closes: true), whole)
        expectEqual(whole.hasEnded, (row.failure == nil))
    }

    @Test("Several responses on one connection are each parsed anew")
    func sequence() throws {
        var parser = ResponseParser(limits: Limits())
        for row in Self.messages where row.failure == nil && !row.text.hasSuffix("!") && !row.text.contains("until") {
            parser.begin(isHeadRequest: false)
            parser.append(Bytes(string: row.text))
            var ended = false
            while let event = try parser.next() { if case .end = event { ended = true } }
            #expect(ended, "\(row.name)")
            #expect(!parser.hasLeftover, "\(row.name)")
        }
    }

    @Test("Splitting every line before a chunk costs no more than the body's length")
    func cutChunkLines() throws {
        // Each arrival ends inside a chunk line, so that something is always left over in front of the next arrival.
        let count = 1_500
        let data = String(repeating: "d", count: 16 << 10)
        let middle = Bytes(string: "00\r\n\(data)\r\n40")
        var parser = ResponseParser(limits: Limits())
        parser.begin(isHeadRequest: false)
        var received = 0
        let clock = ContinuousClock()
        let start = clock.now
        parser.append(Bytes(string: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40"))
        for number in 0..<count {
            parser.append(middle)
            while let event = try parser.next() {
                if case .body(let bytes) = event {
                    received += bytes.readableBytes
                    // What a caller keeps must not keep all that came before alive.
                    #expect(bytes.storageCapacity < 1 << 20, "after \(number) chunks")
                }
            }
            if clock.now - start > .seconds(10) { break }
        }
        expectEqual(received, count * (16 << 10))
        #expect(clock.now - start < .seconds(10))
    }
}
