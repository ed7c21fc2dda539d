import Testing

@testable import SternaCore
@testable import SternaTestSupport

@Suite("Queues by priority and order")
struct OrderedQueueTests {
    private func all(_ queue: OrderedQueue<Int>) -> [Int] {
        var (queue, taken) = (queue, [Int]())
        while let position = queue.first {
            queue.remove(position.id)
            taken.append(position.id)
        }
        #expect(queue.isEmpty)
        return taken
    }

    @Test("A higher priority comes first, and within a priority the lower order")
    func order() {
        var queue = OrderedQueue<Int>()
        #expect(queue.isEmpty && queue.first == nil)
        queue.insert(1, priority: 0, order: 1)
        queue.insert(2, priority: 1, order: 3)
        queue.insert(3, priority: 1, order: 2)
        queue.insert(4, priority: 0, order: -4)
        expectEqual(queue.first?.id, 3)
        expectEqual(all(queue), [3, 2, 4, 1])
    }

    @Test("An identifier that is added again moves, and one that is removed from the middle is skipped")
    func moves() {
        var queue = OrderedQueue<Int>()
        for id in 1...5 { queue.insert(id, priority: 0, order: id) }
        queue.insert(4, priority: 1, order: 6)
        queue.remove(2)
        queue.remove(2)
        queue.remove(9)
        expectEqual(all(queue), [4, 1, 3, 5])
    }

    @Test("Of several at one position the right one is removed")
    func samePosition() {
        var queue = OrderedQueue<Int>()
        for id in 1...4 { queue.insert(id, priority: 0, order: 0) }
        queue.remove(3)
        expectEqual(Set(all(queue)), [1, 2, 4])
    }

    @Test("Random queues agree with sorting")
    func random() {
        var random = SeededRandom(seed: 7)
        var (queue, known) = (OrderedQueue<Int>(), [Int: (priority: Int, order: Int)]())
        for order in 0..<2_000 {
            let id = Int.random(in: 0..<100, using: &random)
            if Int.random(in: 0..<3, using: &random) == 0 {
                queue.remove(id)
                known[id] = nil
            } else {
                let position = (
                    priority: Int.random(in: 0..<3, using: &random), order: Bool.random(using: &random) ? order : -order
                )
                queue.insert(id, priority: position.priority, order: position.order)
                known[id] = position
            }
            expectEqual(queue.isEmpty, known.isEmpty)
            guard order % 20 == 19 else { continue }
            let sorted = known.sorted { one, other in
                (-one.value.priority, one.value.order) < (-other.value.priority, other.value.order)
            }
            expectEqual(all(queue), sorted.map(\.key))
        }
    }
}
