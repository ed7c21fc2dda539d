import HTTPTypes
import NIOCore
import SternaCore
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Coalescing: cancellation and deadlines", .timeLimit(.minutes(5)))
struct CoalescingEndTests {
    @Test("The transfer goes on without the request that began it, and ends with the last", arguments: [true, false])
    func cancellation(cancelsAll: Bool) async throws {
        let (gate, cancelled) = (Gate(), Counter())
        let scene = try CoalescingScene { _, _ in
            try await withTaskCancellationHandler {
                await gate.wait()
                try Task.checkCancellation()
            } onCancel: {
                cancelled.add(1)
                gate.open()
            }
            return .text("a")
        }
        let leader = Task { try await scene.api.get("a").text() }
        await scene.waitForReaders(1)
        let followers = (0..<3).map { _ in Task { try await scene.api.get("a").text() } }
        await scene.waitForReaders(4)
        leader.cancel()
        await expectEqual(failure(of: leader), .cancelled)
        followers[0].cancel()
        await expectEqual(failure(of: followers[0]), .cancelled)
        await scene.waitForReaders(2)
        expectEqual(cancelled.value, 0)
        if cancelsAll {
            for follower in followers[1...] { follower.cancel() }
            for follower in followers[1...] { await expectEqual(failure(of: follower), .cancelled) }
            #expect(await eventually { cancelled.value == 1 })
        } else {
            gate.open()
            for follower in followers[1...] { try await expectEqual(follower.value, "a") }
            expectEqual(cancelled.value, 0)
        }
        #expect(scene.sent == 1 && scene.isQuiet)
    }

    @Test("A task that is cancelled as a task of the session leaves the others alone")
    func sessionTask() async throws {
        let gate = Gate()
        let scene = try CoalescingScene { _, _ in
            await gate.wait()
            return .text("a")
        }
        let task = scene.api.dataTask(.get("a"))
        await scene.waitForReaders(1)
        // Tasks take bodies as they arrive, and share with such requests.
        let other = scene.api.dataTask(.get("a"))
        await scene.waitForReaders(2)
        task.cancel()
        await scene.waitForReaders(1)
        gate.open()
        let reply = try await other.value
        expectEqual(reply.body.text, "a")
        expectEqual(scene.sent, 1)
    }

    @Test("Each request keeps its own deadline")
    func deadlines() async throws {
        let gate = Gate()
        let scene = try CoalescingScene { _, _ in
            await gate.wait()
            return .text("a")
        }
        let deadline = scene.time.deadline
        let early = Task { try await scene.api.get("a") { $0.deadline = deadline + .seconds(5) }.text() }
        await scene.waitForReaders(1)
        let total = Task { try await scene.api.get("a") { $0.timeouts.total = .seconds(8) }.text() }
        let late = Task { try await scene.api.get("a").text() }
        await scene.waitForReaders(3)
        await scene.time.advance(by: .milliseconds(4_999))
        await scene.waitForReaders(3)
        await scene.time.advance(by: .milliseconds(1))
        await expectEqual(failure(of: early), .timedOut)
        await scene.time.advance(by: .seconds(3))
        await expectEqual(failure(of: total), .timedOut)
        await scene.waitForReaders(1)
        gate.open()
        try await expectEqual(late.value, "a")
        #expect(scene.sent == 1 && scene.isQuiet)
    }

    @Test("A deadline also ends the body of its request alone")
    func deadlineInBody() async throws {
        let (gate, rest) = (Gate(), Gate())
        let body = CountedPieces(CountedPieces.numbered(2, of: 10), gate: rest, held: 1)
        let scene = try CoalescingScene { _, _ in
            await gate.wait()
            return .init(body: ResponseBody(body))
        }
        let deadline = scene.time.deadline + .seconds(5)
        let early = Task { try await scene.api.get("a") { $0.deadline = deadline }.body.count }
        let late = Task { try await scene.api.get("a").body.count }
        await scene.waitForReaders(2)
        gate.open()
        #expect(await eventually { body.taken == 1 })
        await scene.time.advance(by: .seconds(5))
        await expectEqual(failure(of: early), .timedOut)
        rest.open()
        try await expectEqual(late.value, 20)
        expectEqual(scene.unrest, "")
    }

    @Test("Invalidating the session cancels all of them, and the transfer")
    func invalidation() async throws {
        let cancelled = Counter()
        let scene = try CoalescingScene { _, _ in
            try await CoalescingScene.hang(cancelled)
            return .text("a")
        }
        let requests = (0..<3).map { _ in Task { try await scene.api.get("a").text() } }
        await scene.waitForReaders(3)
        scene.api.invalidateAndCancel()
        for request in requests { await expectEqual(failure(of: request), .cancelled) }
        #expect(await eventually { cancelled.value == 1 })
    }

    @Test("A transfer that no reader is left for is given up in the middle of its body")
    func lastLeaves() async throws {
        let gate = Gate()
        let body = CountedPieces(CountedPieces.numbered(100, of: 1_000))
        let scene = try CoalescingScene { _, _ in
            await gate.wait()
            return .init(body: ResponseBody(body))
        }
        let requests = (0..<2).map { _ in
            Task {
                try await scene.api.withResponse(to: .get("a")) { response in
                    var iterator = response.body.makeAsyncIterator()
                    return try await iterator.next()?.count
                }
            }
        }
        await scene.waitForReaders(2)
        gate.open()
        for request in requests { try await expectEqual(request.value, 1_000) }
        #expect(await eventually { body.isCancelled })
        #expect(body.taken < 100 && scene.isQuiet)
    }
}
