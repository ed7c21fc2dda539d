import HTTPTypes
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Storing responses (RFC 9111, 3)")
struct StoreRuleTests {
    private typealias Scene = CacheRuleScene
    private static let etag = "ETag: \"v\""

    /// Request fields, response fields, the decisions of a private and a shared cache.
    static let rows: [([String], [String], String, String)] = [
        ([], [], "store", "store"),
        ([], ["Cache-Control: max-age=5"], "store", "store"),
        ([], ["Cache-Control: public"], "store public", "store public"),
        ([], ["Cache-Control: no-store"], "responseNoStore", "responseNoStore"),
        ([], ["Cache-Control: no-store, max-age=5, public"], "responseNoStore", "responseNoStore"),
        ([], ["Cache-Control: max-age=5", "Cache-Control: NO-STORE"], "responseNoStore", "responseNoStore"),
        ([], ["Cache-Control: no-store=\"x\""], "responseNoStore", "responseNoStore"),
        ([], ["Cache-Control: no-cache"], "store", "store"),
        ([], ["Cache-Control: private"], "store", "isPrivate"),
        ([], ["Cache-Control: private, public, max-age=5"], "store", "isPrivate"),
        ([], ["Cache-Control: private=\"x-a\", max-age=5"], "store", "store"),
        ([], ["Cache-Control: private=\"\", max-age=5"], "store", "isPrivate"),
        (["Cache-Control: no-store"], ["Cache-Control: max-age=5"], "requestNoStore", "requestNoStore"),
        (["Cache-Control: no-store"], ["Cache-Control: must-understand, no-store"], "requestNoStore", "requestNoStore"),
        (["Authorization: Basic eA=="], ["Cache-Control: max-age=5"], "store", "authorization"),
        (["Authorization: Basic eA=="], [], "store", "authorization"),
        (["Authorization: Basic eA=="], ["Cache-Control: public"], "store public", "store public"),
        (["Authorization: Basic eA=="], ["Cache-Control: must-revalidate"], "store", "store"),
        (["Authorization: Basic eA=="], ["Cache-Control: s-maxage=5"], "store", "store"),
        (["Authorization: Basic eA=="], ["Cache-Control: s-maxage=x"], "store", "authorization"),
        (["Authorization: Basic eA=="], ["Cache-Control: proxy-revalidate"], "store", "authorization"),
        (["Authorization: Basic eA=="], ["Cache-Control: public; max-age=5"], "store", "authorization"),
        (["Authorization: Basic eA=="], ["Cache-Control: public, private"], "store", "isPrivate"),
        ([], ["Vary: *"], "varyAnything", "varyAnything"),
        ([], ["Vary: Accept, *"], "varyAnything", "varyAnything"),
        ([], ["Vary: Accept"], "store", "store"),
        ([], ["Vary: Ac cept"], "varyAnything", "varyAnything"),
        ([], ["Cache-Control: must-understand, no-store"], "store", "store"),
        ([], ["Cache-Control: must-understand, no-store; x"], "responseNoStore", "responseNoStore"),
        ([], ["Content-Length: 5"], "store", "store"),
        ([], ["Content-Length: 5", "Content-Length: 6"], "contentLength", "contentLength"),
        ([], ["Content-Length: 5x"], "contentLength", "contentLength"),
        (["Range: bytes=0-1"], [], "store", "store"),
    ]

    @Test("Directives, credentials, Vary and length decide", arguments: rows)
    func directives(request: [String], response: [String], alone: String, shared: String) {
        expectEqual(Scene.mayStore(Scene.request(request), Scene.response(response)), alone)
        expectEqual(Scene.mayStore(Scene.request(request), Scene.response(response), settings: Scene.shared), shared)
    }

    @Test("Only responses to GET are stored, and only if the policy allows")
    func methods() {
        for method in [.head, .post, .put, .options, .delete] as [HTTPRequest.Method] {
            expectEqual(
                Scene.mayStore(Scene.request([], method), Scene.response(["Cache-Control: max-age=5"])), "method")
        }
        let policy = CachePolicy(stores: false)
        expectEqual(CacheRule.mayStore(Scene.request(), Scene.response(), policy: policy), .refuse(.policy))
    }

    /// Status, without and with an explicit lifetime, with must-understand.
    static let statuses: [(Int, String, String, String)] = [
        (100, "interim", "interim", "interim"), (103, "interim", "interim", "interim"),
        (200, "store", "store", "store"), (201, "notCacheable", "store", "mustUnderstand"),
        (203, "store", "store", "store"), (204, "store", "store", "store"),
        (206, "range", "range", "range"), (299, "notCacheable", "store", "mustUnderstand"),
        (301, "store", "store", "store"), (302, "notCacheable", "store", "store"), (308, "store", "store", "store"),
        (304, "conditional", "conditional", "conditional"), (412, "conditional", "conditional", "conditional"),
        (416, "conditional", "conditional", "conditional"), (401, "momentary", "momentary", "momentary"),
        (403, "notCacheable", "store", "mustUnderstand"), (404, "store", "store", "store"),
        (407, "momentary", "momentary", "momentary"), (425, "momentary", "momentary", "momentary"),
        (428, "momentary", "momentary", "momentary"), (429, "momentary", "momentary", "momentary"),
        (431, "momentary", "momentary", "momentary"), (511, "momentary", "momentary", "momentary"),
        (410, "store", "store", "store"), (500, "notCacheable", "store", "store"),
        (501, "store", "store", "store"), (503, "notCacheable", "store", "store"),
        (600, "unknownStatus", "unknownStatus", "unknownStatus"),
        (999, "unknownStatus", "unknownStatus", "unknownStatus"),
    ]

    @Test("The status decides", arguments: statuses)
    func status(status: Int, plain: String, explicit: String, understood: String) {
        expectEqual(Scene.mayStore(Scene.request(), Scene.response(status: status)), plain)
        for line in ["Cache-Control: max-age=5", "Expires: \(Scene.hourLater)", "Cache-Control: private"] {
            expectEqual(Scene.mayStore(Scene.request(), Scene.response([line], status: status)), explicit)
        }
        let line = "Cache-Control: must-understand, no-store, max-age=5"
        expectEqual(Scene.mayStore(Scene.request(), Scene.response([line], status: status)), understood)
        // s-maxage is for shared caches only.
        let shared = Scene.response(["Cache-Control: s-maxage=5"], status: status)
        expectEqual(Scene.mayStore(Scene.request(), shared), plain)
        expectEqual(Scene.mayStore(Scene.request(), shared, settings: Scene.shared), explicit)
    }

    /// Request fields, further fields of a 206, the decision (RFC 9111, 3.3).
    static let parts: [([String], [String], String)] = [
        (["Range: bytes=0-9"], [etag, "Content-Range: bytes 0-9/100"], "store part"),
        (["Range: bytes=0-9"], [etag, "Content-Range: bytes 0-9/*", "Content-Length: 10"], "store part"),
        ([], [etag, "Content-Range: bytes 0-9/100"], "range"),
        (["Range: bytes=0-9"], [etag], "range"),
        (["Range: bytes=0-9"], [etag, "Content-Range: bytes */100"], "range"),
        (["Range: bytes=0-9"], [etag, "Content-Range: lines 0-9/100"], "range"),
        (["Range: bytes=0-9"], [etag, "Content-Range: bytes 9-0/100"], "range"),
        (["Range: bytes=0-9"], [etag, "Content-Range: bytes 0-9/100", "Content-Length: 11"], "range"),
        (["Range: bytes=0-9"], [etag, "Content-Range: bytes 0-9/100", "Content-Range: bytes 0-9/100"], "range"),
        (["Range: bytes=0-9"], ["ETag: W/\"v\"", "Content-Range: bytes 0-9/100"], "noStrongValidator"),
        (["Range: bytes=0-9"], ["Content-Range: bytes 0-9/100"], "noStrongValidator"),
    ]

    @Test("Parts need a valid range and a strong validator", arguments: parts)
    func partial(request: [String], response: [String], expected: String) {
        expectEqual(Scene.mayStore(Scene.request(request), Scene.response(response, status: 206)), expected)
    }

    @Test("Connection fields, cookies, and private fields in a shared cache are not stored (RFC 9111, 3.1)")
    func fields() {
        let lines = [
            "Connection: close, X-Hop, Cache-Control", "X-Hop: 1", "Keep-Alive: 5", "Transfer-Encoding: chunked",
            "Upgrade: h2c", "Proxy-Authenticate: Basic", "X-New: 1", "Set-Cookie: a=b", "X-Own: 1",
            "Cache-Control: private=\"X-Own\", max-age=5",
        ]
        func names(_ settings: CacheRuleSettings) -> [String] {
            guard
                case .store(let plan) = CacheRule.mayStore(
                    Scene.request(), Scene.response(lines), settings: settings)
            else { return [] }
            return plan.fields.map(\.name.canonicalName)
        }
        expectEqual(names(CacheRuleSettings()), ["x-new", "x-own", "cache-control"])
        expectEqual(names(Scene.shared), ["x-new", "cache-control"])
    }

    @Test("A complete response keeps its meaningless Content-Range; that of a part is computed from its bytes")
    func contentRange() throws {
        for status in [200, 203, 404] {
            let response = Scene.response(["Content-Range: x", "Cache-Control: max-age=5"], status: status)
            guard case .store(let plan) = CacheRule.mayStore(Scene.request(), response) else {
                Issue.record("\(status) is not stored")
                continue
            }
            expectEqual(plan.fields[values: .contentRange], ["x"])
            #expect(plan.part == nil)
        }
        let stored = Scene.stored(["Content-Range: x", "Content-Range: y"])
        func served(_ content: ServedResponse.Content) -> (status: Int, fields: HTTPFields) {
            CacheFields.served(stored, as: ServedResponse(index: 0, content: content, age: 0, timeLeft: 1))
        }
        expectEqual(served(.whole).fields[values: .contentRange], ["x", "y"])
        expectEqual(served(.part(0..<1, length: 100)).fields[values: .contentRange], ["bytes 0-0/100"])
        #expect(served(.notModified).fields[values: .contentRange].isEmpty)
    }
}
