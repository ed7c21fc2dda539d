import HTTPTypes
import NIOCore
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// Adaptive concurrency limits of sessions.
@Suite("Adaptive concurrency limit: sessions", .timeLimit(.minutes(5)))
struct AdaptiveConcurrencyTests {
    private let scene = RetryScene()

    private func gate(_ limit: AdaptiveConcurrencyLimit) throws -> ConcurrencyGate {
        limit.gate(try HTTPURL("https://api.example.com").origin)
    }

    @Test("Few requests at a time at first; the others follow in order, and the limit grows")
    func order() async throws {
        let limit = AdaptiveConcurrencyLimit()
        let gate = try gate(limit)
        let held = Gate()
        let (api, mock) = try scene.make({ $0.limits.concurrency = limit }) { _, _ in
            await held.wait()
            return .json([:])
        }
        var tasks: [Task<Int, any Error>] = []
        for number in 0..<12 {
            tasks.append(Task { try await api.get("\(number)").status })
            #expect(
                await eventually { mock.requests.count == min(number + 1, 3) && gate.waiting == max(number - 2, 0) })
        }
        for number in 12..<60 { tasks.append(Task { try await api.get("\(number)").status }) }
        #expect(await eventually { gate.waiting == 57 })
        held.open()
        for task in tasks { try await expectEqual(task.value, 200) }
        // Requests that have a place at the same time may overtake each other on their way.
        let paths = mock.requests.map(\.url.path)
        expectEqual(paths.prefix(3), ["/v1/0", "/v1/1", "/v1/2"])
        expectEqual(Set(paths), Set((0..<60).map { "/v1/\($0)" }))
        expectEqual(gate.inFlight, 0)
        expectEqual(scene.time.timerCount, 0)
        #expect(gate.limit > 3)
    }

    @Test("Too many that wait, and too long a wait")
    func refusals() async throws {
        let limit = AdaptiveConcurrencyLimit(maxLimit: 1, maximumWaiting: 1, longestWait: .seconds(5))
        let gate = try gate(limit)
        let held = Gate()
        let (api, mock) = try scene.make({ $0.limits.concurrency = limit }) { request, _ in
            if request.url.path.hasSuffix("held") { await held.wait() }
            return .json([:])
        }
        let first = Task { try await api.get("held") }
        #expect(await eventually { mock.requests.count == 1 })
        let second = Task { try await api.get("second") }
        await scene.time.waitForTimer(within: .seconds(5))
        let full = await #expect(throws: SternaError.self) { try await api.get("third") }
        expectEqual(full?.kind, .trafficLimited)
        expectEqual(full?.detail.contains("1 others wait"), true)
        #expect(full?.detail.contains("https://api.example.com") == true)
        await scene.time.advance(by: .seconds(5))
        let late = await #expect(throws: SternaError.self) { try await second.value }
        expectEqual(late?.kind, .trafficLimited)
        expectEqual(late?.requestSent, false)
        let hurried = Task {
            try await api.get("hurried") { $0.deadline = scene.time.deadline + .seconds(2) }
        }
        await scene.time.waitForTimer(within: .seconds(2))
        await scene.time.advance(by: .seconds(2))
        let passed = await #expect(throws: SternaError.self) { try await hurried.value }
        expectEqual(passed?.kind, .timedOut)
        expectEqual(mock.requests.count, 1)
        expectEqual(gate.waiting, 0)
        held.open()
        _ = try await first.value
        try await expectEqual(api.get("fourth").status, 200)
        expectEqual(gate.inFlight, 0)
    }

    @Test("Cancelled requests give their places up: those that wait, and those under way")
    func cancellation() async throws {
        let limit = AdaptiveConcurrencyLimit(maxLimit: 1)
        let gate = try gate(limit)
        let (api, mock) = try scene.make({ $0.limits.concurrency = limit }) { request, _ in
            if request.url.path.hasSuffix("held") { try await Task.sleep(for: .seconds(3_600)) }
            return .json([:])
        }
        let first = api.dataTask(.get("held"))
        #expect(await eventually { mock.requests.count == 1 })
        let waiting = (0..<5).map { api.dataTask(.get("\($0)")) }
        #expect(await eventually { gate.waiting == 5 })
        for task in waiting.prefix(4) { task.cancel() }
        for task in waiting.prefix(4) {
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
        }
        expectEqual(gate.waiting, 1)
        first.cancel()
        await #expect(throws: SternaError.self) { try await first.value }
        try await expectEqual(waiting[4].value.status, 200)
        expectEqual(mock.requests.map(\.url.path), ["/v1/held", "/v1/4"])
        expectEqual(gate.inFlight, 0)
    }

    @Test("No place is lost, and each request ends, whatever is cancelled when", arguments: 1...3)
    func random(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let limit = AdaptiveConcurrencyLimit(maxLimit: 4, maximumWaiting: 20, longestWait: .seconds(60))
        let gate = try gate(limit)
        let (api, _) = try scene.make({
            $0.retry = .none
            $0.limits.concurrency = limit
        }) { _, number in
            if number % 3 == 0 { await Task.yield() }
            if number % 7 == 0 { throw RetryScene.closed }
            if number % 5 == 0 { try await Task.sleep(for: .milliseconds(1)) }
            return .json([:], status: number % 11 == 0 ? 503 : 200)
        }
        var tasks: [Task<Bool, Never>] = []
        for number in 0..<120 {
            tasks.append(
                Task {
                    do {
                        try await api.get("\(number)")
                        return true
                    } catch let error as SternaError {
                        // Too many may wait; all others were answered, cancelled, or failed by the mock.
                        return [.cancelled, .trafficLimited, .connectionClosed, .unacceptableStatus].contains(
                            error.kind)
                    } catch {
                        return false
                    }
                })
            if Bool.random(using: &random) { tasks.randomElement(using: &random)?.cancel() }
            if Int.random(in: 0..<4, using: &random) == 0 { await Task.yield() }
        }
        for task in tasks { #expect(await task.value) }
        expectEqual(gate.inFlight, 0)
        expectEqual(gate.waiting, 0)
        expectEqual(scene.time.timerCount, 0)
    }

    @Test("Overload lowers the limit of its origin alone")
    func overload() async throws {
        let limit = AdaptiveConcurrencyLimit()
        let gate = try gate(limit)
        let other = limit.gate(try HTTPURL("https://other.example.com").origin)
        let isDown = Mutex(false)
        let held = Gate()
        let (api, _) = try scene.make({
            $0.retry = .none
            $0.limits.concurrency = limit
            $0.network.allowsOtherOrigins = true
        }) { request, _ in
            await held.wait()
            guard request.url.host == "api.example.com" else { return .json([:]) }
            return .json([:], status: isDown.withLock { $0 } ? 503 : 200)
        }
        let tasks = (0..<120).map { number in
            Task { try await api.get(number % 2 == 0 ? "a" : "https://other.example.com/").status }
        }
        #expect(await eventually { gate.waiting == 57 && other.waiting == 57 })
        held.open()
        for task in tasks { try await expectEqual(task.value, 200) }
        let before = (gate.limit, other.limit)
        #expect(before.0 > 3)
        isDown.withLock { $0 = true }
        for _ in 0..<20 {
            await scene.time.advance(by: .seconds(1))
            await #expect(throws: SternaError.self) { try await api.get("a") }
        }
        expectEqual(gate.limit, 1)
        expectEqual(other.limit, before.1)
    }

    @Test("A request that waits for a token of the same server holds no place")
    func tokens() async throws {
        let limit = AdaptiveConcurrencyLimit(maxLimit: 1)
        let (login, _) = try scene.make({ $0.limits.concurrency = limit }) { _, _ in .json(["token": "t1"]) }
        let tokens = try TokenAuthentication(for: ["https://api.example.com"]) { _ in
            try await login.get("token")
            return AccessToken("t1")
        }
        let (api, mock) = try scene.make({
            $0.limits.concurrency = limit
            $0.auth.tokens = tokens
        }) { _, _ in .json([:]) }
        try await expectEqual(api.get("a").status, 200)
        expectEqual(mock.requests.count, 1)
    }
}
