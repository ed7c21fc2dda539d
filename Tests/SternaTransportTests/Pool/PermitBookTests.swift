import Testing

@testable import SternaTransport

@Suite struct PermitBookTests {
    private typealias Grant = PermitBook.Grant

    @Test func whoDoesNotWaitStandsInNoLine() {
        var book = PermitBook(limit: 2)
        let answers = [
            book.take(1, limit: 1, shard: 0, waits: false), book.take(1, limit: 1, shard: 1, waits: false),
            book.take(2, limit: 1, shard: 0, waits: false), book.take(3, limit: 1, shard: 0, waits: false),
        ]
        #expect(answers == [.granted, .endpointIsFull, .granted, .allAreOpen])
        #expect([1, 2, 3].map { book.counts(of: $0).waiting } == [0, 0, 0])
        #expect(book.starving == 0)
        #expect(!book.hasNeedyEndpoint)
        let grants = [book.give(1, shard: 0), book.give(2, shard: 0)]
        #expect(grants == [[], []])
        #expect(book.open == 0)
    }

    @Test func limitOfAnEndpoint() {
        var book = PermitBook(limit: 10)
        let answers = [
            book.take(1, limit: 2, shard: 0), book.take(1, limit: 2, shard: 1), book.take(1, limit: 2, shard: 1),
            book.take(1, limit: 2, shard: 0), book.take(2, limit: 2, shard: 0),
        ]
        #expect(answers == [.granted, .granted, .endpointIsFull, .endpointIsFull, .granted])
        let grants = [
            book.give(2, shard: 0), book.give(1, shard: 0), book.give(1, shard: 1), book.give(1, shard: 1),
            book.give(1, shard: 0),
        ]
        #expect(grants == [[], [Grant(endpoint: 1, shard: 1)], [Grant(endpoint: 1, shard: 0)], [], []])
        #expect(book.open == 0)
        let none = book.give(1, shard: 0)
        #expect(none.isEmpty, "what nobody has cannot be given back")
        #expect(book.open == 0)
    }

    @Test func endpointsTakeTurnsWhereAllAreOpen() {
        var book = PermitBook(limit: 2)
        let first = [book.take(1, limit: 5, shard: 0), book.take(1, limit: 5, shard: 0)]
        #expect(first == [.granted, .granted])
        let rest = [1, 1, 1, 2, 3].map { book.take($0, limit: 5, shard: 0) }
        #expect(rest == Array(repeating: .allAreOpen, count: 5))
        #expect(book.starving == 3)
        var order: [Int] = []
        var holders = [Grant(endpoint: 1, shard: 0), Grant(endpoint: 1, shard: 0)]
        for _ in 0..<5 {
            let holder = holders.removeFirst()
            let grants = book.give(holder.endpoint, shard: holder.shard)
            order += grants.map(\.endpoint)
            holders += grants
        }
        // The busy endpoint does not keep the others waiting until it is done.
        #expect(order == [1, 2, 3, 1, 1])
        #expect(book.starving == 0)
    }

    @Test func shardsTakeTurnsHoweverManyTheyWaitFor() {
        var book = PermitBook(limit: 5)
        let answers = [0, 0, 0, 0, 1, 1].map { book.take(1, limit: 1, shard: $0) }
        #expect(answers.first == .granted)
        #expect(book.hasNeedyShard(1), "shard 1 has none")
        var order = [0]
        for _ in 0..<5 { order += book.give(1, shard: order.last ?? 0).map(\.shard) }
        #expect(order == [0, 0, 1, 0, 1, 0])
    }

    @Test func whoLeavesIsNotServed() {
        var book = PermitBook(limit: 1)
        let answers = [1, 2, 3].map { book.take($0, limit: 1, shard: 0) }
        #expect(answers == [.granted, .allAreOpen, .allAreOpen])
        let left = [book.leave(2, shard: 0), book.leave(2, shard: 0)]
        #expect(left == [true, false])
        let grants = book.give(1, shard: 0)
        #expect(grants == [Grant(endpoint: 3, shard: 0)])
    }
}
