import Dispatch
import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("A closure decides on redirects", .timeLimit(.minutes(5)))
struct RedirectHandlerTests {
    private func mock(to location: String = "/b", status: Int = 302) -> MockTransport {
        MockTransport(responses: [.redirect(to: location, status: status), .json([:])])
    }

    @Test("A closure follows, changes, delivers or refuses a redirect")
    func decisions() async throws {
        let changing: RedirectHandler = { response, proposed in
            expectEqual(response.status, .found)
            expectEqual(response.url.path, "/v1/a")
            var changed = proposed
            changed.headers[.userAgent] = "changed"
            changed.url = (try? HTTPURL("/c", relativeTo: proposed.url)) ?? proposed.url
            return .follow(changed)
        }
        let changed = mock()
        let reply = try await mocked(by: changed) { $0.redirectHandler = changing }.api.get("a")
        expectEqual(reply.response.redirects.map(\.url.path), ["/v1/a"])
        expectEqual(changed.requests.map(\.url.path), ["/v1/a", "/c"])
        expectEqual(changed.requests.last?.headers[.userAgent], "changed")

        let delivered = mock()
        let kept = try await mocked(by: delivered) { $0.redirectHandler = { _, _ in .deliver } }.api.get("a")
        expectEqual(kept.status, 302)
        expectEqual(delivered.requests.count, 1)

        let (api, _) = try mocked(by: mock()) { $0.redirectHandler = { _, _ in .refuse } }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.kind, .redirectRefused)
        expectEqual(error?.status, 302)
        expectEqual(error?.requestSent, true)
        expectEqual(error?.detail, "The closure redirectHandler refused to follow the redirect.")
    }

    @Test("A delivered redirect is the result with its body, also above application interceptors and as a stream")
    func delivered() async throws {
        let answer = ServerResponse(
            status: 302, headers: ["Location": "/b", "Content-Type": "text/plain"],
            body: ResponseBody(Bytes(text: "here"))
        )
        struct Through: Interceptor {
            nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
                try await next(request)
            }
        }
        for interceptors in [[], [Through()]] {
            let (api, _) = try mocked(by: MockTransport { _ in answer }) {
                $0.redirectHandler = { _, _ in .deliver }
                $0.interceptors = interceptors
            }
            try await expectEqual(api.get("a").text(), "here")
            try await expectEqual(api.dataTask(.get("a")).value.status, 302)
            let status = try await api.withResponse(to: .get("a")) { $0.status.code }
            expectEqual(status, 302)
        }
    }

    @Test("A request's closure replaces the session's")
    func request() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .redirect(to: "/b") }) {
            $0.redirectHandler = { _, _ in .refuse }
        }
        try await expectEqual(api.get("a") { $0.redirectHandler = { _, _ in .deliver } }.status, 302)
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.kind, .redirectRefused)
    }

    @Test("The policy decides first: what it refuses or delivers reaches no closure")
    func order() async throws {
        let asked = Counter()
        let handler: RedirectHandler = { _, proposed in
            asked.add(1)
            return .follow(proposed)
        }
        for (location, policy, kind) in [
            ("http://api.example.com/", RedirectPolicy.follow, SternaError.Kind.redirectRefused),
            ("ftp://api.example.com/", .follow, .redirectRefused), ("/b", .doNotFollow, nil),
        ] as [(String, RedirectPolicy, SternaError.Kind?)] {
            let (api, _) = try mocked(by: mock(to: location)) {
                $0.redirectHandler = handler
                $0.redirects = policy
            }
            do {
                try await expectEqual(api.get("a").status, 302)
                expectNil(kind)
            } catch let error as SternaError {
                expectEqual(error.kind, kind)
            }
        }
        expectEqual(asked.value, 0)
    }

    @Test("A task's closure is asked after it, with the request that it made")
    func decision() async throws {
        let seen = Mutex<[String]>([])
        let mock = MockTransport(responses: [.redirect(to: "/b"), .redirect(to: "/d"), .json([:])])
        let (api, _) = try mocked(by: mock) {
            $0.redirectHandler = { _, proposed in
                seen.withLock { $0.append("handler \(proposed.url.path)") }
                // A request made anew still belongs to the call, and finds the closures on the next redirect.
                return .follow(Request(.get, (try? HTTPURL("/c", relativeTo: proposed.url)) ?? proposed.url))
            }
            $0.callbacks = .queue(DispatchQueue(label: "redirects"))
            var decisions = TaskDecisions()
            decisions.redirect = { _, _, proposed in
                seen.withLock { $0.append("decision \(proposed.url.path)") }
                return .follow(proposed)
            }
            $0.tasks.decisions = decisions
        }
        let task = api.dataTask(.get("a"))
        try await expectEqual(task.value.status, 200)
        expectEqual(seen.withLock { $0 }, ["handler /b", "decision /c", "handler /d", "decision /c"])
        expectEqual(Set(mock.requests.map { $0.call?.id }), [task.id])
    }

    @Test("A closure gives the consent that RFC 2616 requires")
    func consent() async throws {
        let refused = mock()
        let error = await #expect(throws: SternaError.self) {
            try await mocked(by: refused) { $0.redirects.methods = .rfc2616 }.api.post("a", parameters: ["b": 1])
        }
        expectEqual(error?.kind, .redirectRefused)
        expectEqual(refused.requests.count, 1)
        let confirmed = mock()
        try await mocked(by: confirmed) {
            $0.redirects.methods = .rfc2616
            $0.redirectHandler = { _, proposed in .follow(proposed) }
        }.api.post("a", parameters: ["b": 1])
        expectEqual(confirmed.requests.map(\.method), [.post, .post])
        expectEqual(confirmed.requests.last?.givenText, "b=1")
    }

    /// The URL that the closure chooses, a secret that it sets, and the Authorization and X-Api-Key that arrive.
    static let leaks: [(String, String?, String?, String?)] = [
        ("https://api.example.com/c", nil, "Bearer s3cret", "s3cret"), ("https://other.test/c", nil, nil, nil),
        ("https://api.example.com:8443/c", nil, nil, nil),
        ("https://other.test/c", "Bearer other", "Bearer other", nil),
    ]

    @Test("A closure's redirect to another origin sends only the credentials that the closure sets", arguments: leaks)
    func origin(url: String, own: String?, authorization: String?, key: String?) async throws {
        let mock = MockTransport(responses: [
            .redirect(to: "/b"), .redirect(to: "https://api.example.com/d"), .json([:]),
        ])
        let (api, _) = try mocked(by: mock) { $0.auth.header = .bearer("s3cret") }
        let target = try HTTPURL(url)
        try await api.get("a", headers: ["X-Api-Key": "s3cret", "Host": "internal.test"]) {
            $0.auth.secretHeaders = ["X-Api-Key"]
            $0.redirectHandler = { _, proposed in
                guard proposed.url.path == "/b" else { return .follow(proposed) }
                var changed = proposed
                changed.url = target
                if let own { changed.headers[.authorization] = own }
                return .follow(changed)
            }
        }
        let name = try #require(HTTPField.Name("X-Api-Key"))
        let host = try #require(HTTPField.Name("Host"))
        expectEqual(mock.requests.map(\.url.path), ["/v1/a", "/c", "/d"])
        expectEqual(mock.requests[1].headers[.authorization], authorization)
        expectEqual(mock.requests[1].headers[name], key)
        // Back at the first origin, they have not returned.
        if target.host != "api.example.com" || target.port != nil {
            expectNil(mock.requests[1].headers[host])
            expectNil(mock.requests[2].headers[.authorization])
            expectNil(mock.requests[2].headers[name])
        }
    }

    @Test("A closure cannot redirect to a URL that is neither http nor https")
    func scheme() async throws {
        let (api, _) = try mocked(by: mock()) {
            $0.redirectHandler = { _, proposed in
                var changed = proposed
                changed.url = (try? HTTPURL("wss://api.example.com/b")) ?? proposed.url
                return .follow(changed)
            }
        }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.kind, .redirectRefused)
    }

    @Test("Settings show that a closure is set, and derived sessions have it")
    func shown() async throws {
        let (api, _) = try mocked(by: mock()) { $0.redirectHandler = { _, _ in .deliver } }
        #expect(dumped(api).contains("redirectHandler"))
        #expect(!dumped(try mocked().api).contains("redirectHandler"))
        try await expectEqual(api.with { $0.timeout = .seconds(9) }.get("a").status, 302)
        let without = api.with { $0.redirectHandler = nil }
        #expect(!dumped(without).contains("redirectHandler"))
    }
}
