import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// Where a session's requests go, as a rule without a session; `SessionBaseURLTests` has more references.
@Suite("Resolving references")
struct URLResolutionTests {
    struct Row: Sendable {
        var reference: String
        var base: String? = "https://user:secret@api.example.com/v1"
        var isOpen = false
        var url: String?
        var error: SternaError.Kind?
    }

    static let rows = [
        Row(reference: "users", url: "https://api.example.com/v1/users"),
        Row(reference: "/users?a=1", url: "https://api.example.com/users?a=1"),
        Row(reference: "", url: "https://api.example.com/v1/"),
        Row(reference: "https://api.example.com:443/x", url: "https://api.example.com/x"),
        Row(reference: "https://other.example/", error: .originRefused),
        Row(reference: "//other.example/", error: .originRefused),
        Row(reference: "http://api.example.com/", error: .originRefused),
        Row(reference: "https://api.example.com:8443/", error: .originRefused),
        Row(reference: "https://other.example/", isOpen: true, url: "https://other.example/"),
        Row(reference: "https://other.example/", base: nil, url: "https://other.example/"),
        Row(reference: "users", base: nil, error: .invalidURL),
        Row(reference: "wss://api.example.com/", isOpen: true, error: .invalidURL),
        Row(reference: "ftp://api.example.com/", isOpen: true, error: .invalidURL),
        Row(reference: "http://[", error: .invalidURL),
    ]

    @Test("A reference resolves to a URL or to an error", arguments: rows)
    func resolve(row: Row) throws {
        let resolution = URLResolution(base: try row.base.map(URLResolution.base), allowsOtherOrigins: row.isOpen)
        do throws(SternaError) {
            let url = try resolution.url(of: row.reference)
            expectEqual(url.removingUserinfo().href, row.url)
            expectNil(row.error)
        } catch {
            expectEqual(error.kind, row.error)
            expectEqual(error.phase, .prepare)
            #expect(!"\(error)".contains("secret"))
        }
    }

    static let bases = [
        ("https://a.example", "https://a.example/"), ("https://a.example/v1", "https://a.example/v1/"),
        ("https://a.example/v1/", "https://a.example/v1/"), ("https://a.example/v1?q#f", "https://a.example/v1/"),
        ("https://a.example//v1", "https://a.example//v1/"), ("https://a.example/?q", "https://a.example/"),
    ]

    @Test("A base URL ends in a slash", arguments: bases)
    func base(reference: String, expected: String) throws {
        try expectEqual(URLResolution.base(of: reference).href, expected)
    }

    @Test("The session's own origin is the base URL's; without a base URL every origin is")
    func origin() throws {
        let bound = URLResolution(base: try HTTPURL("https://a.example/v1/"), allowsOtherOrigins: true)
        let free = URLResolution(base: nil, allowsOtherOrigins: false)
        for (url, isOwn) in [
            ("https://a.example/", true), ("https://A.example:443/x", true), ("http://a.example/", false),
            ("https://a.example:444/", false), ("https://b.example/", false),
        ] {
            expectEqual(bound.isOwnOrigin(try HTTPURL(url)), isOwn)
            #expect(free.isOwnOrigin(try HTTPURL(url)))
        }
    }
}
