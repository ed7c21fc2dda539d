import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Queues: whose turn it is")
struct QueuePlanTests {
    /// A transfer of a test.
    private struct Item {
        var id: Int
        var host = "a"
        var priority = Request.Priority.normal
        var isBackground = false
        var after: [Int] = []
    }

    private func plan(
        _ items: [Item], total: Int = 1, perHost: Int = .max, lastComesFirst: Bool = false
    ) -> QueuePlan<Int> {
        var plan = QueuePlan<Int>(.init(total: total, perHost: perHost), lastComesFirst: lastComesFirst)
        for item in items {
            plan.add(
                item.id, host: item.host, priority: item.priority, isBackground: item.isBackground, after: item.after)
            plan.ask(item.id)
        }
        return plan
    }

    /// Runs a plan to its end, the earliest transfer first; returns the waves of turns.
    private func waves(_ plan: QueuePlan<Int>) -> [[Int]] {
        var (plan, waves) = (plan, [[Int]]())
        plan.resume()
        while true {
            let begun = plan.next()
            if !begun.isEmpty { waves.append(begun) }
            guard let first = plan.running.first else { return waves }
            plan.remove(first)
        }
    }

    @Test(
        "The order of turns",
        arguments: [
            ("in order", [Item(id: 1), Item(id: 2), Item(id: 3)], false, [1, 2, 3]),
            ("last in, first out", [Item(id: 1), Item(id: 2), Item(id: 3)], true, [3, 2, 1]),
            (
                "priorities first",
                [
                    Item(id: 1, priority: .low), Item(id: 2), Item(id: 3, priority: .high),
                    Item(id: 4, priority: .high), Item(id: 5),
                ], false, [3, 4, 2, 5, 1]
            ),
            (
                "priorities first, then from behind",
                [
                    Item(id: 1, priority: .low), Item(id: 2), Item(id: 3, priority: .high), Item(id: 4),
                    Item(id: 5, priority: .high),
                ],
                true, [5, 3, 4, 2, 1]
            ),
            (
                "the background behind all others",
                [
                    Item(id: 1, priority: .high, isBackground: true), Item(id: 2, isBackground: true),
                    Item(id: 3, priority: .low),
                ],
                false, [3, 1, 2]
            ),
            (
                "behind what it waits for, whatever the priority",
                [Item(id: 1, priority: .low), Item(id: 2, priority: .high, after: [1]), Item(id: 3)],
                false, [3, 1, 2]
            ),
            (
                "a chain", [Item(id: 1), Item(id: 2, after: [1]), Item(id: 3, after: [2]), Item(id: 4)],
                false, [1, 2, 3, 4]
            ),
            ("an unknown dependency counts not", [Item(id: 1, after: [9])], false, [1]),
        ] as [(String, [Item], Bool, [Int])])
    private func order(_ name: String, _ items: [Item], _ lastComesFirst: Bool, _ expected: [Int]) {
        expectEqual(waves(plan(items, lastComesFirst: lastComesFirst)).flatMap { $0 }, expected, "\(name)")
    }

    @Test("A limited number begins in order, and the next one at each end", arguments: [1, 2, 3, 7])
    func one(limit: Int) {
        var plan = plan((0..<5).map { Item(id: $0) }, total: limit)
        #expect(plan.isSuspended && plan.resume().isEmpty && !plan.isSuspended)
        expectEqual(plan.next(), Array(0..<min(5, limit)))
        #expect(plan.next().isEmpty)
        for id in 0..<5 {
            plan.remove(id)
            let following = id + limit
            expectEqual(plan.next(), following < 5 ? [following] : [])
            expectEqual(plan.count, 4 - id)
        }
        #expect(plan.remove(4).isEmpty && plan.next().isEmpty)
    }

    @Test("Limits in total and for each host")
    func limits() {
        let items = [
            Item(id: 1), Item(id: 2), Item(id: 3), Item(id: 4, host: "b"), Item(id: 5, host: "c"),
            Item(id: 6, host: "b"),
        ]
        expectEqual(waves(plan(items, total: 2)), [[1, 2], [3], [4], [5], [6]])
        expectEqual(waves(plan(items, total: 3, perHost: 1)), [[1, 4, 5], [2], [3], [6]])
        expectEqual(waves(plan(items, total: 9, perHost: 2)), [[1, 2, 4, 5, 6], [3]])
        expectEqual(waves(plan(items, total: 0, perHost: 0)), [[1], [2], [3], [4], [5], [6]])
    }

    @Test("Nothing begins while the queue is suspended, and what runs keeps its turn")
    func suspended() {
        var plan = plan([Item(id: 1), Item(id: 2), Item(id: 3)], total: 2)
        #expect(plan.next().isEmpty)
        plan.resume()
        expectEqual(plan.next(), [1, 2])
        plan.suspend()
        plan.remove(1)
        #expect(plan.next().isEmpty && plan.running == [2])
        plan.resume()
        expectEqual(plan.next(), [3])
    }

    @Test("What runs is suspended once, and goes on once")
    func transitions() {
        var plan = plan((0..<6).map { Item(id: $0) }, total: 3)
        #expect(plan.suspend().isEmpty && plan.resume().isEmpty)
        expectEqual(plan.next(), [0, 1, 2])
        #expect(plan.resume().isEmpty)
        expectEqual(plan.suspend(), [0, 1, 2])
        #expect(plan.suspend().isEmpty)
        plan.remove(1)
        #expect(plan.next().isEmpty)
        expectEqual(plan.resume(), [0, 2])
        expectEqual(plan.next(), [3])
    }

    @Test("Without those that wait, nothing more begins, and the last end empties it")
    func waiting() {
        var plan = plan((0..<4).map { Item(id: $0) }, total: 2)
        plan.resume()
        expectEqual(plan.waiting, [0, 1, 2, 3])
        _ = plan.next()
        expectEqual(plan.waiting, [2, 3])
        for id in plan.waiting { plan.remove(id) }
        #expect(plan.waiting.isEmpty && plan.count == 2)
        #expect(plan.isRunning(0) && !plan.isRunning(2) && !plan.isRunning(9))
        for id in 0..<2 {
            plan.remove(id)
            #expect(plan.next().isEmpty && plan.runningCount == 1 - id)
        }
        expectEqual(plan.count, 0)
    }

    @Test("An empty one gives no turns")
    func empty() {
        var plan = plan([])
        #expect(plan.resume().isEmpty && plan.next().isEmpty && plan.count == 0)
    }

    @Test("One that rests gives its turn up, and keeps its place")
    func rests() {
        var plan = plan([Item(id: 1), Item(id: 2), Item(id: 3)])
        plan.resume()
        expectEqual(plan.next(), [1])
        plan.rest(1)
        expectEqual(plan.next(), [2])
        plan.ask(1)
        plan.ask(1)
        #expect(plan.next().isEmpty)
        plan.remove(2)
        expectEqual(plan.next(), [1])
        plan.giveUpWaiting(1)
        plan.giveUpWaiting(3)
        plan.ask(3)
        plan.remove(1)
        #expect(plan.next().isEmpty && plan.count == 1)
    }

    @Test("Dependencies are refused that would never end, or come too late")
    func cycles() throws {
        var plan = plan([Item(id: 1), Item(id: 2, after: [1]), Item(id: 3, after: [2]), Item(id: 4)], total: 1)
        #expect(throws: QueuePlan<Int>.Fault.cycle) { try plan.require(1, after: 3) }
        #expect(throws: QueuePlan<Int>.Fault.cycle) { try plan.require(1, after: 1) }
        #expect(throws: QueuePlan<Int>.Fault.unknown) { try plan.require(9, after: 1) }
        try plan.require(1, after: 4)
        try plan.require(1, after: 99)
        plan.resume()
        expectEqual(plan.next(), [4])
        #expect(throws: QueuePlan<Int>.Fault.begun) { try plan.require(4, after: 2) }
        expectEqual(plan.remove(4), [1])
        expectEqual(plan.next(), [1])
    }

    @Test("A change of priority moves those that wait")
    func priority() {
        var plan = plan([Item(id: 1), Item(id: 2), Item(id: 3)])
        plan.setPriority(.high, of: 3)
        plan.setPriority(.low, of: 1)
        #expect(plan.priority(of: 3) == .high && plan.priority(of: 9) == nil)
        expectEqual(waves(plan).flatMap { $0 }, [3, 2, 1])
    }

    @Test("Random plans keep their limits, run each transfer once, and never before what it waits for")
    func random() {
        for seed in 1...UInt64(LongTests.choose(60, inFull: 200)) {
            var random = SeededRandom(seed: seed)
            let (total, perHost) = (Int.random(in: 1...4, using: &random), Int.random(in: 1...3, using: &random))
            var plan = QueuePlan<Int>(.init(total: total, perHost: perHost))
            var (hosts, after, done, running) = ([Int: String](), [Int: Set<Int>](), Set<Int>(), Set<Int>())
            plan.resume()
            for id in 0..<40 {
                hosts[id] = ["a", "b", "c"].randomElement(using: &random)
                let others = (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in
                    id > 0 ? Int.random(in: 0..<id, using: &random) : nil
                }
                after[id] = Set(others)
                plan.add(
                    id, host: hosts[id] ?? "", priority: [.low, .normal, .high].randomElement(using: &random) ?? .low,
                    after: others)
                plan.ask(id)
            }
            while done.count < 40 {
                for id in plan.next() {
                    #expect(!done.contains(id) && running.insert(id).inserted, "seed \(seed)")
                    #expect(done.isSuperset(of: after[id] ?? []), "seed \(seed)")
                }
                #expect(running.count <= total, "seed \(seed)")
                for host in ["a", "b", "c"] { #expect(running.count { hosts[$0] == host } <= perHost, "seed \(seed)") }
                guard let id = running.randomElement(using: &random) else {
                    Issue.record("nothing runs, seed \(seed)")
                    break
                }
                running.remove(id)
                if Bool.random(using: &random) {
                    plan.remove(id)
                    done.insert(id)
                } else {
                    plan.rest(id)
                    plan.ask(id)
                }
            }
            expectEqual(plan.count, 0)
        }
    }

    @Test(
        "No more than the limit runs at any time, and each in order, whatever the order of ends and the interruptions")
    func interrupted() {
        for seed in 1...UInt64(200) {
            var random = SeededRandom(seed: seed)
            let (count, limit) = (Int.random(in: 0...12, using: &random), Int.random(in: -1...5, using: &random))
            var plan = plan((0..<count).map { Item(id: $0) }, total: limit)
            var (begun, running) = ([Int](), Set<Int>())
            plan.resume()
            while true {
                let new = plan.next()
                begun += new
                running.formUnion(new)
                #expect(running.count <= max(1, limit) && plan.runningCount == running.count, "seed \(seed)")
                expectEqual(plan.waiting, Array(begun.count..<count), "seed \(seed)")
                if Int.random(in: 0..<4, using: &random) == 0 {
                    expectEqual(plan.suspend(), running.sorted(), "seed \(seed)")
                    #expect(plan.next().isEmpty, "seed \(seed)")
                    expectEqual(plan.resume(), running.sorted(), "seed \(seed)")
                }
                guard let id = running.randomElement(using: &random) else { break }
                running.remove(id)
                plan.remove(id)
            }
            expectEqual(begun, Array(0..<count), "seed \(seed)")
            expectEqual(plan.count, 0, "seed \(seed)")
        }
    }
}
