import HTTPTypes
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("The caller's own conditions and ranges (RFC 9111, 4.3.2; RFC 9110, 13 and 14)")
struct ConditionRuleTests {
    private typealias Scene = CacheRuleScene
    private static let hour = CacheRuleScene.hourBefore
    private static let response = ["Cache-Control: max-age=100", "ETag: \"v\"", "Last-Modified: \(hour)"]

    /// Request fields, the decision for a fresh response of 100 bytes.
    static let rows: [([String], String)] = [
        (["If-None-Match: \"v\""], "serve 304"), (["If-None-Match: W/\"v\""], "serve 304"),
        (["If-None-Match: \"a\", \"v\""], "serve 304"),
        (["If-None-Match: \"a\"", "If-None-Match: \"v\""], "serve 304"),
        (["If-None-Match: *"], "serve 304"), (["If-None-Match: \"a\""], "serve"),
        (["If-None-Match: \"a,\\\", \"v\""], "serve 304"),
        (["If-None-Match: v"], "forward requestConditions"), (["If-None-Match: "], "forward requestConditions"),
        (["If-None-Match: *, \"v\""], "forward requestConditions"),
        (["If-None-Match: \"a\"", "If-Modified-Since: \(CacheRuleScene.date)"], "serve"),
        (["If-Modified-Since: \(hour)"], "serve 304"), (["If-Modified-Since: \(CacheRuleScene.date)"], "serve 304"),
        (["If-Modified-Since: Tue, 31 Dec 2024 22:59:59 GMT"], "serve"), (["If-Modified-Since: x"], "serve"),
        (["If-Match: \"v\""], "forward requestConditions"),
        (["If-Unmodified-Since: \(hour)"], "forward requestConditions"),
        (["Range: bytes=0-9"], "serve 0..<10"), (["Range: bytes=90-"], "serve 90..<100"),
        (["Range: bytes=90-500"], "serve 90..<100"), (["Range: bytes=-5"], "serve 95..<100"),
        (["Range: bytes=-500"], "serve 0..<100"), (["Range: Bytes=0-9"], "serve 0..<10"),
        (["Range: bytes=100-"], "forward requestRange"), (["Range: bytes=-0"], "forward requestRange"),
        (["Range: bytes=5-4"], "forward requestRange"), (["Range: bytes=0-1,5-6"], "forward requestRange"),
        (["Range: lines=0-1"], "forward requestRange"),
        (["Range: bytes=0-9", "Range: bytes=0-9"], "forward requestRange"),
        (["Range: bytes=0-9223372036854775807"], "serve 0..<100"),
        (["Range: bytes=0-99999999999999999999"], "forward requestRange"),
        (["Range: bytes=0-9", "If-Range: \"v\""], "serve 0..<10"),
        (["Range: bytes=0-9", "If-Range: W/\"v\""], "serve"), (["Range: bytes=0-9", "If-Range: \"a\""], "serve"),
        (["Range: bytes=0-9", "If-Range: \(hour)"], "serve 0..<10"),
        (["Range: bytes=0-9", "If-Range: \(CacheRuleScene.date)"], "serve"),
        (["Range: bytes=0-9", "If-Range: x"], "serve"),
        (["Range: bytes=0-9", "If-None-Match: \"v\""], "serve 304"),
    ]

    @Test("A fresh response is evaluated against conditions and ranges", arguments: rows)
    func fresh(request: [String], expected: String) {
        expectEqual(Scene.decide(request, Self.response, after: 0), expected)
    }

    @Test("A range of compressed bytes is served only to requests that accept the coding")
    func codedRange() {
        let rows: [(String, [String], String)] = [
            ("gzip", [], "forward requestRange"), ("gzip", ["Accept-Encoding: identity"], "forward requestRange"),
            ("GZIP", ["Accept-Encoding: br, gzip"], "serve 0..<10"),
            ("br", ["Accept-Encoding: gzip"], "forward requestRange"),
            ("gzip", ["Accept-Encoding: gzip;q=0"], "forward requestRange"),
            ("gzip", ["Accept-Encoding: br, gzip ; Q=0.000"], "forward requestRange"),
            ("gzip", ["Accept-Encoding: gzip;q=0, *"], "forward requestRange"),
            ("gzip", ["Accept-Encoding: *;q=0"], "forward requestRange"),
            ("gzip", ["Accept-Encoding: gzip;q=none"], "forward requestRange"),
            ("br", ["Accept-Encoding: x-br, brotli"], "forward requestRange"),
            ("gzip, br", ["Accept-Encoding: gzip"], "forward requestRange"),
            ("gzip, br", ["Accept-Encoding: br;q=0.1", "Accept-Encoding: GZip"], "serve 0..<10"),
            ("gzip", ["Accept-Encoding: br;q=0, *;q=0.5"], "serve 0..<10"),
            ("gzip", ["Accept-Encoding: x-gzip"], "serve 0..<10"),
            ("x-gzip", ["Accept-Encoding: gzip"], "serve 0..<10"),
            ("identity", [], "serve 0..<10"), ("gzip", ["If-Range: \"a\""], "serve"),
        ]
        for (coding, request, expected) in rows {
            let response = Self.response + ["Content-Encoding: \(coding)"]
            expectEqual(
                Scene.decide(["Range: bytes=0-9"] + request, response, after: 0), expected, "\(coding) \(request)")
        }
    }

    @Test("A date in If-Range needs a later Date (RFC 9110, 8.8.2.2)")
    func weakDate() {
        for (date, expected) in [
            ("Date: \(Scene.date)", "serve 0..<10"), ("Date: \(Self.hour)", "serve"), ("Date: x", "serve"),
        ] {
            let response = ["Cache-Control: max-age=99999", "Last-Modified: \(Self.hour)", date]
            expectEqual(
                Scene.decide(["Range: bytes=0-9", "If-Range: \(Self.hour)"], response, after: 0), expected, "\(date)")
        }
    }

    @Test(
        "A stale response leaves the caller's conditions to the server",
        arguments: ["If-None-Match: \"v\"", "If-Modified-Since: \(hour)"])
    func stale(line: String) {
        expectEqual(Scene.decide([line], Self.response, after: 100), "forward stale")
        expectEqual(Scene.decide([line, "Cache-Control: only-if-cached"], Self.response, after: 100), "504 stale")
    }

    @Test("Other statuses ignore conditions and ranges (RFC 9110, 13.2.1)")
    func otherStatus() {
        let stored = [Scene.stored(Self.response, status: 404)]
        for line in ["If-None-Match: \"v\"", "If-Modified-Since: \(Scene.date)", "Range: bytes=0-9"] {
            expectEqual(Scene.text(CacheRule.decide(Scene.request([line]), stored: stored, now: Scene.made)), "serve")
        }
    }

    /// Request fields, the decision for stored bytes 10..<20 and 50..<100 of 100 (RFC 9111, 3.3).
    static let parts: [([String], String, String)] = [
        ([], "forward partial", "forward partial"), (["Range: bytes=10-19"], "serve 10..<20", "serve 10..<20"),
        (["Range: bytes=12-15"], "serve 12..<16", "serve 12..<16"),
        (["Range: bytes=9-12"], "forward partial", "forward partial"),
        (["Range: bytes=19-50"], "forward partial", "forward partial"),
        (["Range: bytes=50-"], "serve 50..<100", "forward partial"),
        (["Range: bytes=-10"], "serve 90..<100", "forward partial"),
        (["Range: bytes=10-19", "If-Range: \"a\""], "forward partial", "forward partial"),
        (["Cache-Control: only-if-cached"], "504 partial", "504 partial"),
    ]

    @Test("A stored part satisfies ranges within it, with and without a known length", arguments: parts)
    func partial(request: [String], known: String, unknown: String) {
        let ranges = ByteRanges([10..<20, 50..<100] as [Range<Int64>])
        for (length, expected) in [(Int64(100), known), (nil, unknown)] as [(Int64?, String)] {
            let stored = [Scene.stored(Self.response, extent: .parts(ranges, length: length))]
            expectEqual(Scene.text(CacheRule.decide(Scene.request(request), stored: stored, now: Scene.made)), expected)
        }
        let stored = [Scene.stored(Self.response, extent: .parts(ranges, length: 100))]
        let head = CacheRule.decide(Scene.request([], .head), stored: stored, now: Scene.made)
        expectEqual(Scene.text(head), "serve head")
    }

    @Test("Fields of served responses: Age, and lengths computed from the stored bytes (RFC 9111, 4, 5.1)")
    func served() {
        let response = Scene.stored(
            Self.response + ["Age: 5", "Content-Length: 7", "Content-Type: a/b", "X-A: 1", "X-B: 2"])
        func served(
            _ content: ServedResponse.Content, withheld: Set<String> = []
        ) -> (status: Int, fields: HTTPFields) {
            CacheFields.served(
                response, as: ServedResponse(index: 0, content: content, age: 9, timeLeft: 1, withheld: withheld))
        }
        let whole = served(.whole, withheld: ["x-a"])
        #expect(whole.status == 200 && whole.fields[values: .age] == ["9"] && whole.fields[.contentLength] == "100")
        #expect(whole.fields["X-A"] == nil && whole.fields["X-B"] == "2")
        let part = served(.part(10..<20, length: 100))
        #expect(part.status == 206 && part.fields[.contentLength] == "10")
        expectEqual(part.fields[.contentRange], "bytes 10-19/100")
        expectEqual(served(.part(0..<1, length: nil)).fields[.contentRange], "bytes 0-0/*")
        let none = served(.notModified)
        #expect(none.status == 304 && !none.fields.contains(.contentLength) && !none.fields.contains(.contentType))
        #expect(none.fields[.eTag] == "\"v\"" && none.fields[.cacheControl] == "max-age=100")
        expectEqual(served(.head).fields[.contentLength], "100")
    }
}
