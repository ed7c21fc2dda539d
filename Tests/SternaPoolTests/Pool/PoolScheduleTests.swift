import Testing

@testable import SternaTestSupport
@testable import SternaTransport

/// The pool under random schedules: no lost waiter, no leaked permit, limits never passed.
@Suite struct PoolScheduleTests {
    @Test(arguments: 0..<150)
    func anySchedule(seed: Int) {
        var dice = SeededRandom(seed: UInt64(seed) &* 7_919 &+ 1)
        let world = PoolWorld(
            seed: UInt64(seed), loops: [1, 2, 4, 16].randomElement(using: &dice) ?? 1,
            endpoints: Int.random(in: 1...5, using: &dice), perEndpoint: Int.random(in: 1...6, using: &dice),
            total: Int.random(in: 1...12, using: &dice),
            maximumWaiting: [1, 3, 10, .max].randomElement(using: &dice) ?? 1)
        world.meanwhile = { [unowned world] in meanwhile(world, $0) }
        for _ in 0..<600 {
            step(world)
            check(world)
        }
        drain(world)
        #expect(world.waiters.allSatisfy { $0.outcome != nil }, "a waiter was lost")
        #expect(world.served > 0)
        for endpoint in 0..<world.endpoints { while world.closeOldest(endpoint) {} }
        expectEqual(world.limiter.open, 0, "a permit leaked")
        #expect(world.queues.allSatisfy { $0.isEmpty })
        #expect(world.queues.allSatisfy { $0.held.allSatisfy { $0 == 0 } })
    }

    @Test("A shutdown empties the queue", arguments: 0..<20)
    func shutdown(seed: Int) {
        let world = PoolWorld(seed: UInt64(seed), loops: 2, endpoints: 2, perEndpoint: 2, total: 3)
        for _ in 0..<200 { step(world) }
        for endpoint in 0..<world.endpoints {
            for waiter in world.queues[endpoint].takeAll() { world.end(waiter, "shut down") }
            world.leavePermitQueue(endpoint)
        }
        #expect(world.queues.allSatisfy { $0.waiters.isEmpty })
        expectEqual(world.limiter.starving, 0)
        for dialling in world.dials { world.finish(dialling, isOpen: false) }
        world.dials = []
        while let connection = world.busy.first { world.release(connection) }
        for endpoint in 0..<world.endpoints { while world.closeOldest(endpoint) {} }
        #expect(world.waiters.allSatisfy { $0.outcome != nil })
        expectEqual(world.limiter.open, 0)
    }

    // Requests come and go while an endpoint asks for a permit.
    private func meanwhile(_ world: PoolWorld, _ endpoint: Int) {
        switch Int.random(in: 0..<24, using: &world.random) {
        case 0: world.submit(waiter(world, at: endpoint))
        case 1: if let waiter = world.waiters.last(where: { $0.endpoint == endpoint }) { world.cancel(waiter) }
        case 2: if let connection = world.busy.last { world.release(connection) }
        default: break
        }
    }

    private func waiter(_ world: PoolWorld, at endpoint: Int) -> PoolWorld.Waiter {
        let isOnLoop = Int.random(in: 0..<4, using: &world.random) == 0
        let waiter = PoolWorld.Waiter(
            priority: Int.random(in: 0...2, using: &world.random), endpoint: endpoint,
            callerLoop: isOnLoop ? Int.random(in: 0..<world.loops, using: &world.random) : nil)
        waiter.isWarmUp = Int.random(in: 0..<12, using: &world.random) == 0
        waiter.needsFreshConnection = waiter.isWarmUp || Int.random(in: 0..<8, using: &world.random) == 0
        return waiter
    }

    private func step(_ world: PoolWorld) {
        world.now += Int64.random(in: 0...40_000_000, using: &world.random)
        switch Int.random(in: 0..<13, using: &world.random) {
        case 0...3:
            let waiter = waiter(world, at: Int.random(in: 0..<world.endpoints, using: &world.random))
            world.submit(waiter)
        case 4...5:
            guard !world.dials.isEmpty else { return }
            let position = Int.random(in: 0..<world.dials.count, using: &world.random)
            let dialling = world.dials.remove(at: position)
            let isOpen = Int.random(in: 0..<3, using: &world.random) > 0
            world.finish(dialling, isOpen: isOpen, blamesServer: Bool.random(using: &world.random))
        case 6...8:
            if let connection = world.busy.randomElement(using: &world.random) { world.release(connection) }
        case 9:
            guard let connection = world.busy.randomElement(using: &world.random) else { return }
            world.busy.removeAll { $0 === connection }
            if let waiter = connection.waiter { world.end(waiter, "broken") }
            world.broke(connection)
        case 10: if let waiter = world.waiters.randomElement(using: &world.random) { world.cancel(waiter) }
        case 11:
            // A connection turns out to be closed when a waiter is about to go over it.
            let endpoint = Int.random(in: 0..<world.endpoints, using: &world.random)
            guard let waiter = world.queues[endpoint].popFirst() else { return }
            let arrival = waiter.arrival
            world.queues[endpoint].putBack(waiter)
            expectEqual(waiter.arrival, arrival)
            #expect(world.queues[endpoint].waiters.element(at: 0) === waiter, "it stands where it stood")
        default:
            // The end of a pause between dials.
            world.arrange(Int.random(in: 0..<world.endpoints, using: &world.random))
        }
    }

    private func check(_ world: PoolWorld) {
        var open = 0
        for endpoint in 0..<world.endpoints {
            let queue = world.queues[endpoint]
            let under = world.dials.count { $0.endpoint == endpoint }
            let mine = world.busy.count { $0.endpoint == endpoint } + under
            let idle = world.idle[endpoint].reduce(0) { $0 + $1.count }
            let mineOpen = world.limiter.open(of: endpoint)
            expectEqual(mineOpen, mine + idle, "permits are what is open")
            #expect(mineOpen <= world.perEndpoint)
            open += mineOpen
            expectEqual(queue.held.reduce(0, +), mineOpen, "event loops hold what is open")
            #expect(queue.dials.count <= under)
            #expect(under <= queue.maximumDials + world.dials.count { $0.isCancelled })
            #expect(
                !world.limiter.isQueued(endpoint) || queue.waiters.count > queue.dials.count,
                "nothing is queued in vain"
            )
            #expect(!queue.wantsPermit(at: world.arrangedAt[endpoint]), "something waits that nothing asks for")
            #expect(queue.asking != .begun, "an ask is forgotten")
            let takesUsed = queue.waiters.count > queue.waiters.freshCount
            #expect(!takesUsed || idle == 0, "nothing waits beside a connection that it could use")
            #expect(
                world.limiter.open == world.limiter.limit || world.limiter.starving == 0, "a permit is free for a line")
        }
        expectEqual(open, world.limiter.open)
        #expect(open <= world.limiter.limit)
    }

    // All are served or fail when dials succeed from now on and pauses end.
    private func drain(_ world: PoolWorld) {
        for _ in 0..<20_000 {
            world.now += 2_000_000_000
            if let dialling = world.dials.popLast() {
                world.finish(dialling, isOpen: true)
            } else if let connection = world.busy.first {
                world.release(connection)
            } else if world.waiters.contains(where: { $0.outcome == nil }) {
                for endpoint in 0..<world.endpoints { world.arrange(endpoint) }
            } else {
                return
            }
        }
    }
}
