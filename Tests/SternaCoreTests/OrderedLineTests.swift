import Testing

@testable import SternaCore
@testable import SternaTestSupport

@Suite("Lines by rank and order")
struct OrderedLineTests {
    private func all(_ line: OrderedLine<Int>) -> [Int] {
        var (line, taken) = (line, [Int]())
        while let place = line.first {
            line.remove(place.id)
            taken.append(place.id)
        }
        #expect(line.isEmpty)
        return taken
    }

    @Test("A higher rank comes first, and within a rank the lower order")
    func order() {
        var line = OrderedLine<Int>()
        #expect(line.isEmpty && line.first == nil)
        line.insert(1, rank: 0, order: 1)
        line.insert(2, rank: 1, order: 3)
        line.insert(3, rank: 1, order: 2)
        line.insert(4, rank: 0, order: -4)
        expectEqual(line.first?.id, 3)
        expectEqual(all(line), [3, 2, 4, 1])
    }

    @Test("Whoever is added again moves, and whoever leaves from the middle is passed over")
    func moves() {
        var line = OrderedLine<Int>()
        for id in 1...5 { line.insert(id, rank: 0, order: id) }
        line.insert(4, rank: 1, order: 6)
        line.remove(2)
        line.remove(2)
        line.remove(9)
        expectEqual(all(line), [4, 1, 3, 5])
    }

    @Test("Of several at one place the right one leaves")
    func samePlace() {
        var line = OrderedLine<Int>()
        for id in 1...4 { line.insert(id, rank: 0, order: 0) }
        line.remove(3)
        expectEqual(Set(all(line)), [1, 2, 4])
    }

    @Test("Random lines agree with sorting")
    func random() {
        var random = SeededRandom(seed: 7)
        var (line, known) = (OrderedLine<Int>(), [Int: (rank: Int, order: Int)]())
        for order in 0..<2_000 {
            let id = Int.random(in: 0..<100, using: &random)
            if Int.random(in: 0..<3, using: &random) == 0 {
                line.remove(id)
                known[id] = nil
            } else {
                let place = (
                    rank: Int.random(in: 0..<3, using: &random), order: Bool.random(using: &random) ? order : -order
                )
                line.insert(id, rank: place.rank, order: place.order)
                known[id] = place
            }
            expectEqual(line.isEmpty, known.isEmpty)
            guard order % 20 == 19 else { continue }
            let sorted = known.sorted { one, other in
                (-one.value.rank, one.value.order) < (-other.value.rank, other.value.order)
            }
            expectEqual(all(line), sorted.map(\.key))
        }
    }
}
