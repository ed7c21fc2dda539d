import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite struct ConnectionLimiterTests {
    @Test func anEndpointThatDoesNotWaitStandsInNoLine() {
        var limiter = ConnectionLimiter(limit: 2)
        let outcomes = [
            limiter.take(1, limit: 1, waits: false), limiter.take(1, limit: 1, waits: false),
            limiter.take(2, limit: 1, waits: false), limiter.take(3, limit: 1, waits: false),
        ]
        expectEqual(outcomes, [.granted, .endpointIsFull, .granted, .allAreOpen])
        expectEqual(limiter.starving, 0)
        #expect(!limiter.hasNeedyEndpoint)
        let grants = [limiter.give(1), limiter.give(2)]
        expectEqual(grants, [nil, nil])
        expectEqual(limiter.open, 0)
    }

    @Test func limitOfAnEndpoint() {
        var limiter = ConnectionLimiter(limit: 10)
        let outcomes = [
            limiter.take(1, limit: 2), limiter.take(1, limit: 2), limiter.take(1, limit: 2), limiter.take(2, limit: 2),
        ]
        expectEqual(outcomes, [.granted, .granted, .endpointIsFull, .granted])
        expectEqual(limiter.starving, 0, "its own permits are what it waits for")
        let grants = [limiter.give(2), limiter.give(1), limiter.give(1)]
        expectEqual(grants, [nil, nil, nil])
        expectEqual(limiter.open, 0)
        expectNil(limiter.give(1), "what was not taken cannot be given back")
        expectEqual(limiter.open, 0)
    }

    @Test func endpointsTakeTurnsWhereAllAreOpen() {
        var limiter = ConnectionLimiter(limit: 2)
        let first = [limiter.take(1, limit: 5), limiter.take(1, limit: 5)]
        expectEqual(first, [.granted, .granted])
        let rest = [1, 2, 2, 3].map { limiter.take($0, limit: 5) }
        expectEqual(rest, Array(repeating: .allAreOpen, count: 4))
        expectEqual(limiter.starving, 3)
        #expect(limiter.hasNeedyEndpoint)
        var order: [Int] = []
        var holders = [1, 1]
        for _ in 0..<6 {
            guard let next = limiter.give(holders.removeFirst()) else { break }
            order.append(next)
            holders.append(next)
            // The busy one asks again, behind the others.
            if next == 1, order.count < 3 { _ = limiter.take(1, limit: 5) }
        }
        expectEqual(order, [1, 2, 3, 1])
        expectEqual(limiter.starving, 0)
    }

    @Test func anEndpointThatLeavesIsNotServed() {
        var limiter = ConnectionLimiter(limit: 1)
        let outcomes = [1, 2, 3].map { limiter.take($0, limit: 1) }
        expectEqual(outcomes, [.granted, .allAreOpen, .allAreOpen])
        let left = [limiter.leave(2), limiter.leave(2)]
        expectEqual(left, [true, false])
        expectEqual(limiter.give(1), 3)
        expectNil(limiter.give(3))
        expectEqual(limiter.open, 0)
    }
}
