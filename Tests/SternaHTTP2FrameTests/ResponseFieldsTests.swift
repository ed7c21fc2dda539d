import HTTPTypes
import NIOHPACK
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

@Suite("HTTP/2: the head of a response, as a value (RFC 9113, 8.3.2)")
struct ResponseFieldsTests {
    private func head(_ fields: [(String, String)], limits: Limits = Limits()) throws(ParseFailure)
        -> HTTP2ResponseFields
    {
        try HTTP2ResponseFields(HPACKHeaders(fields), limits: limits)
    }

    @Test("Any number of three digits is a status", arguments: [100, 103, 200, 204, 299, 304, 404, 421, 599, 600, 999])
    func status(code: Int) throws {
        let head = try head([(":status", "\(code)"), ("x-a", "1")])
        expectEqual(head.status, code)
        expectEqual(head.isInformational, (code < 200))
    }

    @Test(
        "Nothing else is",
        arguments: [
            "", "20", "2000", "099", "000", "abc", "-20", "+20", "2 0", " 200", "200 ", "20\u{660}", "٢٠٠", "0x1",
        ])
    func wrongStatus(value: String) {
        let failure = #expect(throws: ParseFailure.self) { try head([(":status", value)]) }
        expectEqual(failure?.kind, .malformedResponse)
    }

    @Test("There has to be one")
    func noStatus() {
        let failure = #expect(throws: ParseFailure.self) { try head([("x-a", "1")]) }
        expectEqual(failure?.kind, .malformedResponse)
    }

    @Test("Protocols are not changed over HTTP/2 (RFC 9113, 8.6)")
    func switching() {
        let failure = #expect(throws: ParseFailure.self) { try head([(":status", "101")]) }
        expectEqual(failure?.kind, .malformedResponse)
    }

    struct Length: Sendable, CustomTestStringConvertible {
        let values: [String]
        let length: Int64?
        var testDescription: String { "\(values)" }
    }

    @Test(
        "What Content-Length says",
        arguments: [
            Length(values: [], length: nil),
            Length(values: ["0"], length: 0),
            Length(values: ["5"], length: 5),
            Length(values: ["007"], length: 7),
            Length(values: ["9223372036854775807"], length: .max),
            Length(values: ["5, 5"], length: 5),
            Length(values: ["5", "5"], length: 5),
            // No digits, no length (RFC 9110, 8.6).
            Length(values: ["+5"], length: nil),
            Length(values: ["9223372036854775808"], length: nil),
            Length(values: ["five"], length: nil),
            Length(values: [""], length: nil),
            // White space is left out around other fields only.
            Length(values: [" 5"], length: nil),
            Length(values: ["5\t"], length: nil),
            Length(values: ["5", "5 "], length: nil),
        ])
    func contentLength(length: Length) throws {
        let made = try? head([(":status", "200")] + length.values.map { ("content-length", $0) })
        expectEqual(made?.contentLength, length.length)
    }

    @Test("Fields keep their order, lines and values; pseudo-fields are none of them")
    func section() throws {
        let head = try head([
            (":status", "200"), ("x-a", "1"), ("set-cookie", "a=1; Path=/"), ("x-b", ""), ("set-cookie", "b=2"),
            ("x-c", "a:b, \"c\"\td\u{E9}"),
        ])
        let lines = head.section.fields.map { "\($0.name.canonicalName): \($0.value)" }
        expectEqual(
            lines, ["x-a: 1", "set-cookie: a=1; Path=/", "x-b: ", "set-cookie: b=2", "x-c: a:b, \"c\"\td\u{E9}"])
    }

    @Test(
        "Control characters in a value break it (RFC 9113, 8.2.1)",
        arguments: ["\0", "\r", "\n", "\r\n", "\u{1}", "\u{1F}", "\u{7F}", "\u{B}"])
    func control(character: String) {
        for value in [character, "a\(character)b", "a\(character)", "\(character)x-b:1"] {
            let failure = #expect(throws: ParseFailure.self) { try head([(":status", "200"), ("x-a", value)]) }
            expectEqual(failure?.kind, .malformedResponse)
            let behind = #expect(throws: ParseFailure.self) {
                try HTTP2ResponseFields.trailers(HPACKHeaders([("x-a", value)]), limits: Limits())
            }
            expectEqual(behind?.kind, .malformedResponse)
        }
    }

    // MARK: Limits

    @Test("As many fields as the limit says, and no more", arguments: [1, 3, 256])
    func count(limit: Int) throws {
        var limits = Limits()
        limits.fieldCount = limit
        let most = (0..<limit).map { ("x-\($0)", "1") }
        try expectEqual(head([(":status", "200")] + most, limits: limits).section.fields.count, limit)
        let failure = #expect(throws: ParseFailure.self) {
            try head([(":status", "200")] + most + [("x-more", "1")], limits: limits)
        }
        expectEqual(failure?.kind, .limitExceeded)
    }

    @Test("The limit holds behind a body, too", arguments: [1, 3, 256])
    func trailerCount(limit: Int) throws {
        var limits = Limits()
        limits.fieldCount = limit
        let most = (0..<limit).map { ("x-\($0)", "1") }
        try expectEqual(HTTP2ResponseFields.trailers(HPACKHeaders(most), limits: limits).count, limit)
        let failure = #expect(throws: ParseFailure.self) {
            try HTTP2ResponseFields.trailers(HPACKHeaders(most + [("x-more", "1")]), limits: limits)
        }
        expectEqual(failure?.kind, .limitExceeded)
    }

    @Test("As many bytes as the limit says, about, and no more", arguments: [256, 4_096, 64 << 10])
    func bytes(limit: Int) throws {
        var limits = Limits()
        limits.headBytes = limit
        let fits = String(repeating: "a", count: limit - 60)
        try expectEqual(head([(":status", "200"), ("x-a", fits)], limits: limits).status, 200)
        let failure = #expect(throws: ParseFailure.self) {
            try head([(":status", "200"), ("x-a", fits + String(repeating: "a", count: 60))], limits: limits)
        }
        expectEqual(failure?.kind, .limitExceeded)
    }

    @Test("The response says what it came over")
    func response() throws {
        let url = try HTTPURL("https://example.test/a")
        let response = try head([(":status", "404"), ("x-a", "1")]).response(from: url, body: ResponseBody())
        expectEqual(response.version, .http2)
        expectEqual(response.status.code, 404)
        expectEqual(response.url, url)
        expectEqual(response.headers.count, 1)
    }
}
