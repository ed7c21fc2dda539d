import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// Retries of verbs, on a clock that moves only while a request waits.
@Suite("Retries", .timeLimit(.minutes(5)))
struct RetryInterceptorTests {
    private let scene = RetryScene()

    @Test("By default an idempotent request is sent up to three times after connection failures")
    func standard() async throws {
        let (api, mock) = try scene.make { _, number in
            guard number == 2 else { throw RetryScene.closed }
            return .text("done")
        }
        let text = try await scene.run { try await api.get("a") { $0.responseSerializer = .text }.text() }
        expectEqual(text, "done")
        expectEqual(mock.requests.map(\.url.path), ["/v1/a", "/v1/a", "/v1/a"])
    }

    @Test("The error of the last attempt is the caller's, with its number")
    func lastError() async throws {
        let (api, mock) = try scene.make { _, _ in throw RetryScene.closed }
        let error = try await scene.run {
            await #expect(throws: SternaError.self) { try await api.get("a") }
        }
        expectEqual(error?.kind, .connectionClosed)
        expectEqual(error?.attempt, 3)
        expectEqual(mock.requests.count, 3)
    }

    @Test("POST is not retried, and `.none` retries nothing")
    func notRetried() async throws {
        let (api, mock) = try scene.make { _, _ in throw RetryScene.closed }
        let plain = api.with { $0.retry = .none }
        _ = try await scene.run {
            await #expect(throws: SternaError.self) { try await api.post("a", parameters: ["b": 1]) }
            await #expect(throws: SternaError.self) { try await plain.get("a") }
            await #expect(throws: SternaError.self) { try await api.get("a") { $0.retry = RetryPolicy.none } }
        }
        expectEqual(mock.requests.count, 3)
    }

    @Test("A request has a policy of its own, in a session that retries nothing")
    func ownPolicy() async throws {
        let (api, mock) = try scene.make({ $0.retry = .none }) { _, number in
            number < 2 ? .json([:], status: 500) : .json(["a": 1])
        }
        let status = try await scene.run { try await api.get("a") { $0.retry = .transient }.status }
        expectEqual(status, 200)
        expectEqual(mock.requests.count, 3)
    }

    @Test("Retry-After is waited for up to 30 s; a longer one returns the response at once")
    func retryAfter() async throws {
        let (api, mock) = try scene.make { request, number in
            if request.url.path.hasSuffix("long") { return RetryScene.later("31", status: 429) }
            return number == 0 ? RetryScene.later("30") : .json([:])
        }
        let before = scene.time.now
        try await expectEqual(scene.run { try await api.get("short").status }, 200)
        let waited = scene.time.now - before
        #expect(waited >= .seconds(30) && waited < .seconds(31))
        let (count, moment) = (mock.requests.count, scene.time.now)
        let error = try await scene.run { await #expect(throws: SternaError.self) { try await api.get("long") } }
        expectEqual(error?.status, 429)
        expectEqual(mock.requests.count, count + 1)
        expectEqual(scene.time.now, moment)
    }

    @Test("The deadline is never passed", arguments: [1, 4, 9])
    func deadline(seconds: Int) async throws {
        let (api, mock) = try scene.make({
            $0.retry.limit = 100
            $0.retry.budget = nil
        }) { _, _ in RetryScene.later("2") }
        let deadline = scene.time.deadline + .seconds(seconds)
        let error = try await scene.run {
            await #expect(throws: SternaError.self) { try await api.get("a") { $0.deadline = deadline } }
        }
        expectEqual(error?.status, 503)
        #expect(scene.time.deadline < deadline)
        expectEqual(mock.requests.count, (seconds + 1) / 2)
    }

    @Test("A body that breaks off while it is collected is requested again", arguments: [true, false])
    func brokenBody(hasInterceptor: Bool) async throws {
        let (api, mock) = try scene.make({
            if hasInterceptor { $0.interceptors = [Doing { request, next in try await next(request) }] }
        }) { _, number in number == 0 ? BrokenBody.answer : .text("whole") }
        let text = try await scene.run { try await api.get("a") { $0.responseSerializer = .text }.text() }
        expectEqual(text, "whole")
        expectEqual(mock.requests.count, 2)
    }

    @Test("A body of a task breaks off, too; its progress begins anew")
    func brokenTask() async throws {
        let (api, mock) = try scene.make { _, number in number == 0 ? BrokenBody.answer : .text("whole") }
        let task = api.dataTask(.get("a"))
        let body = try await scene.run { try await task.value.body }
        expectEqual(body, Bytes(text: "whole"))
        expectEqual(mock.requests.count, 2)
    }

    @Test("A stream that the caller has is not requested again")
    func stream() async throws {
        let (api, mock) = try scene.make { _, _ in BrokenBody.answer }
        let error = try await scene.run {
            await #expect(throws: SternaError.self) {
                try await api.withResponse(to: .get("a")) { response in
                    for try await _ in response.body {}
                }
            }
        }
        expectEqual(error?.kind, .truncated)
        expectEqual(mock.requests.count, 1)
    }

    @Test("A body that can be read once is not sent again, one that can is")
    func bodies() async throws {
        let (api, mock) = try scene.make { _, _ in throw RetryScene.closed }
        _ = try await scene.run {
            await #expect(throws: SternaError.self) {
                try await api.put("a", body: .stream(AsyncStream<Bytes> { $0.finish() }))
            }
            await #expect(throws: SternaError.self) { try await api.put("b", body: .bytes([1, 2])) }
        }
        expectEqual(mock.requests.map(\.url.path), ["/v1/a", "/v1/b", "/v1/b", "/v1/b"])
    }

    @Test("A key makes POST idempotent, and is the same for all retries")
    func idempotencyKey() async throws {
        let name = try #require(HTTPField.Name("Idempotency-Key"))
        let (api, mock) = try scene.make({ $0.retry.addsIdempotencyKey = true }) { _, number in
            guard number % 2 == 1 else { throw RetryScene.closed }
            return .json([:])
        }
        _ = try await scene.run {
            try await api.post("a", parameters: ["b": 1])
            try await api.post("a", parameters: ["b": 1])
            try await api.post("a", parameters: ["b": 1], headers: ["Idempotency-Key": "own"])
            try await api.get("a")
        }
        let keys = mock.requests.map { $0.headers[name] }
        try #require(keys.count == 8)
        expectEqual(keys[0]?.count, 36)
        #expect(keys[0] == keys[1] && keys[2] == keys[3] && keys[0] != keys[2])
        #expect(keys[4] == "own" && keys[5] == "own")
        #expect(keys[6] == nil && keys[7] == nil)
    }

    @Test("The target of a redirect is retried, not the whole call")
    func redirect() async throws {
        let (api, mock) = try scene.make { _, number in
            switch number {
            case 0: return .redirect(to: "/b")
            case 1: throw RetryScene.closed
            default: return .json([:])
            }
        }
        let redirects = try await scene.run { try await api.get("a").response.redirects.count }
        expectEqual(redirects, 1)
        expectEqual(mock.requests.map(\.url.path), ["/v1/a", "/b", "/b"])
    }

    @Test("The limit holds for a request with its redirects, however it is followed", arguments: [false, true])
    func limitOverRedirects(hasHandler: Bool) async throws {
        let (api, mock) = try scene.make({
            $0.retry.limit = 3
            if hasHandler { $0.redirectHandler = { _, proposed in .follow(proposed) } }
        }) { request, number in
            switch request.url.path {
            case "/v1/a" where number == 1: .redirect(to: "/b")
            case "/b" where number == 3: .redirect(to: "/c")
            case "/c" where number == 4: .redirect(to: "/d")
            default: throw RetryScene.closed
            }
        }
        _ = try await scene.run { await #expect(throws: SternaError.self) { try await api.get("a") } }
        expectEqual(mock.requests.map(\.url.path), ["/v1/a", "/v1/a", "/b", "/b", "/c", "/d", "/d"])
    }

    @Test(
        "A response counts the retries before its redirect, whether its own request was retried or not",
        arguments: [0, 1], [false, true])
    func retriesBeforeRedirect(own: Int, hasHistory: Bool) async throws {
        let (api, mock) = try scene.make({
            if hasHistory { $0.retry.totalTime = .seconds(60) }
        }) { _, number in
            switch number {
            case 1: return .redirect(to: "/b")
            case 2 + own: return .json([:])
            default: throw RetryScene.closed
            }
        }
        let retries = try await scene.run { try await api.get("a").response.retries }
        expectEqual(retries, 1 + own)
        expectEqual(mock.requests.count, 3 + own)
    }

    @Test("The total time goes on after a redirect")
    func totalTime() async throws {
        let (api, mock) = try scene.make({
            $0.retry.limit = 9
            $0.retry.totalTime = .seconds(10)
        }) { _, number in number == 1 ? .redirect(to: "/b") : RetryScene.later("4") }
        let error = try await scene.run { await #expect(throws: SternaError.self) { try await api.get("a") } }
        expectEqual(error?.status, 503)
        expectEqual(mock.requests.map(\.url.path), ["/v1/a", "/v1/a", "/b", "/b"])
    }

    @Test("An added key is the same after a redirect that repeats the request")
    func redirectedKey() async throws {
        let name = try #require(HTTPField.Name("Idempotency-Key"))
        let (api, mock) = try scene.make({ $0.retry.addsIdempotencyKey = true }) { _, number in
            switch number {
            case 0: return .redirect(to: "/b", status: 307)
            case 1: throw RetryScene.closed
            default: return .json([:])
            }
        }
        _ = try await scene.run { try await api.post("a", parameters: ["b": 1]) }
        let keys = mock.requests.map { $0.headers[name] }
        expectEqual(keys.count, 3)
        #expect(Set(keys).count == 1 && keys.first??.count == 36)
    }

    @Test("Metrics name the reason of an attempt, and an event tells of the wait")
    func reported() async throws {
        let log = EventLog(.network)
        try await TestServer.withServer { server in
            let count = Mutex(0)
            server.route("GET", "/busy") { _ in
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                return isFirst ? .text("later", status: 503, headers: ["Retry-After": "0"]) : .text("done")
            }
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.events.observers = [log.observer]
                $0.retry.backoff = .constant(.milliseconds(2))
                $0.responseSerializer = .text
            }
            let reply = try await api.get("busy")
            try await expectEqual(reply.text(), "done")
            expectEqual(reply.response.metrics?.attempts.map(\.reason), [.first, .retry])
            expectEqual(reply.response.metrics?.retryCount, 1)
            await api.flushEvents()
        }
        let lines = log.events.compactMap { event -> String? in
            guard case .retryScheduled(let retry) = event.kind else { return nil }
            return "\(event.attempt): \(retry.reason), retry \(retry.number) after \(retry.delay)"
        }
        expectEqual(lines, ["1: status 503, retry 1 after 0.002 seconds"])
    }
}
