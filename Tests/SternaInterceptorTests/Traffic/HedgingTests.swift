import HTTPTypes
import NIOCore
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// Hedged requests of sessions.
@Suite("Hedging: sessions", .timeLimit(.minutes(5)))
struct HedgingTests {
    private let scene = RetryScene()

    /// Never answers; a copy that loses is cancelled here.
    private static func hang(_ cancelled: Counter? = nil) async throws {
        do {
            try await Task.sleep(for: .seconds(3_600))
        } catch {
            cancelled?.add(1)
            throw error
        }
    }

    private static func copy(_ number: Int) -> ServerResponse { .json(["copy": .string("\(number)")]) }

    private func make(
        _ hedging: HedgingPolicy, _ answer: @escaping @Sendable (Request, Int) async throws -> ServerResponse
    ) throws -> (api: Session, mock: MockTransport) {
        try scene.make(
            {
                $0.retry = .none
                $0.network.hedging = hedging
            }, answer)
    }

    @Test("A late request is sent once more; the first response is delivered, and the other copy cancelled")
    func late() async throws {
        let cancelled = Counter()
        let (api, mock) = try make(HedgingPolicy(after: .fixed(.milliseconds(100)))) { _, number in
            if number == 0 { try await Self.hang(cancelled) }
            return Self.copy(number)
        }
        let work = Task { try await api.get("a").json() }
        await scene.time.waitForTimer(within: .milliseconds(100))
        await scene.time.advance(by: .milliseconds(99))
        // The task that sends the first copy may begin after the timer is set.
        let isSent = await eventually { mock.requests.count == 1 }
        #expect(isSent)
        await scene.time.advance(by: .milliseconds(1))
        try await expectEqual(work.value["copy"], "1")
        expectEqual(mock.requests.count, 2)
        expectEqual(mock.requests.first?.headers, mock.requests.last?.headers)
        // The loser has ended before the winner is delivered.
        expectEqual(cancelled.value, 1)
        expectEqual(scene.time.timerCount, 0)
    }

    @Test("The first copy may still win, and a quick request is not hedged")
    func firstWins() async throws {
        let (held, cancelled) = (Gate(), Counter())
        let (api, mock) = try make(HedgingPolicy(after: .fixed(.milliseconds(100)))) { _, number in
            if number == 0 { await held.wait() }
            if number == 1 { try await Self.hang(cancelled) }
            return Self.copy(number)
        }
        let work = Task { try await api.get("a").json() }
        await scene.time.waitForTimer(within: .milliseconds(100))
        await scene.time.advance(by: .milliseconds(100))
        #expect(await eventually { mock.requests.count == 2 })
        held.open()
        try await expectEqual(work.value["copy"], "0")
        expectEqual(cancelled.value, 1)
        try await expectEqual(api.get("b").json()["copy"], "2")
        expectEqual(mock.requests.count, 3)
        expectEqual(scene.time.timerCount, 0)
    }

    @Test("As many hedges as the policy allows, one after another")
    func several() async throws {
        let cancelled = Counter()
        let policy = HedgingPolicy(after: .fixed(.milliseconds(100)), limit: 2, budget: nil)
        let (api, mock) = try make(policy) { _, number in
            if number < 2 { try await Self.hang(cancelled) }
            return Self.copy(number)
        }
        let work = Task { try await api.get("a").json() }
        for _ in 0..<2 {
            await scene.time.waitForTimer(within: .milliseconds(100))
            await scene.time.advance(by: .milliseconds(100))
        }
        try await expectEqual(work.value["copy"], "2")
        expectEqual(mock.requests.count, 3)
        expectEqual(cancelled.value, 2)
    }

    @Test("Requests that are not idempotent, opt out, or have an earlier deadline are not hedged", arguments: 0..<4)
    func excluded(way: Int) async throws {
        let held = Gate()
        let (api, mock) = try make(HedgingPolicy(after: .fixed(.milliseconds(100)))) { _, number in
            await held.wait()
            return Self.copy(number)
        }
        let derived = api.with { $0.network.hedging = nil }
        let work = Task {
            switch way {
            case 0: return try await api.post("a", parameters: ["b": 1]).status
            case 1: return try await api.get("a") { $0.network.hedging = .off }.status
            case 2: return try await api.get("a") { $0.deadline = scene.time.deadline + .milliseconds(100) }.status
            default: return try await derived.get("a").status
            }
        }
        #expect(await eventually { mock.requests.count == 1 })
        expectEqual(scene.time.timerCount, 0)
        held.open()
        try await expectEqual(work.value, 200)
        expectEqual(mock.requests.count, 1)
    }

    @Test("A request may be hedged in a session that hedges nothing")
    func ownPolicy() async throws {
        let (api, mock) = try scene.make({ $0.retry = .none }) { _, number in
            if number == 0 { try await Self.hang() }
            return Self.copy(number)
        }
        let policy = HedgingPolicy(after: .fixed(.milliseconds(100)))
        let work = Task { try await api.get("a") { $0.network.hedging = policy }.json() }
        await scene.time.waitForTimer(within: .milliseconds(100))
        await scene.time.advance(by: .milliseconds(100))
        try await expectEqual(work.value["copy"], "1")
        expectEqual(mock.requests.count, 2)
    }

    @Test("A copy that fails leaves it to the other one", arguments: [0, 1])
    func oneFails(failing: Int) async throws {
        let (fail, answer) = (Gate(), Gate())
        let (api, mock) = try make(HedgingPolicy(after: .fixed(.milliseconds(100)))) { _, number in
            guard number == failing else {
                await answer.wait()
                return Self.copy(number)
            }
            await fail.wait()
            answer.open()
            throw RetryScene.closed
        }
        let work = Task { try await api.get("a").json() }
        await scene.time.waitForTimer(within: .milliseconds(100))
        await scene.time.advance(by: .milliseconds(100))
        #expect(await eventually { mock.requests.count == 2 })
        fail.open()
        try await expectEqual(work.value["copy"], .string("\(1 - failing)"))
    }

    @Test("If all fail, the first copy's error is thrown")
    func allFail() async throws {
        let fail = Gate()
        let (api, mock) = try make(HedgingPolicy(after: .fixed(.milliseconds(100)))) { _, number in
            guard number == 0 else { throw RetryScene.closed }
            await fail.wait()
            throw SternaError(.timedOut, phase: .wait, "The first copy was too late.")
        }
        let work = Task { try await api.get("a") }
        await scene.time.waitForTimer(within: .milliseconds(100))
        await scene.time.advance(by: .milliseconds(100))
        #expect(await eventually { mock.requests.count == 2 })
        fail.open()
        let error = await #expect(throws: SternaError.self) { try await work.value }
        expectEqual(error?.kind, .timedOut)
        expectEqual(error?.detail, "The first copy was too late.")
    }

    @Test("A 503 waits for the other copy, its body is released, and its origin is sent no hedges for its Retry-After")
    func pushback() async throws {
        let (held, body) = (Gate(), CancelledBody())
        let origin = try HTTPURL("https://api.example.com").origin
        let late = HedgingPolicy(after: .fixed(.milliseconds(100)), budget: nil)
        let (api, mock) = try make(late) { _, number in
            switch number {
            case 0:
                await held.wait()
                return Self.copy(0)
            case 1: return .init(status: 503, headers: ["Retry-After": "7"], body: ResponseBody(body))
            case 2: return Self.copy(2)
            case 3: try await Self.hang()
            default: break
            }
            return Self.copy(number)
        }
        let work = Task { try await api.get("a").json() }
        await scene.time.waitForTimer(within: .milliseconds(100))
        await scene.time.advance(by: .milliseconds(100))
        #expect(await eventually { mock.requests.count == 2 })
        // The answer of the first copy is as good as lost until the 503 was noted.
        #expect(await eventually { late.update(origin) { $0.isHeld(at: scene.time.now) } })
        held.open()
        try await expectEqual(work.value["copy"], "0")
        #expect(body.isCancelled)
        try await expectEqual(api.get("b").json()["copy"], "2")
        expectEqual(scene.time.timerCount, 0)
        await scene.time.advance(by: .seconds(7))
        let next = Task { try await api.get("c").json() }
        await scene.time.waitForTimer(within: .milliseconds(100))
        await scene.time.advance(by: .milliseconds(100))
        try await expectEqual(next.value["copy"], "4")
    }

    @Test("The budget of an origin bounds its hedges")
    func budget() async throws {
        let held = Gate()
        let policy = HedgingPolicy(after: .fixed(.milliseconds(100)), budget: RetryBudget(share: 0, floor: 1))
        let (api, mock) = try make(policy) { request, number in
            if request.url.path.hasSuffix("held") { await held.wait() }
            if number == 0 { try await Self.hang() }
            return Self.copy(number)
        }
        let first = Task { try await api.get("a").json() }
        await scene.time.waitForTimer(within: .milliseconds(100))
        await scene.time.advance(by: .milliseconds(100))
        try await expectEqual(first.value["copy"], "1")
        let second = Task { try await api.get("held").json() }
        await scene.time.waitForTimer(within: .milliseconds(100))
        await scene.time.advance(by: .milliseconds(100))
        held.open()
        try await expectEqual(second.value["copy"], "2")
        expectEqual(mock.requests.count, 3)
    }

    @Test("The delay follows the origin's own times")
    func percentile() async throws {
        let policy = HedgingPolicy(after: .percentile(95, floor: .milliseconds(50), samples: 5))
        let (api, mock) = try make(policy) { request, number in
            if request.url.path.hasSuffix("late"), number == 5 { try await Self.hang() }
            return Self.copy(number)
        }
        for _ in 0..<5 { try await api.get("a") }
        let work = Task { try await api.get("late").json() }
        await scene.time.waitForTimer(within: .milliseconds(50))
        await scene.time.advance(by: .milliseconds(50))
        try await expectEqual(work.value["copy"], "6")
        expectEqual(mock.requests.count, 7)
    }

    @Test("Cancellation reaches all copies", arguments: [true, false])
    func cancellation(ofTask: Bool) async throws {
        let cancelled = Counter()
        let (api, mock) = try make(HedgingPolicy(after: .fixed(.milliseconds(100)))) { _, number in
            try await Self.hang(cancelled)
            return Self.copy(number)
        }
        let task = ofTask ? api.dataTask(.get("a")) : nil
        let verb = ofTask ? nil : Task { try await api.get("a") }
        await scene.time.waitForTimer(within: .milliseconds(100))
        await scene.time.advance(by: .milliseconds(100))
        #expect(await eventually { mock.requests.count == 2 })
        task?.cancel()
        verb?.cancel()
        let error = await #expect(throws: SternaError.self) {
            _ = try await task?.value
            _ = try await verb?.value
        }
        expectEqual(error?.kind, .cancelled)
        #expect(await eventually { cancelled.value == 2 && scene.time.timerCount == 0 })
    }

    @Test(
        "Copies go over connections of their own, and the loser's is given up; metrics name the hedge",
        arguments: [false, true])
    func sockets(overHTTP2: Bool) async throws {
        let options = overHTTP2 ? TestServer.Options(http2: .byPriorKnowledge) : TestServer.Options()
        try await TestServer.withServer(options) { server in
            let (held, time) = (Gate(), scene.time)
            let count = Mutex(0)
            server.route("GET", "/late") { _ in
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                if isFirst { await held.wait() }
                return .text("done")
            }
            let api = try Session(baseURL: server.url) {
                var options = EngineOptions()
                options.clock = time.clock
                $0.network.engine = Engine(options: options)
                $0.events.collectsMetrics = true
                $0.responseSerializer = .text
                if overHTTP2 { $0.network.http2 = .priorKnowledge }
                $0.network.hedging = HedgingPolicy(after: .fixed(.milliseconds(50)), budget: nil)
            }
            let work = Task { try await api.get("late") }
            #expect(await eventually { count.withLock { $0 } == 1 })
            await time.advance(by: .milliseconds(50))
            let reply = try await work.value
            try await expectEqual(reply.text(), "done")
            let metrics = try #require(reply.response.metrics)
            expectEqual(metrics.attempts.map(\.reason), [.first, .hedge])
            expectEqual(metrics.attempts.map(\.failure), [.cancelled, nil])
            expectEqual(metrics.hedgeCount, 1)
            expectEqual(metrics.retryCount, 0)
            expectEqual(metrics.attempts.map(\.decodedBytes), [0, 4])
            held.open()
            try await expectEqual(api.get("late").status, 200)
        }
    }
}

/// A body that is not read, but cancelled.
private final class CancelledBody: BodyStream {
    private let state = Mutex(false)
    var isCancelled: Bool { state.withLock { $0 } }

    func next() async throws -> Bytes? { nil }
    func cancel() { state.withLock { $0 = true } }
    var length: Int64? { nil }
    var trailers: HTTPFields? { nil }
}
