import HTTPTypes
import NIOCore
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("What a redirect means for a request")
struct RedirectRuleTests {
    static let start = "https://api.example.com/v1/a?x=1"

    private func request(
        _ method: Request.Method = .get, _ url: String = RedirectRuleTests.start, body: Body? = nil
    ) throws -> Request {
        let headers: HTTPFields = [
            .authorization: "Bearer s3cret", .cookie: "id=s3cret", .proxyAuthorization: "Basic s3cret", .accept: "a/b",
        ]
        return Request(method, try HTTPURL(url), headers: headers, body: body)
    }

    private func decide(
        _ request: Request, _ status: Int, _ location: String?, policy: RedirectPolicy = .follow, count: Int = 0
    ) -> RedirectRule.Decision {
        var headers = HTTPFields()
        if let location { headers[.location] = location }
        let response = Response(status: .init(code: status), section: FieldSection(headers), url: request.url)
        let steps = (0..<max(0, count)).map { _ in RedirectStep(url: request.url, status: status) }
        return RedirectRule.decide(request, response, policy: policy, after: steps)
    }

    private func decide(_ request: Request, _ locations: [String]) -> RedirectRule.Decision {
        let fields = HTTPFields(locations.map { HTTPField(name: .location, value: $0) })
        let response = Response(status: .found, section: FieldSection(fields), url: request.url)
        return RedirectRule.decide(request, response, policy: .follow)
    }

    private func followed(_ decision: RedirectRule.Decision) throws -> Request {
        guard case .follow(let request) = decision else { throw NotFollowed(decision: "\(decision)") }
        return request
    }

    private struct NotFollowed: Error { var decision: String }

    private func refused(_ decision: RedirectRule.Decision) -> SternaError? {
        if case .refuse(let error) = decision { error } else { nil }
    }

    private func isDelivered(_ decision: RedirectRule.Decision) -> Bool {
        if case .deliver = decision { true } else { false }
    }

    static let methods: [(Int, Request.Method, Request.Method, Bool)] = [
        (301, .get, .get, true), (302, .get, .get, true), (303, .get, .get, true), (307, .get, .get, true),
        (308, .get, .get, true),
        (301, .head, .head, true), (302, .head, .head, true), (303, .head, .head, true), (307, .head, .head, true),
        (308, .head, .head, true),
        (301, .post, .get, false), (302, .post, .get, false), (303, .post, .get, false), (307, .post, .post, true),
        (308, .post, .post, true),
        (301, .put, .put, true), (302, .put, .put, true), (303, .put, .get, false), (307, .put, .put, true),
        (308, .put, .put, true),
        (303, .delete, .get, false), (301, .delete, .delete, true), (307, .delete, .delete, true),
        (303, .patch, .get, false), (302, .patch, .patch, true), (303, .options, .get, false),
    ]

    @Test("The method, the body and its fields, by status and method", arguments: methods)
    func method(status: Int, before: Request.Method, after: Request.Method, keepsBody: Bool) throws {
        var request = try request(before, body: .text("hello"))
        let fields: [HTTPField.Name] = [.contentType, .contentEncoding, .contentLanguage, .contentLocation]
        for name in fields { request.headers[name] = "x" }
        let next = try followed(decide(request, status, "/b"))
        expectEqual(next.method, after)
        expectEqual((next.body != nil), keepsBody)
        for name in fields { expectEqual(next.headers.contains(name), keepsBody) }
        expectEqual(next.headers[.accept], "a/b")
    }

    @Test("Other statuses are no redirects", arguments: [200, 201, 300, 304, 305, 306, 399, 400, 401])
    func notRedirects(status: Int) throws {
        #expect(isDelivered(decide(try request(), status, "/b")))
    }

    @Test("A redirect that names no target is the response", arguments: [301, 302, 303, 307, 308])
    func noLocation(status: Int) throws {
        #expect(isDelivered(decide(try request(), status, nil)))
        #expect(isDelivered(decide(try request(), status, "")))
    }

    @Test("With doNotFollow each redirect is the response")
    func doNotFollow() throws {
        #expect(isDelivered(decide(try request(), 302, "/b", policy: .doNotFollow)))
        #expect(isDelivered(decide(try request(), 302, "http://api.example.com/", policy: .doNotFollow)))
    }

    static let targets: [(String, String)] = [
        ("/b", "https://api.example.com/b"),
        ("b", "https://api.example.com/v1/b"),
        ("../b", "https://api.example.com/b"),
        ("?y=2", "https://api.example.com/v1/a?y=2"),
        ("//other.test/b", "https://other.test/b"),
        ("https://other.test", "https://other.test/"),
        ("HTTPS://OTHER.test:443/%7Eb", "https://other.test/%7Eb"),
        ("b c", "https://api.example.com/v1/b%20c"),
        ("é", "https://api.example.com/v1/%C3%A9"),
        ("/b#part", "https://api.example.com/b#part"),
        ("#part", "https://api.example.com/v1/a?x=1#part"),
        ("https://user:pass@api.example.com/b", "https://api.example.com/b"),
        ("https://user@other.test/b", "https://other.test/b"),
        ("\\\\other.test\\b", "https://other.test/b"),
    ]

    @Test("Where it leads, user information left out", arguments: targets)
    func target(location: String, url: String) throws {
        try expectEqual(followed(decide(try request(), 302, location)).url.href, url)
    }

    @Test("Location fields that are the same count once")
    func repeatedLocation() throws {
        try expectEqual(followed(decide(try request(), ["/b", "/b"])).url.path, "/b")
        try expectEqual(followed(decide(try request(), ["/b", "/b", "/b"])).url.path, "/b")
        #expect(isDelivered(decide(try request(), ["", ""])))
    }

    @Test(
        "Location fields that differ are refused",
        arguments: [
            ["/b", "/c"], ["/b", "/b", "/c"], ["/b", ""], ["", "/b"], ["/b", "/B"], ["/\u{E9}", "/e\u{301}"],
        ])
    func differingLocation(locations: [String]) throws {
        let error = refused(decide(try request(), locations))
        expectEqual(error?.kind, .redirectRefused)
        expectEqual(error?.phase, .read)
        let wire = Bytes(string: locations.map { "Location: \($0)\r\n" }.joined())
        let response = Response(status: .found, section: FieldSection(checkedLines: wire), url: try request().url)
        let decision = RedirectRule.decide(try request(), response, policy: .follow)
        expectEqual(refused(decision)?.kind, .redirectRefused)
    }

    /// Target, Authorization of the next request.
    static let credentials: [(String, String?)] = [
        ("https://eve:pa%20ss@other.test/b", "Basic ZXZlOnBhIHNz"), ("https://eve@other.test/b", "Basic ZXZlOg=="),
        ("//eve:pw@other.test/b", "Basic ZXZlOnB3"), ("https://other.test/b", nil),
        ("https://eve:pw@api.example.com/b", "Bearer s3cret"), ("/b", "Bearer s3cret"),
    ]

    @Test("Credentials of a target are sent to it, unless the caller's own are", arguments: credentials)
    func locationCredentials(location: String, authorization: String?) throws {
        let next = try followed(decide(try request(), 302, location))
        expectEqual(next.headers[.authorization], authorization)
        expectNil(next.url.userinfo)
    }

    @Test("Credentials of a target within the origin are sent where the request has none")
    func locationCredentialsWithinOrigin() throws {
        var request = try request()
        request.headers[.authorization] = nil
        let next = try followed(decide(request, 302, "https://eve:pw@api.example.com/b"))
        expectEqual(next.headers[.authorization], "Basic ZXZlOnB3")
        // Another origin is not told them.
        let further = try followed(decide(next, 302, "https://other.test/"))
        expectNil(further.headers[.authorization])
    }

    @Test("Credentials of a target that cannot be sent are refused", arguments: ["e%3Ave:pw", "%FF:pw", "eve:%FF"])
    func unusableCredentials(userinfo: String) throws {
        let error = refused(decide(try request(), 302, "https://\(userinfo)@other.test/"))
        expectEqual(error?.kind, .redirectRefused)
        expectEqual(error?.description.contains("pw"), false)
    }

    @Test("A target without a fragment inherits the one before (RFC 9110, 10.2.2)")
    func fragment() throws {
        let request = try request(.get, "https://api.example.com/a#one")
        #expect(try followed(decide(request, 302, "/b")).url.href == "https://api.example.com/b#one")
        #expect(try followed(decide(request, 302, "/b#two")).url.href == "https://api.example.com/b#two")
        try expectEqual(followed(decide(request, 302, "/b#")).url.fragment, "")
    }

    @Test(
        "What is no http or https URL is refused",
        arguments: [
            "ftp://host/", "file:///etc/passwd", "javascript:alert(1)", "https://", "https://a b/", "https://[::1",
            "https://host:99999/", "ws://api.example.com/", "wss://api.example.com/", "data:,x",
        ])
    func invalid(location: String) throws {
        let error = refused(decide(try request(), 302, location))
        expectEqual(error?.kind, .redirectRefused)
        expectEqual(error?.phase, .read)
    }

    @Test("https to http is refused unless it is allowed")
    func downgrade() throws {
        for location in ["http://api.example.com/b", "http://other.test/", "http://api.example.com:443/b"] {
            let error = refused(decide(try request(), 302, location))
            expectEqual(error?.kind, .redirectRefused)
            expectEqual(error?.description.contains("https to http"), true)
        }
        var policy = RedirectPolicy.follow
        policy.allowsInsecure = true
        let next = try followed(decide(try request(), 302, "http://api.example.com/b", policy: policy))
        #expect(next.url.href == "http://api.example.com/b")
        expectNil(next.headers[.authorization])
        #expect(try followed(decide(try request(.get, "http://a.test/"), 302, "http://b.test/")).url.host == "b.test")
    }

    @Test("A refusal shows the beginning of a long target") func longTarget() throws {
        let error = refused(decide(try request(), 302, "http://a.test/" + String(repeating: "y", count: 60_000)))
        #expect(error?.detail.contains("http://a.test/yyy") == true)
        #expect((error?.detail.count ?? 0) < 1_000)
    }

    @Test("A target keeps bytes that are not UTF-8") func latin1() throws {
        let request = try request()
        let line = Array("Location: /caf".utf8) + [0xE9] + Array("?q=".utf8) + [0xFF, 0x0D, 0x0A]
        let response = Response(
            status: .found, section: FieldSection(checkedLines: Bytes(bytes: line)), url: request.url)
        let next = try followed(RedirectRule.decide(request, response, policy: .follow))
        expectEqual(next.url.requestTarget, "/caf%E9?q=%FF")
    }

    @Test("A refusal does not show the target's secrets")
    func secrets() throws {
        let error = refused(decide(try request(), 302, "http://user:pa55@other.test/?token=s3cret"))
        expectEqual(error?.description.contains("s3cret"), false)
        expectEqual(error?.description.contains("pa55"), false)
    }

    @Test("Twenty are followed, the next is refused", arguments: [(0, true), (19, true), (20, false), (21, false)])
    func limit(count: Int, follows: Bool) throws {
        let decision = decide(try request(), 302, "/b", count: count)
        if follows {
            _ = try followed(decision)
        } else {
            expectEqual(refused(decision)?.kind, .tooManyRedirects)
        }
    }

    @Test("Limits of one and of zero redirects")
    func ownLimit() throws {
        var policy = RedirectPolicy.follow
        policy.limit = 1
        _ = try followed(decide(try request(), 302, "/b", policy: policy, count: 0))
        expectEqual(refused(decide(try request(), 302, "/b", policy: policy, count: 1))?.kind, .tooManyRedirects)
        policy.limit = 0
        expectEqual(refused(decide(try request(), 302, "/b", policy: policy, count: 0))?.kind, .tooManyRedirects)
    }

    @Test("A body that cannot be sent again is not sent again", arguments: [301, 302, 303, 307, 308])
    func notReplayable(status: Int) throws {
        let body = Body.stream(AsyncStream<Bytes> { $0.finish() })
        let decision = decide(try request(.post, body: body), status, "/b")
        if status >= 307 {
            expectEqual(refused(decision)?.kind, .bodyNotReplayable)
        } else {
            try expectNil(followed(decision).body)
        }
        expectEqual(refused(decide(try request(.put, body: body), 302, "/b"))?.kind, .bodyNotReplayable)
    }
}
