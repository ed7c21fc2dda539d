import Testing

@testable import SternaTestSupport
@testable import SternaTransport

/// What waits for a connection, and which dial it counts as having.
@Suite("Pool: the wait queue")
struct WaitQueueTests {
    private typealias Waiter = PoolWorld.Waiter
    private typealias Dialling = PoolWorld.Dialling
    private typealias Queue = PoolWorld.Queue

    private func queue(_ priorities: [Int] = []) -> (Queue, [Waiter]) {
        var queue = Queue(loops: 2)
        let waiters = priorities.map { Waiter(priority: $0, endpoint: 0) }
        for waiter in waiters { queue.wait(waiter) }
        return (queue, waiters)
    }

    private func begin(_ queue: inout Queue, at now: Int64 = 0) -> Dialling {
        let dial = Dialling(loop: 0, endpoint: 0)
        queue.began(dial, on: 0, at: now)
        return dial
    }

    @Test("The first n waiters count as having the n dials")
    func dials() {
        var (queue, all) = queue([1, 1, 1])
        let first = begin(&queue)
        let second = begin(&queue)
        #expect(queue.dial(of: all[0]) === first)
        #expect(queue.dial(of: all[1]) === second)
        expectNil(queue.dial(of: all[2]))
        #expect(queue.waiter(of: second) === all[1])
        let urgent = Waiter(priority: 2, endpoint: 0)
        queue.wait(urgent)
        #expect(queue.dial(of: urgent) === first)
        #expect(queue.dial(of: all[0]) === second)
        expectNil(queue.dial(of: all[1]))
    }

    @Test("One permit at a time is requested, until one is given back")
    func asking() {
        var (queue, _) = queue([1, 1])
        #expect(queue.wantsPermit(at: 0))
        #expect(queue.asks().isForRequest)
        #expect(!queue.wantsPermit(at: 0))
        queue.lost(on: 0)
        #expect(queue.wantsPermit(at: 0))
        #expect(!queue.wantsPermit(at: 0, beyond: 2), "two idle connections are on offer")
        _ = begin(&queue)
        _ = begin(&queue)
        #expect(!queue.wantsPermit(at: 0))
        #expect(queue.needsNoPermit)
    }

    @Test("Warm-ups do not wait for permits")
    func warmUps() {
        var (queue, _) = queue()
        let warmUps = (0..<2).map { _ in
            let waiter = Waiter(priority: 1, endpoint: 0)
            waiter.isWarmUp = true
            waiter.needsFreshConnection = true
            return waiter
        }
        for waiter in warmUps { queue.wait(waiter) }
        #expect(!queue.asks().isForRequest)
        queue.wait(Waiter(priority: 1, endpoint: 0))
        _ = begin(&queue)
        let ask = queue.asks()
        #expect(ask.isForRequest)
        #expect(queue.takeNeedlessWarmUps().isEmpty, "nothing was refused yet")
        queue.wasRefused(ask, .allAreOpen)
        expectEqual(queue.takeNeedlessWarmUps().map { $0 === warmUps[1] }, [true])
        expectEqual(queue.waiters.count, 2)
        #expect(!queue.lacksFreshConnection, "a warm-up takes no connection away")
    }

    @Test("A retry at the limit lacks a fresh connection, a request does not")
    func fresh() {
        var (queue, _) = queue([1])
        _ = queue.asks()
        #expect(!queue.lacksFreshConnection)
        let retry = Waiter(priority: 1, endpoint: 0)
        retry.needsFreshConnection = true
        queue.wait(retry)
        #expect(queue.lacksFreshConnection)
        _ = begin(&queue)
        #expect(!queue.lacksFreshConnection)
    }

    @Test("A failed dial fails the waiter in its place")
    func failure() {
        var (queue, all) = queue([1, 1, 1])
        _ = begin(&queue)
        let second = begin(&queue)
        let losers = queue.failed(second, counts: true, at: 1)
        expectEqual(losers.map { $0 === all[1] }, [true])
        expectEqual(queue.waiters.count, 2)
        expectEqual(queue.dials.count, 1)
    }

    @Test("Instead of a later or more patient waiter, another one that counts as dialling fails")
    func patience() {
        var (queue, all) = queue([1, 1])
        let first = begin(&queue)
        _ = begin(&queue)
        let urgent = Waiter(priority: 2, endpoint: 0)
        queue.wait(urgent)
        let losers = queue.failed(first, counts: false, at: 1) { $0 !== urgent }
        expectEqual(losers.map { $0 === all[0] }, [true])
        var (other, patient) = self.queue([1])
        let dial = begin(&other)
        #expect(other.failed(dial, counts: false, at: 1, mayFail: { _ in false }).isEmpty)
        #expect(other.waiters.element(at: 0) === patient[0], "it waits on")
    }

    @Test("If a probe fails, or the error holds for all, all earlier waiters fail")
    func together() {
        var (queue, all) = queue([1, 1])
        let dial = begin(&queue)
        let late = Waiter(priority: 1, endpoint: 0)
        queue.wait(late)
        expectEqual(queue.failed(dial, counts: false, holdsForAll: true, at: 0).count, all.count)
        #expect(queue.waiters.element(at: 0) === late)
        for turn in 0..<3 {
            let dial = begin(&queue, at: Int64(turn))
            _ = queue.failed(dial, counts: true, at: Int64(turn)) { _ in false }
        }
        #expect(!queue.wantsPermit(at: 3), "there is a pause")
        let probe = begin(&queue, at: 2_000_000_000)
        expectEqual(queue.failed(probe, counts: true, at: 2_000_000_001).map { $0 === late }, [true])
    }

    @Test("A dial is needless after a waiter was cancelled, not after one was served")
    func needless() {
        var (queue, all) = queue([1, 1])
        let dials = [begin(&queue), begin(&queue)]
        let served = queue.popFirstForUsed()
        #expect(served === all[0])
        let next = Waiter(priority: 1, endpoint: 0)
        queue.wait(next)
        expectNil(queue.takeNeedlessDial(leftBy: dials[0]), "it is the next one's")
        _ = queue.leave(next)
        #expect(queue.takeNeedlessDial(leftBy: dials[0]) === dials[1])
    }

    @Test("A dial left to a waiter with other time-outs is restarted")
    func otherLimits() {
        var (queue, all) = queue([1, 1])
        let dial = begin(&queue)
        _ = queue.leave(all[0])
        expectNil(queue.takeNeedlessDial(leftBy: dial) { $0 === all[1] })
        #expect(queue.takeNeedlessDial(leftBy: dial) { _ in false } === dial)
        #expect(queue.nextToDial(at: 0) === all[1])
    }

    @Test("An event loop gets eight connections before the next one; then the one with the fewest")
    func loops() {
        var (queue, _) = queue()
        var order: [Int] = []
        for _ in 0..<18 {
            let loop = queue.loopToFill(from: 1)
            order.append(loop)
            queue.began(Dialling(loop: loop, endpoint: 0), on: loop, at: 0)
        }
        expectEqual(order, Array(repeating: 1, count: 8) + Array(repeating: 0, count: 8) + [1, 0])
    }

    @Test("A request that arrives while a warm-up is refused requests a permit")
    func requestBesideWarmUp() {
        var (queue, _) = queue()
        let warmUp = Waiter(priority: 1, endpoint: 0)
        (warmUp.isWarmUp, warmUp.needsFreshConnection) = (true, true)
        queue.wait(warmUp)
        let ask = queue.asks()
        queue.wait(Waiter(priority: 1, endpoint: 0))
        #expect(!queue.wantsPermit(at: 0), "one asks at a time")
        _ = queue.leave(warmUp)
        queue.wasRefused(ask, .allAreOpen)
        #expect(queue.wantsPermit(at: 0))
        #expect(queue.asks().isForRequest)
    }

    @Test("The refusal of an earlier ask does not affect a later one")
    func lateRefusal() {
        var (queue, _) = queue([1, 1])
        let first = queue.asks()
        // It was queued, and was granted a permit before it learned that it had been refused one.
        queue.mayAskAgain()
        _ = begin(&queue)
        _ = queue.asks()
        queue.wasRefused(first, .allAreOpen)
        expectEqual(queue.asking, .begun)
    }

    // MARK: The limit

    private func limited(_ maximum: Int, _ count: Int) -> (Queue, [Waiter]) {
        var queue = Queue(loops: 1, maximumWaiting: maximum)
        let waiters = (0..<count).map { _ in Waiter(priority: 1, endpoint: 0) }
        for waiter in waiters { queue.wait(waiter) }
        return (queue, waiters)
    }

    @Test("The last arrivals exceed the limit, once no connection is opened for them")
    func tooMany() {
        var (queue, all) = limited(1, 4)
        #expect(queue.takeTooMany(beyond: 0, at: 0) { _ in false }.isEmpty, "one is to be asked for")
        let ask = queue.asks()
        #expect(queue.takeTooMany(beyond: 0, at: 0) { _ in false }.isEmpty, "one is asked for")
        _ = begin(&queue)
        queue.wasRefused(ask, .endpointIsFull)
        expectEqual(queue.takeTooMany(beyond: 0, at: 0) { _ in false }.map(\.arrival), [4, 3])
        expectEqual(queue.waiters.count, 2)
        expectEqual(all[2].ticket, 0)
        queue.wait(Waiter(priority: 2, endpoint: 0))
        expectEqual(
            queue.takeTooMany(beyond: 0, at: 0) { _ in false }.map(\.arrival), [5], "also one of a higher priority")
    }

    @Test("A waiter that was within the limit on arrival may stay")
    func countedOnce() {
        var (queue, _) = limited(1, 2)
        let ask = queue.asks()
        let dial = begin(&queue)
        queue.wasRefused(ask, .endpointIsFull)
        #expect(queue.takeTooMany(beyond: 0, at: 0) { _ in false }.isEmpty)
        queue.gaveUp(dial)
        #expect(queue.takeTooMany(beyond: 0, at: 0) { _ in false }.isEmpty)
        queue.wait(Waiter(priority: 1, endpoint: 0))
        expectEqual(queue.takeTooMany(beyond: 0, at: 0) { _ in false }.map(\.arrival), [3])
    }

    @Test("Idle connections on their way, warm-ups, and exempt waiters do not count")
    func notTooMany() {
        var (queue, all) = limited(1, 3)
        let warmUp = Waiter(priority: 1, endpoint: 0)
        (warmUp.isWarmUp, warmUp.needsFreshConnection) = (true, true)
        queue.wait(warmUp)
        queue.wasRefused(queue.asks(), .endpointIsFull)
        #expect(queue.takeTooMany(beyond: 3, at: 0) { $0.isWarmUp }.isEmpty)
        queue.wait(Waiter(priority: 1, endpoint: 0))
        #expect(queue.takeTooMany(beyond: 1, at: 0) { $0.isWarmUp || $0.arrival == 5 }.isEmpty)
        #expect(all.allSatisfy { $0.ticket != 0 })
    }
}
