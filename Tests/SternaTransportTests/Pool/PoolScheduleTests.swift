import Testing

@testable import SternaTransport

/// The pool under random schedules: no lost waiter, no leaked permit, limits never passed.
@Suite struct PoolScheduleTests {
    @Test(arguments: 0..<60)
    func anySchedule(seed: Int) {
        var dice = SplitMix(state: UInt64(seed) &* 7_919 &+ 1)
        let world = PoolWorld(
            seed: UInt64(seed), shards: Int.random(in: 1...3, using: &dice),
            endpoints: Int.random(in: 1...5, using: &dice), perEndpoint: Int.random(in: 1...6, using: &dice),
            total: Int.random(in: 1...12, using: &dice))
        for _ in 0..<600 {
            step(world)
            check(world)
        }
        drain(world)
        #expect(world.waiters.allSatisfy { $0.outcome != nil }, "a waiter was lost")
        #expect(world.served > 0)
        for shard in 0..<world.shards {
            for endpoint in 0..<world.endpoints {
                while world.closeOldest(shard, endpoint) {}
            }
        }
        #expect(world.book.open == 0, "a permit leaked")
        #expect(world.pools.allSatisfy { $0.allSatisfy(\.isEmpty) })
    }

    private func step(_ world: PoolWorld) {
        world.now += Int64.random(in: 0...40_000_000, using: &world.random)
        switch Int.random(in: 0..<12, using: &world.random) {
        case 0...3:
            let waiter = PoolWorld.Waiter(
                rank: Int.random(in: 0...2, using: &world.random),
                shard: Int.random(in: 0..<world.shards, using: &world.random),
                endpoint: Int.random(in: 0..<world.endpoints, using: &world.random))
            waiter.needsFreshConnection = Int.random(in: 0..<8, using: &world.random) == 0
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
            world.close(connection)
        case 10: if let waiter = world.waiters.randomElement(using: &world.random) { world.cancel(waiter) }
        default:
            let shard = Int.random(in: 0..<world.shards, using: &world.random)
            let endpoint = Int.random(in: 0..<world.endpoints, using: &world.random)
            // The end of a pause between dials.
            world.dialIfNeeded(shard, endpoint)
        }
    }

    private func check(_ world: PoolWorld) {
        var open = 0
        for endpoint in 0..<world.endpoints {
            let mine = world.busy.count { $0.endpoint == endpoint } + world.dials.count { $0.endpoint == endpoint }
            let idle = (0..<world.shards).reduce(0) { $0 + world.pools[$1][endpoint].idle.count }
            let counts = world.book.counts(of: endpoint)
            #expect(counts.open == mine + idle, "permits are what is open")
            #expect(counts.open <= world.perEndpoint)
            open += counts.open
            let asked = (0..<world.shards).reduce(0) { $0 + world.pools[$1][endpoint].asked }
            #expect(counts.waiting == asked, "who stands in line knows it")
            for shard in 0..<world.shards {
                let pool = world.pools[shard][endpoint]
                let under = world.dials.count { $0.endpoint == endpoint && $0.shard == shard }
                #expect(pool.dialling == under)
                #expect(under <= pool.maximumDials)
            }
            let hasRoom = counts.open < world.perEndpoint && world.book.open < world.book.limit
            #expect(!hasRoom || counts.waiting == 0, "nobody waits for a permit that is there")
        }
        #expect(open == world.book.open)
        #expect(open <= world.book.limit)
    }

    // Everybody is served or fails when dials succeed from now on and pauses end.
    private func drain(_ world: PoolWorld) {
        for _ in 0..<20_000 {
            world.now += 2_000_000_000
            if let dialling = world.dials.popLast() {
                world.finish(dialling, isOpen: true)
            } else if let connection = world.busy.first {
                world.release(connection)
            } else if world.waiters.contains(where: { $0.outcome == nil }) {
                for shard in 0..<world.shards {
                    for endpoint in 0..<world.endpoints { world.dialIfNeeded(shard, endpoint) }
                }
            } else {
                return
            }
        }
    }
}
