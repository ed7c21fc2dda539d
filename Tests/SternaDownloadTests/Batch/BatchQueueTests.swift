import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Downloads: which of a batch run")
struct BatchQueueTests {
    @Test("A limited number begins in order, and the next one at each end", arguments: [1, 2, 3, 7])
    func order(limit: Int) {
        var queue = BatchQueue(count: 5, limit: limit)
        #expect(queue.isSuspended)
        let first = queue.resume()
        #expect(first.goOn.isEmpty)
        expectEqual(first.begin, Array(0..<min(5, limit)))
        #expect(queue.resume().begin.isEmpty)
        for index in 0..<5 {
            let following = index + limit
            expectEqual(queue.ended(index), (following < 5 ? [following] : []))
            expectEqual(queue.isOver, (index == 4))
        }
        #expect(queue.ended(4).isEmpty)
    }

    @Test("Suspended, it begins nothing at an end; resumed, it goes on and fills up")
    func suspended() {
        var queue = BatchQueue(count: 6, limit: 3)
        #expect(queue.suspend().isEmpty)
        _ = queue.resume()
        expectEqual(queue.suspend(), [0, 1, 2])
        #expect(queue.suspend().isEmpty)
        #expect(queue.ended(1).isEmpty)
        let next = queue.resume()
        expectEqual(next.goOn, [0, 2])
        expectEqual(next.begin, [3])
    }

    @Test("Cancelled, it begins nothing more")
    func cancelled() {
        var queue = BatchQueue(count: 4, limit: 2)
        _ = queue.resume()
        expectEqual(queue.cancel(), 2..<4)
        #expect(queue.cancel().isEmpty)
        #expect(!queue.isOver)
        #expect(queue.ended(0).isEmpty)
        #expect(queue.ended(1).isEmpty)
        #expect(queue.isOver)
    }

    @Test("No more than the limit runs at any time, and each runs once, whatever the order of ends")
    func random() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let (count, limit) = (Int.random(in: 0...12, using: &random), Int.random(in: -1...5, using: &random))
            var queue = BatchQueue(count: count, limit: limit)
            var begun: [Int] = []
            var running: Set<Int> = []
            func note(_ new: [Int]) {
                begun += new
                running.formUnion(new)
                #expect(running.count <= max(1, limit))
            }
            note(queue.resume().begin)
            while !queue.isOver {
                if Int.random(in: 0..<4, using: &random) == 0 {
                    expectEqual(Set(queue.suspend()), running)
                    let next = queue.resume()
                    expectEqual(Set(next.goOn), running)
                    note(next.begin)
                }
                guard let index = running.randomElement(using: &random) else { break }
                running.remove(index)
                note(queue.ended(index))
            }
            expectEqual(begun, Array(0..<count))
            #expect(queue.isOver)
        }
    }

    @Test("An empty batch is over")
    func empty() {
        var queue = BatchQueue(count: 0, limit: 4)
        #expect(queue.isOver)
        #expect(queue.resume().begin.isEmpty)
    }
}
