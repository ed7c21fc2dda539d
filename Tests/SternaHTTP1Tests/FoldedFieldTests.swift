import HTTPTypes
import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// RFC 9112, 5.2: a user agent replaces each fold by a space.
@Suite("Folded fields")
struct FoldedFieldTests {
    private static func rows(_ text: String) -> [[[UInt8]]] {
        let bytes = Array(text.utf8)
        return [[bytes], bytes.map { [$0] }]
    }

    @Test(
        "The lines of a value are joined by a space",
        arguments: [
            ("X: a\r\n b", "X: a b"), ("X: a\r\n\tb", "X: a b"), ("X: a \t\r\n \t b", "X: a b"),
            ("X: a,\r\n  b,\r\n  c", "X: a, b, c"), ("X:\r\n a", "X: a"), ("X: a\r\n ", "X: a"),
            ("X: a\r\n \r\n \r\n b", "X: a b"), ("X: a\r\n Content-Length: 7", "X: a Content-Length: 7"),
            ("X: a\r\n  Y: b\r\n\tTransfer-Encoding: chunked", "X: a Y: b Transfer-Encoding: chunked"),
            ("Set-Cookie: a=1;\r\n path=/", "Set-Cookie: a=1; path=/"),
            ("ETag: \"x\"\r\n    width=;is_mobile=false", "ETag: \"x\" width=;is_mobile=false"),
            ("X-Content-Length: 1\r\n 2", "X-Content-Length: 1 2"), ("X: \u{E9}\r\n \u{4E2D}", "X: \u{E9} \u{4E2D}"),
        ])
    func joined(row: (line: String, field: String)) {
        for pieces in Self.rows("HTTP/1.1 200 Of\r\n\(row.line)\r\nY: z\r\nContent-Length: 2\r\n\r\nok") {
            let transcript = ParserTranscript.of(pieces)
            expectNil(transcript.failure)
            expectEqual(transcript.fields, [row.field, "Y: z", "Content-Length: 2"])
            expectEqual(transcript.text, "ok")
            #expect(transcript.hasEnded)
            #expect(transcript.isPersistent)
            #expect(!transcript.hasLeftover)
        }
    }

    @Test("Folds are joined in interim responses, and after a bare LF, which ends the connection")
    func elsewhere() {
        for pieces in Self.rows(
            "HTTP/1.1 103 Early Hints\r\nLink: </a>;\r\n rel=x\r\n\r\nHTTP/1.1 200 OK\nX: a\n b\nContent-Length: 2\n\nok"
        ) {
            let transcript = ParserTranscript.of(pieces)
            expectNil(transcript.failure)
            expectEqual(transcript.interim, [103])
            expectEqual(transcript.fields, ["X: a b", "Content-Length: 2"])
            expectEqual(transcript.text, "ok")
            #expect(!transcript.isPersistent)
        }
    }

    @Test("The reason phrase is kept")
    func reason() throws {
        var parser = ResponseParser(limits: Limits())
        parser.begin(isHeadRequest: false)
        parser.append(Bytes(string: "HTTP/1.1 200 All right\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n"))
        guard case .head(let head) = try parser.next() else {
            Issue.record("no head")
            return
        }
        expectEqual(head.section.reasonPhrase, "All right")
        expectEqual(head.section[HTTPField.Name("X") ?? .eTag], "a b")
    }

    @Test(
        "Folded framing and connection fields are refused, and folds that continue no field",
        arguments: [
            "Content-Length:\r\n 2", "Content-Length: 2\r\n ", "Content-Length: 2\r\n\t2", "content-length: 2,\r\n 2",
            "Transfer-Encoding:\r\n chunked", "Transfer-Encoding: chunked\r\n ", "TRANSFER-ENCODING: chunked,\r\n ,",
            "Connection: keep-alive,\r\n close", "Connection:\r\n close", "connection: close\r\n ", " X: a", "\tX: a",
            " ",
            "X: a\r\nContent-Length: 2\r\n b", "X: a\r\n b\0", "X: a\r\n b\rc", "X: a\r\n \u{7F}",
        ])
    func refused(line: String) {
        for pieces in Self.rows("HTTP/1.1 200 OK\r\n\(line)\r\n\r\nok") {
            let transcript = ParserTranscript.of(pieces, closes: true)
            expectEqual(transcript.failure, .malformedResponse)
            expectNil(transcript.status)
        }
    }

    @Test("The time-out of a folded Keep-Alive is ignored", arguments: [(false, 4), (true, nil)] as [(Bool, Int64?)])
    func keepAlive(row: (isFolded: Bool, seconds: Int64?)) throws {
        var parser = ResponseParser(limits: Limits())
        parser.begin(isHeadRequest: false)
        parser.append(
            Bytes(string: "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5\(row.isFolded ? "\r\n 0" : "")\r\n\r\n"))
        guard case .head(let head) = try parser.next() else {
            Issue.record("no head")
            return
        }
        expectEqual(head.patience, row.seconds.map { .seconds($0) })
    }

    @Test("Each fold counts as a field")
    func limits() {
        var limits = Limits()
        limits.fieldCount = 20
        for (folds, failure) in [(19, nil), (20, .limitExceeded)] as [(Int, SternaError.Kind?)] {
            let text = "HTTP/1.1 200 OK\r\nX: a\r\n" + String(repeating: " b\r\n", count: folds) + "\r\n"
            let transcript = ParserTranscript.of(text, closes: true, limits: limits)
            expectEqual(transcript.failure, failure)
            if failure == nil {
                expectEqual(transcript.fields.first, "X: a" + String(repeating: " b", count: folds))
            }
        }
    }
}
