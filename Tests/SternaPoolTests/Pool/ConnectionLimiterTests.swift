import Testing

@testable import SternaTransport

@Suite struct ConnectionLimiterTests {
    @Test func anEndpointThatDoesNotWaitStandsInNoLine() {
        var limiter = ConnectionLimiter(limit: 2)
        let answers = [
            limiter.take(1, limit: 1, waits: false), limiter.take(1, limit: 1, waits: false),
            limiter.take(2, limit: 1, waits: false), limiter.take(3, limit: 1, waits: false),
        ]
        #expect(answers == [.granted, .endpointIsFull, .granted, .allAreOpen])
        #expect(limiter.starving == 0)
        #expect(!limiter.hasNeedyEndpoint)
        let grants = [limiter.give(1), limiter.give(2)]
        #expect(grants == [nil, nil])
        #expect(limiter.open == 0)
    }

    @Test func limitOfAnEndpoint() {
        var limiter = ConnectionLimiter(limit: 10)
        let answers = [
            limiter.take(1, limit: 2), limiter.take(1, limit: 2), limiter.take(1, limit: 2), limiter.take(2, limit: 2),
        ]
        #expect(answers == [.granted, .granted, .endpointIsFull, .granted])
        #expect(limiter.starving == 0, "its own permits are what it waits for")
        let grants = [limiter.give(2), limiter.give(1), limiter.give(1)]
        #expect(grants == [nil, nil, nil])
        #expect(limiter.open == 0)
        #expect(limiter.give(1) == nil, "what was not taken cannot be given back")
        #expect(limiter.open == 0)
    }

    @Test func endpointsTakeTurnsWhereAllAreOpen() {
        var limiter = ConnectionLimiter(limit: 2)
        let first = [limiter.take(1, limit: 5), limiter.take(1, limit: 5)]
        #expect(first == [.granted, .granted])
        let rest = [1, 2, 2, 3].map { limiter.take($0, limit: 5) }
        #expect(rest == Array(repeating: .allAreOpen, count: 4))
        #expect(limiter.starving == 3)
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
        #expect(order == [1, 2, 3, 1])
        #expect(limiter.starving == 0)
    }

    @Test func anEndpointThatLeavesIsNotServed() {
        var limiter = ConnectionLimiter(limit: 1)
        let answers = [1, 2, 3].map { limiter.take($0, limit: 1) }
        #expect(answers == [.granted, .allAreOpen, .allAreOpen])
        let left = [limiter.leave(2), limiter.leave(2)]
        #expect(left == [true, false])
        #expect(limiter.give(1) == 3)
        #expect(limiter.give(3) == nil)
        #expect(limiter.open == 0)
    }
}
