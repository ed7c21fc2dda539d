import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Downloads: plan of segments")
struct SegmentPlanTests {
    private static let rules = {
        var rules = SegmentRules()
        rules.leastPart = 10
        rules.leastTime = 1
        return rules
    }()

    /// A plan for a file of 100 bytes of which the first response has brought 20 in two seconds.
    private func begun(_ count: Int = 20) -> SegmentPlan {
        var plan = SegmentPlan(0..<100, missing: [0..<100], at: 0, Self.rules)
        if count > 0 { _ = plan.take(count, by: 0) }
        return plan
    }

    /// Records a response to the request of a segment.
    private func begin(_ number: Int, upTo end: Int64, in plan: inout SegmentPlan) {
        let isNeeded = plan.begin(number, upTo: end, at: 2)
        #expect(isNeeded)
    }

    @Test("Another segment takes half of the rest, and the first one ends there")
    func half() {
        var plan = begun()
        let second = plan.open(at: 2)
        expectEqual(second.map { $0.start..<$0.end }, 60..<100)
        begin(1, upTo: 100, in: &plan)
        expectEqual(plan.take(30, by: 0), .all)
        expectEqual(plan.take(30, by: 0), .last(10))
        expectEqual(plan.end(0), 0)
        expectEqual(plan.take(40, by: 1), .all)
        expectEqual(plan.take(1, by: 1), .tooMany)
        expectEqual(plan.end(1), 0)
        #expect(plan.running.isEmpty && plan.gaps.isEmpty)
    }

    @Test("A rest that is too small, or takes too little time, is not shared")
    func tooSmall() {
        var plan = begun(81)
        expectNil(plan.open(at: 100))
        plan = begun()
        // 80 bytes are left, at 200 bytes per second.
        expectNil(plan.open(at: 0.1))
        #expect(plan.open(at: 1) != nil)
        // The length is unknown.
        plan = SegmentPlan(0..<Int64.max, missing: [], at: 0, Self.rules)
        _ = plan.take(20, by: 0)
        expectNil(plan.open(at: 100))
    }

    @Test("The slowest segment is shared, but not one without a response")
    func slowest() {
        var plan = begun()
        _ = plan.open(at: 2)
        // The second segment has no response yet, so the first one is shared again.
        expectEqual(plan.open(at: 2).map { $0.start..<$0.end }, 40..<60)
        begin(1, upTo: 100, in: &plan)
        begin(2, upTo: 60, in: &plan)
        expectEqual(plan.take(10, by: 2), .all)
        expectEqual(plan.take(1, by: 1), .all)
        // In five seconds one byte of the second segment arrived: 39 are left, which takes longest.
        expectEqual(plan.open(at: 7).map { $0.start..<$0.end }, 81..<100)
    }

    @Test("Gaps come first, including the rest of a failed segment")
    func gaps() {
        var plan = SegmentPlan(10..<40, missing: [10..<40, 60..<70, 80..<100], at: 0, Self.rules)
        expectEqual(plan.gaps.ranges, [60..<70, 80..<100])
        expectEqual(plan.open(at: 1).map { $0.start..<$0.end }, 60..<70)
        begin(1, upTo: 70, in: &plan)
        expectEqual(plan.take(4, by: 1), .all)
        expectEqual(plan.end(1), 6)
        expectEqual(plan.gaps.ranges, [64..<70, 80..<100])
        expectEqual(plan.open(at: 1).map { $0.start..<$0.end }, 64..<70)
    }

    @Test("The first response continues where a segment has failed or has no response yet")
    func extended() {
        for fails in [true, false] {
            var plan = begun()
            _ = plan.open(at: 2)
            if fails { plan.end(1) }
            expectEqual(plan.take(70, by: 0), .all)
            expectEqual(plan.running.map(\.number), [0])
            expectEqual(plan.begin(1, upTo: 100, at: 3), false)
            expectEqual(plan.take(10, by: 0), .all)
            expectEqual(plan.end(0), 0)
            #expect(plan.running.isEmpty && plan.gaps.isEmpty)
        }
    }

    @Test("A part that is shorter than requested leaves a gap")
    func short() {
        var plan = begun()
        _ = plan.open(at: 2)
        begin(1, upTo: 70, in: &plan)
        expectEqual(plan.gaps.ranges, [70..<100])
        expectEqual(plan.take(11, by: 1), .tooMany)
    }

    @Test("The newest segment is ended, but not the only one")
    func newest() {
        var plan = begun()
        plan.endNewest()
        expectEqual(plan.running.count, 1)
        _ = plan.open(at: 2)
        plan.endNewest()
        expectEqual(plan.running.map(\.number), [0])
        expectEqual(plan.take(5, by: 1), .last(0))
    }

    @Test("Any schedule delivers every byte once, and ends", arguments: UInt64(0)..<300)
    func random(seed: UInt64) throws {
        var schedule = Schedule(seed: seed)
        for _ in 0..<5_000 where !schedule.isOver { try schedule.step() }
        #expect(schedule.isOver)
        #expect(schedule.brought.allSatisfy { $0 == 1 })
    }
}

/// Responses that bring bytes, fail and end at random.
private struct Schedule {
    private var generator: SeededRandom
    private var plan: SegmentPlan
    private var responses: [Int: (position: Int64, reach: Int64)]
    private var requests: [Int: Range<Int64>] = [:]
    private var now = 0.0
    private var failures = 20

    /// How often each byte arrived.
    private(set) var brought: [Int]

    init(seed: UInt64) {
        generator = SeededRandom(seed: seed)
        var rules = SegmentRules()
        rules.leastPart = Int64.random(in: 1...20, using: &generator)
        rules.leastTime = Double.random(in: 0...3, using: &generator)
        let length = Int64.random(in: 2...200, using: &generator)
        brought = Array(repeating: 0, count: Int(length))
        // A part in the middle may be there already.
        let middle = length / 2
        let there = middle..<Int64.random(in: middle...length, using: &generator)
        for position in there { brought[Int(position)] += 1 }
        let missing = ByteRanges([there]).missing(of: length)
        let first = missing.first ?? 0..<length
        plan = SegmentPlan(first, missing: missing, at: 0, rules)
        responses = [0: (first.lowerBound, first.upperBound)]
    }

    var isOver: Bool { plan.running.isEmpty && plan.gaps.isEmpty }

    mutating func step() throws {
        now += Double.random(in: 0...0.5, using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0, 1: open()
        case 2, 3: answer()
        default: try read()
        }
        if plan.running.isEmpty { open() }
        // Every byte has arrived, is under way, or is in a gap.
        var covered = brought
        for range in plan.gaps.ranges + plan.running.map({ $0.next..<$0.end }) {
            for position in range { covered[Int(position)] += 1 }
        }
        try #require(covered.allSatisfy { $0 == 1 })
    }

    private mutating func open() {
        guard plan.running.count < 5, let segment = plan.open(at: now) else { return }
        requests[segment.number] = segment.start..<segment.end
    }

    private mutating func answer() {
        guard let number = requests.keys.sorted().randomElement(using: &generator),
            let range = requests.removeValue(forKey: number)
        else { return }
        guard !fails(one: 4) else { return _ = plan.end(number) }
        let isShort = Int.random(in: 0..<4, using: &generator) == 0
        let end =
            isShort ? Int64.random(in: range.lowerBound + 1...range.upperBound, using: &generator) : range.upperBound
        if plan.begin(number, upTo: end, at: now) { responses[number] = (range.lowerBound, end) }
    }

    private mutating func read() throws {
        guard let number = responses.keys.sorted().randomElement(using: &generator), let response = responses[number]
        else { return }
        let (position, reach) = response
        guard position < reach, !fails(one: 15) else {
            responses[number] = nil
            plan.end(number)
            return
        }
        if fails(one: 30) { plan.endNewest() }
        let count = Int.random(in: 1...min(30, Int(reach - position)), using: &generator)
        let intake = plan.take(count, by: number)
        try #require(intake != .tooMany)
        var taken = count
        if case .last(let part) = intake { taken = part }
        for byte in position..<position + Int64(taken) { brought[Int(byte)] += 1 }
        responses[number] = intake == .all ? (position + Int64(count), reach) : nil
        if intake != .all { plan.end(number) }
    }

    private mutating func fails(one: Int) -> Bool {
        guard failures > 0, Int.random(in: 0..<one, using: &generator) == 0 else { return false }
        failures -= 1
        return true
    }
}
