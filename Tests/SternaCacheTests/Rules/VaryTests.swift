import HTTPTypes
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Vary and variants (RFC 9111, 4.1)")
struct VaryTests {
    private typealias Scene = CacheRuleScene

    static let fields: [([String], Vary)] = [
        ([], .fields([])), ([""], .fields([])), (["Accept"], .fields(["accept"])),
        (["b, A ,,b", "c"], .fields(["a", "b", "c"])), (["*"], .anything), (["a", "b, *"], .anything),
        (["a b"], .anything), (["a;"], .anything), ([(0..<33).map { "x\($0)" }.joined(separator: ",")], .anything),
        ([Array(repeating: "x", count: 99).joined(separator: ",")], .fields(["x"])),
    ]

    @Test("The field names of all lines are read", arguments: fields)
    func names(lines: [String], vary: Vary) { expectEqual(Vary(lines: lines), vary) }

    /// Vary, the fields of two requests, whether both select the same response.
    static let pairs: [(String, [String], [String], Bool)] = [
        ("X-A", ["X-A: 1"], ["X-A: 1"], true), ("X-A", ["X-A: 1"], ["x-a:  1 "], true),
        ("X-A", ["X-A: 1"], ["X-A: 2"], false), ("X-A", ["X-A: 1"], [], false), ("X-A", [], [], true),
        ("X-A", [], ["X-A: "], false), ("X-A", ["X-A: a"], ["X-A: A"], false),
        ("X-A", ["X-A: 1", "X-A: 2"], ["X-A: 1, 2"], true), ("X-A", ["X-A: 1, 2"], ["X-A: 2, 1"], false),
        ("X-A", ["X-A: 1"], ["X-A: 1", "X-B: 2"], true), ("X-A, X-B", ["X-A: 1"], ["X-A: 1", "X-B: 2"], false),
        ("X-A", ["X-A: \u{E9}"], ["X-A: e\u{301}"], false),
        ("Accept-Encoding", ["Accept-Encoding: gzip, br"], ["Accept-Encoding: BR,gzip;q=1.0"], true),
        ("Accept-Encoding", ["Accept-Encoding: gzip"], ["Accept-Encoding: gzip;q=0.5"], false),
        ("Accept-Encoding", ["Accept-Encoding: gzip"], ["Accept-Encoding: gzip, br"], false),
        ("Accept-Language", ["Accept-Language: de-CH, en;q=0.5"], ["Accept-Language: de-ch,en; q=0.5"], true),
        ("Accept-Language", ["Accept-Language: de, en"], ["Accept-Language: en, de"], false),
        ("Accept", ["Accept: a/b , c/d"], ["Accept: a/b,c/d"], true),
        ("Accept", ["Accept: a/b"], ["Accept: A/b"], false),
        ("Accept", ["Accept: a/b;x=\" ,\""], ["Accept: a/b;x=\",\""], false),
        ("X-A", ["X-A: 1,2"], ["X-A:  1 ,\t2 "], true), ("X-A", ["X-A: 1", "X-A: 2"], ["X-A: 1,2"], true),
        ("X-A", ["X-A: 1,,2"], ["X-A: 1,2"], false), ("X-A", ["X-A: 1 2"], ["X-A: 1  2"], false),
        ("X-A", ["X-A: 1;2"], ["X-A: 1; 2"], false), ("X-A", ["X-A: \"1,2\""], ["X-A: \"1, 2\""], false),
        ("X-A", ["X-A: \"1\"", "X-A: 2"], ["X-A: \"1\", 2"], true),
        ("User-Agent", ["User-Agent: a (b, c)"], ["User-Agent: a (b,c)"], false),
        ("Cookie", ["Cookie: a=1,2"], ["Cookie: a=1, 2"], false),
        ("Authorization", ["Authorization: Digest a=1,b=2"], ["Authorization: Digest a=1, b=2"], false),
        ("X-Api-Key", ["X-Api-Key: 1,2"], ["X-Api-Key: 1, 2"], false),
        ("Accept-Language", ["Accept-Language: de, en;q=0.5"], ["Accept-Language: en;q=0.50, de;q=1"], true),
        (
            "Accept-Language", ["Accept-Language: fr;q=0.5, de, en;q=0.5"], ["Accept-Language: de, fr;q=0.5, en;q=0.5"],
            true
        ),
        (
            "Accept-Language", ["Accept-Language: fr;q=0.5, de, en;q=0.5"], ["Accept-Language: de, en;q=0.5, fr;q=0.5"],
            false
        ),
        (
            "Accept-Language", ["Accept-Language: de", "Accept-Language: en;q=0.1"], ["Accept-Language: en;q=0.1,de"],
            true
        ),
        ("Accept-Language", ["Accept-Language: de, en;q=0.5"], ["Accept-Language: en, de;q=0.5"], false),
        ("Accept-Language", ["Accept-Language: de, en;q=0"], ["Accept-Language: en;q=0.000, de"], true),
        ("Accept-Language", ["Accept-Language: de, en;q=0.5"], ["Accept-Language: de, en;q=0.501"], false),
        ("Accept-Language", ["Accept-Language: de, en;q=.5"], ["Accept-Language: en;q=.5, de"], false),
        ("Accept-Language", ["Accept-Language: de, en;q=1.5"], ["Accept-Language: en;q=1.5, de"], false),
        ("Accept-Language", ["Accept-Language: de, en;q=0.5000"], ["Accept-Language: de, en;q=0.5"], false),
        ("Accept", ["Accept: a/b;q=0.5, c/d"], ["Accept: c/d, a/b; Q=0.5"], true),
        ("Accept", ["Accept: a/b, c/d"], ["Accept: c/d, a/b"], false),
        ("Accept", ["Accept: a/b;q=0.5;x=1, c/d"], ["Accept: c/d, a/b;q=0.5;x=1"], false),
        ("Accept-Charset", ["Accept-Charset: utf-8;q=0.5, x"], ["Accept-Charset: x,utf-8;q=0.50"], true),
        ("Accept-Encoding", ["Accept-Encoding: gzip;q=0.5, br"], ["Accept-Encoding: br, gzip;q=0.500"], true),
        ("Cookie", ["Cookie: a=1; b=2"], ["Cookie: a=1; b=2"], true),
        ("Cookie", ["Cookie: a=1"], ["Cookie: a=2"], false), ("Cookie", ["Cookie: a=1"], [], false),
        ("Authorization", ["Authorization: Basic eA=="], ["Authorization: basic eA=="], false),
    ]

    @Test("Values are compared after normalisation", arguments: pairs)
    func matching(vary: String, one: [String], other: [String], isSame: Bool) throws {
        for covering in [false, true] {
            var secrets = VarySecrets()
            secrets.names.insert("x-api-key")
            if covering { secrets.cover = { "#" + String($0.utf8.reduce(0) { $0 &* 31 &+ Int($1) }) } }
            let key = try #require(VaryKey(Vary(lines: [vary]), request: Scene.fields(one), secrets: secrets))
            expectEqual(key.matches(Scene.fields(other), secrets: secrets), isSame)
            #expect(key.matches(Scene.fields(one), secrets: secrets))
            expectEqual((VaryKey(Vary(lines: [vary]), request: Scene.fields(other), secrets: secrets) == key), isSame)
        }
    }

    @Test("Secret values are hashed in the key")
    func secrets() throws {
        var secrets = VarySecrets()
        secrets.cover = { _ in "#" }
        secrets.names.insert("x-api-key")
        let lines = ["Authorization: Bearer s3cret", "Cookie: a=s3cret", "X-Api-Key: s3cret", "Accept: a/b"]
        let vary = Vary(lines: ["Authorization, Cookie, X-Api-Key, Accept"])
        let key = try #require(VaryKey(vary, request: Scene.fields(lines), secrets: secrets))
        #expect(!"\(key)".contains("s3cret"))
        expectEqual(key.parts.map(\.value), ["a/b", "#", "#", "#"])
    }

    @Test("The most recent matching response is served; without one, the request is forwarded")
    func selection() throws {
        func variant(_ value: String?, _ date: String, vary: String = "X-A") -> StoredResponse {
            let request = value.map { ["X-A: \($0)"] } ?? []
            let key = VaryKey(Vary(lines: [vary]), request: Scene.fields(request), secrets: VarySecrets())
            return Scene.stored(
                ["Cache-Control: max-age=9999", "Vary: \(vary)", "Date: \(date)"], variant: key ?? .none)
        }
        let stored = [
            variant("1", Scene.hourBefore), variant("1", Scene.date), variant("2", Scene.hourBefore),
            variant(nil, Scene.date),
        ]
        func index(_ lines: [String]) -> Int? {
            CacheRule.select(stored, for: Scene.request(lines), CacheRuleSettings())
        }
        expectEqual(index(["X-A: 1"]), 1)
        expectEqual(index(["X-A: 2"]), 2)
        expectEqual(index([]), 3)
        expectNil(index(["X-A: 3"]))
        let miss = CacheRule.decide(Scene.request(["X-A: 3"]), stored: stored, now: Scene.made)
        expectEqual(Scene.text(miss), "forward vary")
    }

    /// Two URLs, whether they have the same key.
    static let urls: [(String, String, Bool)] = [
        ("http://a.test", "HTTP://A.TEST:80/", true), ("http://a.test/#x", "http://u:p@a.test/", true),
        ("http://a.test/%7eb", "http://a.test/~b", true), ("http://a.test/%c3%a9", "http://a.test/\u{E9}", true),
        ("http://a.test/a%2fb", "http://a.test/a%2Fb", true), ("http://a.test/a%2fb", "http://a.test/a/b", false),
        ("http://a.test/?a=%41", "http://a.test/?a=A", true), ("http://a.test/?", "http://a.test/", false),
        ("http://a.test/", "https://a.test/", false), ("http://a.test/", "http://a.test:8080/", false),
        ("http://a.test/a", "http://a.test/A", false), ("http://a.test/b/../a", "http://a.test/a", true),
        ("http://a.test/%", "http://a.test/%25", false), ("http://a.test/%zz", "http://a.test/%ZZ", false),
        ("http://a.test/%2e%2e/x", "http://a.test/x", true),
        ("http://a.test/?q=1&r=2", "http://a.test/?r=2&q=1", false),
    ]

    @Test("Keys use normalised URLs (RFC 9111, 2; RFC 9110, 4.2.3)", arguments: urls)
    func keys(one: String, other: String, isSame: Bool) throws {
        let left = CacheRequestKey(.get, try HTTPURL(one), partition: .everyone)
        let right = CacheRequestKey(.get, try HTTPURL(other), partition: .everyone)
        expectEqual((left == right), isSame)
        expectEqual(CacheRequestKey(.head, try HTTPURL(one), partition: .everyone), left)
        #expect(CacheRequestKey(.post, try HTTPURL(one), partition: .everyone) != left)
        #expect(CacheRequestKey(.get, try HTTPURL(one), partition: CachePartition([1])) != left)
    }
}
