import HTTPTypes
import NIOCore
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Coalescing: rules")
struct CoalescingRuleTests {
    private static let url: HTTPURL = {
        do { return try HTTPURL("https://api.example.com/a") } catch { preconditionFailure("\(error)") }
    }()

    @Test(
        "Which requests share",
        arguments: [
            (Request.Method.get, [:], nil),
            (.head, [:], nil),
            (.post, [:], .method), (.put, [:], .method), (.delete, [:], .method), (.options, [:], .method),
            (.get, [.range: "bytes=0-5"], nil),
            (.get, [.ifNoneMatch: "\"a\""], nil),
            (.get, [.cacheControl: "no-cache"], nil),
            (.get, [.cacheControl: "No-Store"], .noStore),
            (.get, [.cacheControl: "max-age=0, no-store"], .noStore),
            (.get, [.upgrade: "websocket"], .upgrade),
        ] as [(Request.Method, HTTPFields, CoalescingRule.RequestRefusal?)])
    func requests(method: Request.Method, fields: HTTPFields, expected: CoalescingRule.RequestRefusal?) {
        expectEqual(CoalescingRule.refusal(Request(method, Self.url, headers: fields)), expected)
    }

    @Test("A request with content is sent for itself")
    func content() {
        expectEqual(CoalescingRule.refusal(Request(.get, Self.url, body: .text("question"))), .content)
    }

    @Test(
        "Which responses several requests use",
        arguments: [
            (200, [:], nil), (204, [:], nil), (302, [.location: "/b"], nil), (404, [:], nil), (304, [:], nil),
            (412, [:], nil), (416, [:], nil), (403, [:], nil),
            // A server that fails is not asked again by all at once.
            (500, [:], nil), (503, [.retryAfter: "5"], nil),
            (401, [.wwwAuthenticate: "Basic"], .momentary), (407, [:], .momentary), (408, [:], .momentary),
            (421, [:], .momentary), (425, [:], .momentary), (429, [:], .momentary), (103, [:], .momentary),
            (700, [:], .momentary),
            (206, [:], .unrequestedPart),
            (200, [.setCookie: "a=b"], .setsCookies),
            (200, [.vary: "*"], .variesOnAnything), (200, [.vary: "Accept, *"], .variesOnAnything),
            (200, [.vary: "Accept, Cookie"], nil),
            (200, [.cacheControl: "no-store"], .noStore),
            (200, [.cacheControl: "no-store, must-understand"], nil),
            (799, [.cacheControl: "no-store, must-understand"], .momentary),
            (200, [.cacheControl: "private"], nil), (200, [.cacheControl: "private, max-age=60"], nil),
            (200, [.cacheControl: "no-cache"], .noCache), (200, [.cacheControl: "no-cache=\"x\""], .noCache),
            // Stale, which is allowed, unless the server forbids it.
            (200, [.cacheControl: "max-age=0"], nil),
            (200, [.cacheControl: "max-age=0, must-revalidate"], .mustRevalidate),
            (200, [.cacheControl: "must-revalidate"], .mustRevalidate),
            (200, [.cacheControl: "max-age=60, must-revalidate"], nil),
            (200, [.cacheControl: "max-age=60, must-revalidate", .age: "60"], .mustRevalidate),
            (200, [.cacheControl: "max-age=60, =\"x"], .mustRevalidate),
        ] as [(Int, HTTPFields, CoalescingRule.ResponseRefusal?)])
    func responses(status: Int, fields: HTTPFields, expected: CoalescingRule.ResponseRefusal?) {
        expectEqual(CoalescingRule.refusal(status: status, FieldSection(fields), asksForRange: false), expected)
    }

    @Test("A part answers requests that asked for it")
    func part() {
        let fields: HTTPFields = [.contentRange: "bytes 0-5/10"]
        expectNil(CoalescingRule.refusal(status: 206, FieldSection(fields), asksForRange: true))
    }

    private static func response(_ status: Int, _ fields: HTTPFields) -> Response {
        Response(status: .init(code: status), section: FieldSection(fields), url: url)
    }

    @Test("The rest of a response is fetched by a strong entity tag alone")
    func validators() {
        let tagged: HTTPFields = [.eTag: "\"a\""]
        expectEqual(
            SharedRest.validator(of: Self.response(200, tagged), to: Request(.get, Self.url))?.fieldValue, "\"a\"")
        expectNil(SharedRest.validator(of: Self.response(200, [.eTag: "W/\"a\""]), to: Request(.get, Self.url)))
        expectNil(SharedRest.validator(of: Self.response(200, [:]), to: Request(.get, Self.url)))
        expectNil(SharedRest.validator(of: Self.response(404, tagged), to: Request(.get, Self.url)))
        let ranged = Request(.get, Self.url, headers: [.range: "bytes=5-"])
        expectNil(SharedRest.validator(of: Self.response(200, tagged), to: ranged))
    }

    @Test(
        "What is the rest of a response",
        arguments: [
            (206, [.eTag: "\"a\"", .contentRange: "bytes 5-9/10"], 0),
            (206, [.eTag: "\"a\"", .contentRange: "bytes 5-9/*"], 0),
            (206, [.eTag: "\"a\"", .contentRange: "bytes 5-8/10"], nil),
            (206, [.eTag: "\"a\"", .contentRange: "bytes 4-9/10"], nil),
            (206, [.eTag: "\"b\"", .contentRange: "bytes 5-9/10"], nil),
            (206, [.contentRange: "bytes 5-9/10"], nil),
            (206, [.eTag: "\"a\""], nil),
            (200, [.eTag: "\"a\""], 5),
            (200, [.eTag: "\"a\"", .contentEncoding: "gzip"], nil),
            (200, [.eTag: "\"b\""], nil),
            (416, [.eTag: "\"a\""], nil), (404, [.eTag: "\"a\""], nil),
        ] as [(Int, HTTPFields, Int64?)])
    func rests(status: Int, fields: HTTPFields, expected: Int64?) throws {
        let tag = try #require(EntityTag("\"a\""))
        let first = Self.response(200, [.eTag: "\"a\""])
        expectEqual(SharedRest.skipped(5, in: Self.response(status, fields), tag, instead: first), expected)
    }

    @Test(
        "Cache-Status names a shared transfer",
        arguments: [
            (
                "Sterna; fwd=uri-miss; fwd-status=200; stored; detail=\"a; b\"",
                "Sterna; fwd=uri-miss; fwd-status=200; stored; collapsed; detail=\"a; b\""
            ),
            ("Sterna; fwd=stale", "Sterna; fwd=stale; collapsed"),
            ("Sterna; fwd=stale; collapsed", nil),
            ("Sterna; hit; ttl=5; detail=\"fresh\"", nil),
            ("Other; fwd=uri-miss", nil),
        ] as [(String, String?)])
    func cacheStatus(value: String, expected: String?) {
        expectEqual(CacheStatusField.collapsed(value), expected)
    }

    @Test("A window keeps what some reader has not taken, and blocks when the slowest is too far behind")
    func window() {
        var window = SharedWindow(limit: 10)
        var (fast, slow) = (SharedWindow.Position(), SharedWindow.Position())
        #expect(window.take(at: &fast) == nil && window.demand(lowest: slow, isAwaited: true) == .read)
        expectEqual(window.demand(lowest: slow, isAwaited: false), .rest)
        for number in 0..<3 {
            window.append(Bytes(repeating: UInt8(number), count: 4))
            expectEqual(window.take(at: &fast)?.array, [UInt8](repeating: UInt8(number), count: 4))
        }
        #expect(window.kept == 12 && fast.bytes == 12 && fast.piece == window.end)
        #expect(window.isBehind(slow) && window.demand(lowest: slow, isAwaited: true) == .blocked)
        expectEqual(window.rest(from: slow).count, 3)
        expectEqual(window.take(at: &slow)?.array, [0, 0, 0, 0])
        window.trim(to: slow)
        #expect(window.kept == 8 && window.demand(lowest: slow, isAwaited: true) == .read)
        var late = SharedWindow.Position()
        #expect(window.take(at: &late) == nil && window.rest(from: late).isEmpty)
        window.trim(to: fast)
        #expect(window.kept == 0 && window.received == 12 && window.end == 3)
    }

    @Test("The end of a body of known length is not held back")
    func windowEnd() {
        var window = SharedWindow(limit: 4, length: 8)
        let slow = SharedWindow.Position()
        window.append(Bytes(repeating: 0, count: 4))
        expectEqual(window.demand(lowest: slow, isAwaited: true), .blocked)
        window.append(Bytes(repeating: 0, count: 4))
        expectEqual(window.demand(lowest: slow, isAwaited: true), .read)
    }
}
