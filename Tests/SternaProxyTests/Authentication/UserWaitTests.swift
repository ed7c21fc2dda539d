import HTTPTypes
import NIOCore
import NIOPosix
import SternaCore
import SternaTesting
import SternaTransport
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Waits of requests for the user's code", .timeLimit(.minutes(5)))
struct UserWaitTests {
    private let time = TestClock()

    private func call(within limit: TimeAmount = .seconds(10)) -> Call {
        Call(deadline: time.now + limit, clock: time.clock)
    }

    private func wait(_ call: Call?, ownDeadline: Deadline? = nil) throws -> UserWait<Int> {
        var request = Request(.get, try HTTPURL("http://a.test/"))
        request.deadline = ownDeadline
        if let call { request.join(call) }
        return UserWait(
            for: request, on: SternaCore.LoopClock(time.clock, on: MultiThreadedEventLoopGroup.singleton.any()),
            in: .prepare, late: SternaError(.timedOut, phase: .prepare, "Too late."))
    }

    @Test("A result that comes before the wait ends it at once, and only the first counts")
    func early() async throws {
        let wait = try wait(nil)
        wait.end(.success(1))
        wait.end(.success(2))
        let begun = Mutex(false)
        let value = try await wait.value {
            begun.withLock { $0 = true }
            return nil
        }
        expectEqual(value, 1)
        #expect(!begun.withLock { $0 })
    }

    @Test("The deadline of the call or of the request ends it, and the operation", arguments: [false, true])
    func deadline(isOwn: Bool) async throws {
        let wait = try wait(call(), ownDeadline: isOwn ? time.deadline + .seconds(4) : nil)
        let ended = Mutex(false)
        let work = Task { try await wait.value { { ended.withLock { $0 = true } } } }
        await time.waitForTimer(within: .seconds(isOwn ? 4 : 10))
        await time.advance(by: .seconds(isOwn ? 4 : 10))
        let error = await #expect(throws: SternaError.self) { _ = try await work.value }
        expectEqual(error?.kind, .timedOut)
        #expect(error?.url == "http://a.test/")
        #expect(ended.withLock { $0 })
    }

    @Test("A pause of the call postpones the deadline by its length, to the nanosecond")
    func paused() async throws {
        let call = call()
        let wait = try wait(call)
        let work = Task { try await wait.value() }
        await time.waitForTimer(within: .seconds(10))
        await time.advance(by: .seconds(9))
        call.pause()
        await time.advance(by: .seconds(100))
        call.resume()
        await time.advance(by: .seconds(1) - .nanoseconds(1))
        expectEqual(time.timerCount, 1)
        await time.advance(by: .nanoseconds(1))
        let error = await #expect(throws: SternaError.self) { _ = try await work.value }
        expectEqual(error?.kind, .timedOut)
    }

    @Test("Cancelling the Swift task, the call, or the calls of a scope above ends it", arguments: 0..<3)
    func cancelled(way: Int) async throws {
        let scope = CallScope()
        let call = Call(
            deadline: time.now + .seconds(10), clock: time.clock, scope: CallScope(below: scope))
        let wait = try wait(call)
        let work = Task { try await wait.value() }
        await time.waitForTimer(within: .seconds(10))
        switch way {
        case 0: work.cancel()
        case 1: call.cancel()
        default: scope.cancel()
        }
        let error = await #expect(throws: SternaError.self) { _ = try await work.value }
        expectEqual(error?.kind, .cancelled)
        expectEqual(error?.phase, .prepare)
        expectEqual(time.timerCount, 0)
    }

    @Test("Nothing begins for a call that is cancelled already")
    func cancelledBefore() async throws {
        let call = call()
        call.cancel()
        let wait = try wait(call)
        let begun = Mutex(false)
        let error = await #expect(throws: SternaError.self) {
            _ = try await wait.value {
                begun.withLock { $0 = true }
                return nil
            }
        }
        expectEqual(error?.kind, .cancelled)
        #expect(!begun.withLock { $0 })
    }
}
