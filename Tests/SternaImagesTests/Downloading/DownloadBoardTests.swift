import Sterna
import SternaCore
import Testing

@testable import SternaImages
@testable import SternaTestSupport

@Suite("Receivers and transfers of images") struct DownloadBoardTests {
    private func key(_ name: String, _ policy: CachePolicy = .protocolRules, own: Int = 0) throws -> TransferKey {
        let request = Request(.get, try HTTPURL("https://example.com/\(name)"))
        return TransferKey(request: ImageRequestKey(request), policy: policy, own: own)
    }

    /// Adds transfers of these priorities, and returns the order in which they begin.
    private func order(_ order: DownloadPrioritization, _ priorities: [Request.Priority]) throws -> [Int] {
        var board = DownloadBoard(order: order, maximumActive: 1)
        for (index, priority) in priorities.enumerated() { _ = board.join(index, try key("\(index)"), priority) }
        var begun: [Int] = []
        while let id = board.begin().first {
            begun.append(contentsOf: board.receivers(of: id))
            let none = board.begin()
            #expect(none.isEmpty)
            board.end(id)
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
        var board = DownloadBoard(order: .fifo, maximumActive: 9)
        let first = board.join(1, try key("a"), .normal)
        let second = board.join(2, try key("a"), .high)
        #expect(first.transfer == second.transfer && first.isNew && !second.isNew)
        #expect(first.raised == nil && second.raised == .high)
        let others = [try key("b"), try key("a", .reload), try key("a", own: 4)].enumerated().map {
            board.join(10 + $0.offset, $0.element, .normal)
        }
        #expect(Set(others.map(\.transfer) + [first.transfer]).count == 4 && others.allSatisfy(\.isNew))
        #expect(board.receivers(of: first.transfer) == [1, 2] && board.waitingCount == 4)
    }

    @Test("A waiting transfer of higher priority moves forward")
    func raising() throws {
        var board = DownloadBoard(order: .fifo, maximumActive: 9)
        let (a, b) = (board.join(1, try key("a"), .normal), board.join(2, try key("b"), .normal))
        _ = board.join(3, try key("b"), .high)
        _ = board.join(4, try key("b"), .low)
        let begun = [board.begin(), board.begin()]
        expectEqual(begun, [[b.transfer, a.transfer], []])
    }

    @Test(
        "A transfer whose priority rises is queued last in that priority",
        arguments: [(DownloadPrioritization.fifo, [2, 1]), (.lifo, [1, 2])])
    func raisedLater(_ order: DownloadPrioritization, _ expected: [Int]) throws {
        var board = DownloadBoard(order: order, maximumActive: 1)
        let a = board.join(1, try key("a"), .normal).transfer
        let b = board.join(2, try key("b"), .high).transfer
        let raised = board.join(3, try key("a"), .high).raised
        expectEqual(raised, .high)
        var begun: [Int] = []
        while let id = board.begin().first {
            begun.append(id)
            board.end(id)
        }
        expectEqual(begun, expected.map { $0 == 1 ? a : b })
    }

    @Test("The priority of a running transfer rises, too")
    func raisedUnderWay() throws {
        var board = DownloadBoard(order: .fifo, maximumActive: 1)
        let a = board.join(1, try key("a"), .low).transfer
        let begun = board.begin()
        expectEqual(begun, [a])
        let raised = try [Request.Priority.low, .high, .normal, .high].enumerated().map { number, priority in
            board.join(10 + number, try key("a"), priority).raised
        }
        expectEqual(raised, [nil, .high, nil, nil])
        #expect(board.activeCount == 1 && board.waitingCount == 0)
    }

    @Test("The limit holds; at least one transfer runs")
    func limit() throws {
        var board = DownloadBoard(order: .fifo, maximumActive: 0)
        for number in 0..<3 { _ = board.join(number, try key("\(number)"), .normal) }
        let (first, none) = (board.begin(), board.begin())
        #expect(first.count == 1 && none.isEmpty && board.activeCount == 1)
        board.end(try #require(first.first))
        let second = board.begin()
        #expect(second.count == 1 && board.activeCount == 1)
    }

    @Test("Removing a receiver: others stay, a waiting transfer is removed, a running one is abandoned")
    func leaving() throws {
        var board = DownloadBoard(order: .fifo, maximumActive: 1)
        let a = board.join(1, try key("a"), .normal).transfer
        _ = board.join(2, try key("a"), .normal)
        let b = board.join(3, try key("b"), .normal).transfer
        _ = board.begin()
        let departures = [1, 1, 2, 3, 99].map { board.leave($0) }
        expectEqual(departures, [.nothing, .nothing, .abandoned(a), .removed(b), .nothing])
        #expect(board.waitingCount == 0 && board.transfers.count == 1)
        // A new receiver finds the abandoned transfer.
        let again = board.join(4, try key("a"), .normal)
        #expect(again.transfer == a && !again.isNew)
        let leaves = board.leave(4)
        expectEqual(leaves, .abandoned(a))
        board.detach(a)
        let new = board.join(5, try key("a"), .normal)
        #expect(new.isNew && new.transfer != a)
        // Its place is free only when the cancelled one is over.
        let none = board.begin()
        #expect(none.isEmpty)
        board.end(a)
        let next = board.begin()
        expectEqual(next, [new.transfer])
        let taken = board.take([5, 7], from: new.transfer)
        let departure = board.leave(5)
        #expect(taken == [5] && departure == .nothing)
    }

    @Test("Random use: the limit holds, each receiver waits for one transfer, and all begin")
    func random() throws {
        var random = SeededRandom(seed: 9)
        for order in [DownloadPrioritization.fifo, .lifo] {
            var board = DownloadBoard(order: order, maximumActive: 3)
            var (waiting, active) = (Set<Int>(), Set<Int>())
            for number in 0..<4_000 {
                switch Int.random(in: 0..<4, using: &random) {
                case 0, 1:
                    let priority = Request.Priority(rawValue: Int.random(in: 0...2, using: &random)) ?? .normal
                    _ = board.join(number, try key("\(Int.random(in: 0..<40, using: &random))"), priority)
                    waiting.insert(number)
                case 2:
                    if let leaving = waiting.randomElement(using: &random) {
                        waiting.remove(leaving)
                        if case .abandoned(let id) = board.leave(leaving) { board.detach(id) }
                    }
                default:
                    if let id = active.randomElement(using: &random) {
                        active.remove(id)
                        waiting.subtract(board.take(Set(board.receivers(of: id)), from: id))
                        board.end(id)
                    }
                }
                active.formUnion(board.begin())
                #expect(active.count == board.activeCount && active.count <= 3)
                let receivers = board.transfers.values.flatMap(\.receivers)
                #expect(receivers.count == waiting.count && Set(receivers) == waiting)
                expectEqual(board.waitingCount, board.transfers.keys.count { !active.contains($0) })
                if board.waitingCount > 0 { expectEqual(active.count, 3) }
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
