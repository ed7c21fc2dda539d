import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// Circuit breakers and rate limits of sessions.
@Suite("Traffic control", .timeLimit(.minutes(5)))
struct TrafficControlTests {
    private let scene = RetryScene()

    @Test("An open circuit sends nothing, for its origin alone; a probe closes it")
    func circuit() async throws {
        let isDown = Mutex(true)
        let breaker = CircuitBreaker(failures: 2, openTime: .seconds(30))
        let (api, mock) = try scene.make({
            $0.retry = .none
            $0.limits.circuitBreaker = breaker
            $0.network.allowsOtherOrigins = true
        }) { request, _ in
            guard request.url.host == "api.example.com", isDown.withLock({ $0 }) else { return .json([:]) }
            throw RetryScene.closed
        }
        let derived = api.with { $0.headers["X-Own"] = "1" }
        for _ in 0..<2 { await #expect(throws: SternaError.self) { try await api.get("a") } }
        let refused = await #expect(throws: SternaError.self) { try await derived.get("a") }
        expectEqual(refused?.kind, .trafficLimited)
        #expect(refused?.detail.contains("https://api.example.com") == true)
        expectEqual(refused?.detail.contains("30 s"), true)
        expectEqual(mock.requests.count, 2)
        #expect(try await api.get("https://other.example.com/").status == 200)
        await scene.time.advance(by: .seconds(30))
        await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(mock.requests.count, 4)
        await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(mock.requests.count, 4)
        isDown.withLock { $0 = false }
        await scene.time.advance(by: .seconds(30))
        for _ in 0..<3 { try await expectEqual(api.get("a").status, 200) }
        expectEqual(mock.requests.count, 7)
    }

    @Test("Statuses open a circuit, too, and retries count")
    func statuses() async throws {
        let (api, mock) = try scene.make({
            $0.limits.circuitBreaker = CircuitBreaker(failures: 2)
            $0.retry = .transient
            $0.retry.limit = 9
        }) { _, _ in .json([:], status: 502) }
        let error = try await scene.run { await #expect(throws: SternaError.self) { try await api.get("a") } }
        expectEqual(error?.kind, .trafficLimited)
        expectEqual(mock.requests.count, 2)
    }

    @Test("Requests that give up cost nothing: cancelled ones, and those whose deadline comes before their turn")
    func notCounted() async throws {
        let limit = RateLimit(requests: 1, per: .seconds(1))
        let (api, mock) = try scene.make({ $0.limits.rate = limit }) { _, _ in .json([:]) }
        try await api.get("a")
        let tasks = (0..<5).map { _ in api.dataTask(.get("b")) }
        #expect(await eventually { scene.time.timerCount == 5 })
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: SternaError.self) { try await task.value } }
        for _ in 0..<5 {
            let error = await #expect(throws: SternaError.self) {
                try await api.get("c") { $0.deadline = scene.time.deadline + .milliseconds(500) }
            }
            expectEqual(error?.kind, .trafficLimited)
        }
        expectEqual(mock.requests.count, 1)
        let last = Task { try await api.get("d").status }
        await scene.time.waitForTimer(within: .seconds(1))
        await scene.time.advance(by: .seconds(1))
        try await expectEqual(last.value, 200)
    }

    @Test("A 429 holds back the requests that wait already")
    func heldWhileWaiting() async throws {
        let limit = RateLimit(requests: 1, per: .seconds(1))
        let held = Gate()
        let (api, mock) = try scene.make({
            $0.retry = .none
            $0.limits.rate = limit
        }) { _, number in
            guard number == 0 else { return .json([:]) }
            await held.wait()
            return RetryScene.later("7", status: 429)
        }
        let first = Task { try await api.get("a") }
        #expect(await eventually { mock.requests.count == 1 })
        let second = Task { try await api.get("b").status }
        await scene.time.waitForTimer(within: .seconds(1))
        held.open()
        await #expect(throws: SternaError.self) { try await first.value }
        await scene.time.advance(by: .seconds(1))
        // The wait for its turn is over; that for the server begins.
        await scene.time.waitForTimer(within: .seconds(6))
        expectEqual(mock.requests.count, 1)
        await scene.time.advance(by: .seconds(6))
        try await expectEqual(second.value, 200)
    }

    @Test("A login server that fails, and a wait for its token, do not open the circuit of the API")
    func login() async throws {
        let failure = SternaError(.connectionFailed, phase: .connect, "The login server is down.")
        let isDown = Mutex(true)
        let tokens = try TokenAuthentication(for: ["https://api.example.com"]) { _ in
            if isDown.withLock({ $0 }) { throw failure }
            return AccessToken("t1")
        }
        let (api, mock) = try scene.make({
            $0.retry = .none
            $0.auth.tokens = tokens
            $0.limits.circuitBreaker = CircuitBreaker(failures: 1)
        }) { _, _ in .json([:]) }
        for _ in 0..<3 {
            let error = await #expect(throws: SternaError.self) { try await api.get("a") }
            expectEqual(error?.kind, .connectionFailed)
        }
        #expect(mock.requests.isEmpty)
        isDown.withLock { $0 = false }
        try await expectEqual(api.get("a").status, 200)
    }

    @Test("Requests beyond the rate wait for their turn")
    func rate() async throws {
        let limit = RateLimit(requests: 2, per: .seconds(1))
        let (api, mock) = try scene.make({ $0.limits.rate = limit }) { _, _ in .json([:]) }
        let before = scene.time.now
        _ = try await scene.run { for _ in 0..<6 { try await api.get("a") } }
        let passed = scene.time.now - before
        #expect(passed >= .seconds(2))
        expectEqual(mock.requests.count, 6)
    }

    @Test(
        "A refusal says when the request would be allowed, also within a second",
        arguments: [(500, "500 ms"), (1_000, "1 s"), (1_500, "2 s")])
    func refusal(milliseconds: Int, expected: String) async throws {
        let limit = RateLimit(requests: 1, per: .milliseconds(milliseconds), longestWait: .milliseconds(10))
        let (api, mock) = try scene.make({
            $0.retry = .none
            $0.limits.rate = limit
        }) { _, _ in .json([:]) }
        _ = try await api.get("a")
        let error = await #expect(throws: SternaError.self) { try await api.get("b") }
        expectEqual(error?.kind, .trafficLimited)
        expectEqual(error?.detail.contains(" in \(expected), which is too late."), true)
        expectEqual(mock.requests.count, 1)
    }

    @Test("A 429 and an exhausted RateLimit hold back what follows")
    func held() async throws {
        let limit = RateLimit(requests: 1_000, per: .seconds(1))
        let (api, mock) = try scene.make({
            $0.retry = .none
            $0.limits.rate = limit
        }) { _, number in
            switch number {
            case 0: RetryScene.later("7", status: 429)
            case 1: .init(headers: ["RateLimit": #""default";r=0;t=20"#])
            default: .json([:])
            }
        }
        await #expect(throws: SternaError.self) { try await api.get("a") }
        let before = scene.time.now
        _ = try await scene.run { try await api.get("b") { $0.responseSerializer = .data } }
        #expect(scene.time.now - before >= .seconds(7))
        let hurried = await #expect(throws: SternaError.self) {
            try await api.get("c") { $0.deadline = scene.time.deadline + .seconds(5) }
        }
        expectEqual(hurried?.kind, .trafficLimited)
        expectEqual(mock.requests.count, 2)
    }
}
