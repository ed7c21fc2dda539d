import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The examples of docs/Resending.md, so that they compile and do what it says.
@Suite("Examples: when a request is sent again", .timeLimit(.minutes(5)))
struct ResendingExamplesTests {
    @Test("Policies of a session and of a request")
    func policies() async throws {
        let refusal = ServerResponse.json([:], status: 502)
        let mock = MockTransport(responses: [
            .redirect(to: "/elsewhere"), refusal, .json([:]), refusal, refusal, refusal,
        ])
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let api = try Session(baseURL: "https://api.example.com") {
            $0.redirects.limit = 5
            $0.retry = .transient
        }
        try await api.get("report") {
            $0.redirects = .doNotFollow
            $0.retry = .none
        }
        try await api.get("status") { $0.retry.limit = 1 }  // the session's policy, but for the limit

        #expect(mock.requests.count == 3)
        // Not sent more often than that.
        let error = await #expect(throws: SternaError.self) { try await api.get("status") { $0.retry.limit = 1 } }
        #expect(error?.status == 502)
        #expect(mock.requests.count == 5)
    }

    @Test("A closure that delivers a redirect")
    func redirects() async throws {
        let mock = MockTransport { request in
            request.url.path == "/old" ? .redirect(to: "/new") : .redirect(to: "/login")
        }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let api = try Session(baseURL: "https://api.example.com") {
            $0.redirectHandler = { response, proposed in
                proposed.url.path.hasPrefix("/login") ? .deliver : .follow(proposed)
            }
        }

        let reply = try await api.get("old")
        #expect(reply.status == 302)
        #expect(reply.response.redirects.map(\.url.path) == ["/old"])
        #expect(mock.requests.map(\.url.path) == ["/old", "/new"])
    }

    @Test("A closure that refuses other origins, and a POST that stays one")
    func refusedOrigins() async throws {
        let mock = MockTransport(responses: [
            .redirect(to: "/b", status: 301), .json([:]), .redirect(to: "/c", status: 301),
            .redirect(to: "https://other.example/d", status: 301),
        ])
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let api = try Session(baseURL: "https://api.example.com") {
            $0.redirects.methods = .fetch.keepingPost(on: [301])
            $0.redirectHandler = { response, proposed in
                proposed.url.origin == response.url.origin ? .follow(proposed) : .refuse
            }
        }
        do {
            let reply = try await api.post("orders", parameters: ["bird": "tern"])
            for step in reply.response.redirects { print(step.status, step.url) }
        } catch let error as SternaError where error.kind == .redirectRefused {
            for step in error.redirects { print(step.status, step.url) }  // the redirects that were followed
            print(error.response?.headers[.location] ?? "")  // the one that was not
        }

        let error = await #expect(throws: SternaError.self) { try await api.post("orders") }
        #expect(error?.kind == .redirectRefused)
        #expect(error?.redirects.map(\.url.path) == ["/orders"])
        #expect(error?.response?.headers[.location] == "https://other.example/d")
        #expect(mock.requests.map(\.method) == [.post, .post, .post, .post])
    }

    @Test("A policy for retries")
    func retries() async throws {
        let mock = MockTransport(responses: [.json([:], status: 502), .json([:])])
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let api = try Session(baseURL: "https://api.example.com") {
            $0.retry = .transient
            $0.retry.limit = 4
            $0.retry.backoff = RetryBackoff(base: .milliseconds(100), factor: 2, cap: .seconds(5))
            $0.retry.totalTime = .seconds(30)  // no retry begins later
        }

        #expect(try await api.get("report").status == 200)
        #expect(mock.requests.count == 2)
        #expect(RetryBackoff.constant(.seconds(1)).isJittered == false)
        let sparing = api.with { $0.retry.budget = RetryBudget(share: 0.1) }
        #expect(sparing.baseURL == api.baseURL)
    }

    @Test("An idempotency key, the same for all retries")
    func idempotency() async throws {
        let key = "order-7"
        let counter = Counter()
        let mock = MockTransport { _ in
            counter.add(1)
            guard counter.value > 1 else { throw RetryScene.closed }
            return .json([:])
        }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let api = try Session(baseURL: "https://api.example.com") { $0.retry.addsIdempotencyKey = true }
        try await api.post("orders", parameters: ["bird": "tern"])
        try await api.post("orders", parameters: ["bird": "tern"], headers: ["Idempotency-Key": key])  // your own

        let keys = mock.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 3)
        #expect(keys.first == keys.dropLast().last)
        #expect(keys.allSatisfy { $0?.isEmpty == false })
        #expect(keys.last == key)
    }

    @Test("An observer of retries")
    func observer() async throws {
        let counter = Counter()
        let mock = MockTransport { _ in
            counter.add(1)
            guard counter.value > 1 else { throw RetryScene.closed }
            return .json([:])
        }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let api = try Session(baseURL: "https://api.example.com") { settings in
            let retries = EventObserver(.network) { event in
                guard case .retryScheduled(let retry) = event.kind else { return }
                print("retry \(retry.number) of \(event.call?.url ?? "") in \(retry.delay), after: \(retry.reason)")
            }
            settings.events.observers = [retries]
        }

        #expect(try await api.get("report").status == 200)
        #expect(mock.requests.count == 2)
        await api.flushEvents()
    }

    struct AttemptNumber: RequestAdapter {
        func adapt(_ request: Request, _ progress: RetryProgress) async throws -> Request {
            var request = request
            request.headers["X-Attempt"] = "\(progress.retries + 1)"
            return request
        }
    }

    struct ReplicaRetrier: RequestRetrier {  // a new object may not have reached every replica
        func retry(_ request: Request, after outcome: RetryOutcome, _ progress: RetryProgress) async -> RetryDecision {
            guard case .response(let response) = outcome, response.status.code == 404, progress.retries < 3 else {
                return .undecided
            }
            return .retry(after: .milliseconds(20))
        }
    }

    @Test("An adapter and a retrier")
    func handlers() async throws {
        let mock = MockTransport(responses: [.json([:], status: 404), .json([:])])
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let api = try Session(baseURL: "https://api.example.com") {
            $0.adapters = [AttemptNumber()]
            $0.retriers = [ReplicaRetrier()]
        }

        #expect(try await api.get("orders/7").status == 200)
        #expect(mock.requests.map { $0.headers["X-Attempt"] } == ["1", "2"])
    }

    @Test("A circuit breaker and a rate limit")
    func traffic() async throws {
        let counter = Counter()
        let mock = MockTransport { _ in
            counter.add(1)
            return .json([:], status: counter.value > 1 ? 500 : 200)
        }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let api = try Session(baseURL: "https://api.example.com") {
            $0.limits.circuitBreaker = CircuitBreaker(failures: 5, openTime: .seconds(30))
            $0.limits.rate = RateLimit(requests: 10, per: .seconds(1), burst: 20)
        }
        do {
            try await api.get("report")
        } catch let error as SternaError where error.kind == .trafficLimited {
            print(error.message)  // nothing was sent
        }

        for _ in 0..<5 { await #expect(throws: SternaError.self) { try await api.get("report") } }
        let error = await #expect(throws: SternaError.self) { try await api.get("report") }
        #expect(error?.kind == .trafficLimited)
        #expect(mock.requests.count == 6)
    }

    @Test("A hedging policy")
    func hedging() async throws {
        let mock = MockTransport { _ in .json([:]) }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let hedging = HedgingPolicy(after: .percentile(95))  // or .fixed(.milliseconds(200))
        let api = try Session(baseURL: "https://api.example.com") { $0.network.hedging = hedging }
        try await api.get("search", parameters: ["q": "tern"])
        try await api.get("live") { $0.network.hedging = .off }

        #expect(mock.requests.map(\.url.path) == ["/search", "/live"])
    }

    @Test("An adaptive concurrency limit")
    func adaptiveConcurrency() async throws {
        let mock = MockTransport { _ in .json([:]) }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let limit = AdaptiveConcurrencyLimit(minLimit: 2, maxLimit: 100, longestWait: .seconds(5))
        let api = try Session(baseURL: "https://api.example.com") { $0.limits.concurrency = limit }

        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<30 { group.addTask { try await api.get("report").status } }
            for try await status in group { #expect(status == 200) }
        }
        #expect(mock.requests.count == 30)
    }
}
