import HTTPTypes
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Invalidation (RFC 9111, 4.4)")
struct InvalidationTests {
    private typealias Scene = CacheRuleScene

    private static func invalidated(
        _ method: HTTPRequest.Method, _ status: Int = 200, _ fields: [String] = []
    ) -> [String] {
        CacheRule.invalidated(
            by: Scene.response(fields, status: status),
            to: Scene.request([], method, "https://u:p@api.example.com/a/b?x=1#f")
        ).map(\.href)
    }

    private static let target = "https://api.example.com/a/b?x=1"

    @Test("Successful unsafe and unknown methods invalidate their target")
    func methods() throws {
        let unknown = try #require(HTTPRequest.Method("FROB"))
        for method in [.post, .put, .delete, .patch, unknown] as [HTTPRequest.Method] {
            for status in [200, 201, 204, 301, 303, 304] {
                expectEqual(Self.invalidated(method, status), [Self.target])
            }
            for status in [100, 400, 404, 409, 500, 503] { expectEqual(Self.invalidated(method, status), []) }
        }
        let query = try #require(HTTPRequest.Method("QUERY"))
        for method in [.get, .head, .options, .trace, query] as [HTTPRequest.Method] {
            expectEqual(Self.invalidated(method), [])
        }
    }

    /// A reference, the further URL that it invalidates.
    static let references: [(String, String?)] = [
        ("/c", "https://api.example.com/c"), ("c", "https://api.example.com/a/c"),
        ("https://api.example.com/c#x", "https://api.example.com/c"),
        ("https://API.EXAMPLE.COM:443/c", "https://api.example.com/c"), ("https://other.test/c", nil),
        ("http://api.example.com/c", nil), ("https://api.example.com:8443/c", nil), ("//other.test/c", nil),
        ("https://a b/", nil), ("javascript:x", nil), ("", nil), ("?x=1", nil),
    ]

    @Test("Location and Content-Location are invalidated within the origin", arguments: references)
    func locations(reference: String, url: String?) {
        for name in ["Location", "Content-Location"] {
            let found = Self.invalidated(.post, 201, ["\(name): \(reference)"])
            expectEqual(found, [Self.target] + (url.map { [$0] } ?? []))
        }
        expectEqual(Self.invalidated(.get, 201, ["Location: \(reference)"]), [])
    }
}
