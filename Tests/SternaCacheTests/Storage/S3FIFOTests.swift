import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cache storage: the order of eviction")
struct S3FIFOTests {
    /// A model: the same rules with lists.
    struct Model {
        struct Item {
            var id: Int
            var size: Int64
            var uses: UInt8
        }

        let capacity: Int64
        let limit: Int
        var small: [Item] = []
        var main: [Item] = []
        var ghosts: [Int] = []

        var size: Int64 { (small + main).reduce(0) { $0 + $1.size } }
        var count: Int { small.count + main.count }

        mutating func insert(_ id: Int, size: Int64) {
            let item = Item(id: id, size: size, uses: 0)
            if ghosts.contains(id) {
                ghosts.removeAll { $0 == id }
                main.append(item)
            } else {
                small.append(item)
            }
        }

        mutating func use(_ id: Int) {
            for index in small.indices where small[index].id == id { small[index].uses = min(3, small[index].uses + 1) }
            for index in main.indices where main[index].id == id { main[index].uses = min(3, main[index].uses + 1) }
        }

        mutating func remove(_ id: Int) {
            small.removeAll { $0.id == id }
            main.removeAll { $0.id == id }
        }

        mutating func resize(_ id: Int, to size: Int64) {
            for index in small.indices where small[index].id == id { small[index].size = size }
            for index in main.indices where main[index].id == id { main[index].size = size }
        }

        mutating func evict() -> Int? {
            while size > capacity || count > limit {
                let smallSize = small.reduce(0) { $0 + $1.size }
                if !small.isEmpty, smallSize > capacity / 10 || main.isEmpty {
                    let count = count
                    var item = small.removeFirst()
                    guard item.uses > 0 else {
                        ghosts.removeAll { $0 == item.id }
                        ghosts.append(item.id)
                        while ghosts.count > max(16, count) { ghosts.removeFirst() }
                        return item.id
                    }
                    item.uses = 0
                    main.append(item)
                } else {
                    var item = main.removeFirst()
                    guard item.uses > 0 else { return item.id }
                    item.uses -= 1
                    main.append(item)
                }
            }
            return nil
        }
    }

    @Test("Random calls evict the same elements as a simple model", arguments: 0..<20)
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let capacity = Int64.random(in: 0...400, using: &random)
        let limit = seed.isMultiple(of: 3) ? 12 : Int.max
        var queue = S3FIFO<Int>(capacity: capacity, limit: limit)
        var model = Model(capacity: capacity, limit: limit)
        var slots: [Int: Int] = [:]
        for step in 0..<3_000 {
            let id = Int.random(in: 0..<90, using: &random)
            switch (Int.random(in: 0..<10, using: &random), slots[id]) {
            case (..<5, nil):
                let size = Int64.random(in: 0...40, using: &random)
                slots[id] = queue.insert(id, fingerprint: UInt64(id), size: size)
                model.insert(id, size: min(size, capacity + 1))
            case (..<8, let slot?):
                queue.use(slot)
                model.use(id)
            case (8, let slot?):
                expectEqual(queue.remove(slot), id)
                model.remove(id)
                slots[id] = nil
            case (9, let slot?):
                let size = Int64.random(in: 0...40, using: &random)
                queue.resize(slot, to: size)
                model.resize(id, to: min(size, capacity + 1))
            default: break
            }
            while true {
                let (evicted, expected) = (queue.evict(), model.evict())
                guard evicted == expected else {
                    Issue.record("Step \(step) evicts \(evicted as Any) in place of \(expected as Any).")
                    return
                }
                guard let evicted else { break }
                slots[evicted] = nil
            }
            guard queue.size == model.size, queue.count == model.count, queue.count == slots.count,
                queue.order.map(\.element) == (model.small + model.main).map(\.id),
                queue.order.map(\.uses) == (model.small + model.main).map(\.uses)
            else {
                Issue.record("Step \(step): \(queue.order) in place of \(model).")
                return
            }
        }
    }

    @Test("A scan of elements that are used once does not evict those that are used again")
    func scan() {
        var queue = S3FIFO<Int>(capacity: 100)
        var slots: [Int: Int] = [:]
        func insert(_ id: Int) {
            slots[id] = queue.insert(id, fingerprint: UInt64(id), size: 1)
            while let evicted = queue.evict() { slots[evicted] = nil }
        }
        for id in 0..<80 { insert(id) }
        for id in 0..<80 { slots[id].map { queue.use($0) } }
        for id in 1_000..<11_000 { insert(id) }
        #expect((0..<80).allSatisfy { slots[$0] != nil })
        expectEqual(queue.count, 100)
    }

    @Test("An element that returns soon after its eviction enters the main queue")
    func ghost() {
        var queue = S3FIFO<Int>(capacity: 20)
        for id in 0..<30 {
            _ = queue.insert(id, fingerprint: UInt64(id), size: 1)
            while queue.evict() != nil {}
        }
        _ = queue.insert(5, fingerprint: 5, size: 1)
        expectEqual(queue.order.last.map { $0.element == 5 && $0.queue == .main }, true)
    }

    @Test("Extreme sizes do not overflow")
    func extremes() {
        var queue = S3FIFO<Int>(capacity: .max - 1)
        let first = queue.insert(1, fingerprint: 1, size: .min)
        queue.resize(first, to: -5)
        expectEqual(queue.size, 0)
        var small = S3FIFO<Int>(capacity: -1)
        _ = small.insert(1, fingerprint: 1, size: .max)
        #expect(small.evict() == 1 && small.evict() == nil && small[99] == nil && small.remove(-1) == nil)
    }

    @Test("The ghost queue forgets the oldest elements, and stays short")
    func ghosts() {
        var ghosts = GhostQueue()
        for number in 0..<100_000 as Range<UInt64> {
            ghosts.add(number % 50, limit: 20)
            if number % 3 == 0 { _ = ghosts.take((number + 49) % 50) }
        }
        #expect(ghosts.count <= 20)
        let (newest, oldest) = (ghosts.take(99_999 % 50), ghosts.take(99_970 % 50))
        #expect(newest && !oldest)
    }
}
