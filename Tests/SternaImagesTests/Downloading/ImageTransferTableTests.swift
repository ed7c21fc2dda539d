import Sterna
import SternaCore
import Testing

@testable import SternaImages
@testable import SternaTestSupport

@Suite("Receivers and transfers of images") struct ImageTransferTableTests {
    private func key(_ name: String, _ policy: CachePolicy = .protocolRules, own: Int = 0) throws -> TransferKey {
        let request = Request(.get, try HTTPURL("https://example.com/\(name)"))
        return TransferKey(request: ImageRequestKey(request), policy: policy, own: own)
    }

    /// Adds transfers of these priorities, and returns the order in which they begin.
    private func order(_ order: DownloadPrioritization, _ priorities: [Request.Priority]) throws -> [Int] {
        var table = ImageTransferTable(order: order, maximumActive: 1)
        for (index, priority) in priorities.enumerated() { _ = table.join(index, try key("\(index)"), priority) }
        var begun: [Int] = []
        while let id = table.begin().first {
            begun.append(contentsOf: table.receivers(of: id))
            let none = table.begin()
            #expect(none.isEmpty)
            table.end(id)
        }
        return begun
    }

    @Test("Transfers begin first in, first out, or last in, first out; higher priorities first")
    func order() throws {
        let mixed: [Request.Priority] = [.normal, .low, .high, .normal, .high, .low]
        try expectEqual(order(.fifo, mixed), [2, 4, 0, 3, 1, 5])
        try expectEqual(order(.lifo, mixed), [4, 2, 3, 0, 5, 1])
        try expectEqual(order(.fifo, Array(repeating: .normal, count: 200)), Array(0..<200))
        try expectEqual(order(.lifo, Array(repeating: .normal, count: 200)), (0..<200).reversed())
    }

    @Test("Equal requests share a transfer; another policy or a unique number gets its own")
    func sharing() throws {
        var table = ImageTransferTable(order: .fifo, maximumActive: 9)
        let first = table.join(1, try key("a"), .normal)
        let second = table.join(2, try key("a"), .high)
        #expect(first.transfer == second.transfer && first.isNew && !second.isNew)
        #expect(first.raised == nil && second.raised == .high)
        let others = [try key("b"), try key("a", .reload), try key("a", own: 4)].enumerated().map {
            table.join(10 + $0.offset, $0.element, .normal)
        }
        #expect(Set(others.map(\.transfer) + [first.transfer]).count == 4 && others.allSatisfy(\.isNew))
        #expect(table.receivers(of: first.transfer) == [1, 2] && table.waitingCount == 4)
    }

    @Test("A waiting transfer of higher priority moves forward")
    func raising() throws {
        var table = ImageTransferTable(order: .fifo, maximumActive: 9)
        let (a, b) = (table.join(1, try key("a"), .normal), table.join(2, try key("b"), .normal))
        _ = table.join(3, try key("b"), .high)
        _ = table.join(4, try key("b"), .low)
        let begun = [table.begin(), table.begin()]
        expectEqual(begun, [[b.transfer, a.transfer], []])
    }

    @Test(
        "A transfer whose priority rises is queued last in that priority",
        arguments: [(DownloadPrioritization.fifo, [2, 1]), (.lifo, [1, 2])])
    func raisedLater(_ order: DownloadPrioritization, _ expected: [Int]) throws {
        var table = ImageTransferTable(order: order, maximumActive: 1)
        let a = table.join(1, try key("a"), .normal).transfer
        let b = table.join(2, try key("b"), .high).transfer
        let raised = table.join(3, try key("a"), .high).raised
        expectEqual(raised, .high)
        var begun: [Int] = []
        while let id = table.begin().first {
            begun.append(id)
            table.end(id)
        }
        expectEqual(begun, expected.map { $0 == 1 ? a : b })
    }

    @Test("The priority of a running transfer rises, too")
    func raisedUnderWay() throws {
        var table = ImageTransferTable(order: .fifo, maximumActive: 1)
        let a = table.join(1, try key("a"), .low).transfer
        let begun = table.begin()
        expectEqual(begun, [a])
        let raised = try [Request.Priority.low, .high, .normal, .high].enumerated().map { number, priority in
            table.join(10 + number, try key("a"), priority).raised
        }
        expectEqual(raised, [nil, .high, nil, nil])
        #expect(table.activeCount == 1 && table.waitingCount == 0)
    }

    @Test("The limit holds; at least one transfer runs")
    func limit() throws {
        var table = ImageTransferTable(order: .fifo, maximumActive: 0)
        for number in 0..<3 { _ = table.join(number, try key("\(number)"), .normal) }
        let (first, none) = (table.begin(), table.begin())
        #expect(first.count == 1 && none.isEmpty && table.activeCount == 1)
        table.end(try #require(first.first))
        let second = table.begin()
        #expect(second.count == 1 && table.activeCount == 1)
    }

    @Test("Removing a receiver: others stay, a waiting transfer is removed, a running one is abandoned")
    func leaving() throws {
        var table = ImageTransferTable(order: .fifo, maximumActive: 1)
        let a = table.join(1, try key("a"), .normal).transfer
        _ = table.join(2, try key("a"), .normal)
        let b = table.join(3, try key("b"), .normal).transfer
        _ = table.begin()
        let departures = [1, 1, 2, 3, 99].map { table.leave($0) }
        expectEqual(departures, [.nothing, .nothing, .abandoned(a), .removed(b), .nothing])
        #expect(table.waitingCount == 0 && table.transfers.count == 1)
        // A new receiver finds the abandoned transfer.
        let again = table.join(4, try key("a"), .normal)
        #expect(again.transfer == a && !again.isNew)
        let leaves = table.leave(4)
        expectEqual(leaves, .abandoned(a))
        table.detach(a)
        let new = table.join(5, try key("a"), .normal)
        #expect(new.isNew && new.transfer != a)
        // Its place is free only when the cancelled one is over.
        let none = table.begin()
        #expect(none.isEmpty)
        table.end(a)
        let next = table.begin()
        expectEqual(next, [new.transfer])
        let taken = table.take([5, 7], from: new.transfer)
        let departure = table.leave(5)
        #expect(taken == [5] && departure == .nothing)
    }

    @Test("Random use: the limit holds, each receiver waits for one transfer, and all begin")
    func random() throws {
        var random = SeededRandom(seed: 9)
        for order in [DownloadPrioritization.fifo, .lifo] {
            var table = ImageTransferTable(order: order, maximumActive: 3)
            var (waiting, active) = (Set<Int>(), Set<Int>())
            for number in 0..<4_000 {
                switch Int.random(in: 0..<4, using: &random) {
                case 0, 1:
                    let priority = Request.Priority(rawValue: Int.random(in: 0...2, using: &random)) ?? .normal
                    _ = table.join(number, try key("\(Int.random(in: 0..<40, using: &random))"), priority)
                    waiting.insert(number)
                case 2:
                    if let leaving = waiting.randomElement(using: &random) {
                        waiting.remove(leaving)
                        if case .abandoned(let id) = table.leave(leaving) { table.detach(id) }
                    }
                default:
                    if let id = active.randomElement(using: &random) {
                        active.remove(id)
                        waiting.subtract(table.take(Set(table.receivers(of: id)), from: id))
                        table.end(id)
                    }
                }
                active.formUnion(table.begin())
                #expect(active.count == table.activeCount && active.count <= 3)
                let receivers = table.transfers.values.flatMap(\.receivers)
                #expect(receivers.count == waiting.count && Set(receivers) == waiting)
                expectEqual(table.waitingCount, table.transfers.keys.count { !active.contains($0) })
                if table.waitingCount > 0 { expectEqual(active.count, 3) }
            }
        }
    }
}

@Suite("Transfers without receivers") struct AbandonedTransferRuleTests {
    @Test(
        "Nearly complete transfers continue",
        arguments: [
            (nil, nil, true), (0, 256 << 10, true), (0, 257 << 10, false), (1 << 20, (1 << 20) + 5, true), (9, 5, true),
            (256 << 10, nil, true), (257 << 10, nil, false),
        ] as [(Int64?, Int64?, Bool)])
    func rule(_ completed: Int64?, _ total: Int64?, _ goesOn: Bool) {
        let progress = completed.map { TransferProgress(completed: $0, total: total) }
        expectEqual(AbandonedTransfers.finishSmall.goesOn(progress), goesOn)
        #expect(!AbandonedTransfers.cancel.goesOn(progress))
    }
}
