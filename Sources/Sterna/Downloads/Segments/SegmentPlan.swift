/// Which bytes of a file are under way, and which of them a further connection fetches. A value without I/O and clock.
///
/// The missing bytes are divided among the running segments and the gaps. A segment is one response; it begins with its request,
/// has bytes once its head is there, and may be cut: then another segment has the bytes from its end on.
struct SegmentPlan: Sendable {
    /// The bytes that one response is to bring.
    struct Segment: Sendable, Hashable {
        let number: Int

        /// The position of the first byte.
        let start: Int64

        /// The position of the byte that arrives next.
        var next: Int64

        /// The position after the last byte that the segment brings.
        var end: Int64

        /// The position after the last byte that the response brings: behind `end` if the segment was cut.
        var reach: Int64

        /// When the head of the response arrived, in seconds; nil before.
        var began: Double?

        /// The bytes that are still to come.
        var rest: Int64 { end - next }

        /// The time in seconds that the rest takes at the segment's average rate; infinite before its first byte.
        func timeLeft(at now: Double) -> Double {
            guard let began, next > start else { return .infinity }
            return Double(rest) * max(0, now - began) / Double(next - start)
        }
    }

    /// What becomes of a piece of a response.
    enum Intake: Sendable, Hashable {
        /// All of it belongs to the segment, whose response goes on or ends.
        case all

        /// The first bytes, perhaps none, belong to the segment. The others are of no use: give the response up.
        case last(Int)

        /// The response has more bytes than it announced.
        case tooMany
    }

    private let rules: SegmentRules
    private var lastNumber = 0

    /// The segments under way, in no order.
    private(set) var running: [Segment]

    /// The missing bytes that no segment has.
    private(set) var gaps: ByteRanges

    /// Makes a plan with the segment of a response whose head is there.
    ///
    /// - Parameters:
    ///   - range: the bytes of the response; up to `Int64.max` if its length is unknown.
    ///   - missing: the bytes that are missing besides.
    init(_ range: Range<Int64>, missing: [Range<Int64>], at now: Double, _ rules: SegmentRules = SegmentRules()) {
        self.rules = rules
        running = [
            Segment(
                number: 0, start: range.lowerBound, next: range.lowerBound, end: range.upperBound,
                reach: range.upperBound, began: now)
        ]
        gaps = ByteRanges(missing)
        gaps.remove(range)
    }

    /// The number of segments whose head is there.
    var begun: Int { running.count { $0.began != nil } }

    // MARK: New segments

    /// Begins a segment: with the first gap, else with half of the slowest segment's rest. Returns nil if that is too small.
    mutating func open(at now: Double) -> Segment? {
        if let gap = gaps.ranges.first {
            gaps.remove(gap)
            return add(gap)
        }
        let shared = running.indices.filter { mayShare(running[$0], at: now) }
        let slowest = shared.max { left, right in
            let (left, right) = (running[left], running[right])
            return (left.timeLeft(at: now), left.rest) < (right.timeLeft(at: now), right.rest)
        }
        guard let slowest else { return nil }
        let end = running[slowest].end
        let middle = end - running[slowest].rest / 2
        running[slowest].end = middle
        return add(middle..<end)
    }

    private func mayShare(_ segment: Segment, at now: Double) -> Bool {
        segment.began != nil && segment.end < .max && segment.rest / 2 >= rules.leastPart
            && segment.timeLeft(at: now) >= rules.leastTime
    }

    private mutating func add(_ range: Range<Int64>) -> Segment {
        lastNumber += 1
        let segment = Segment(
            number: lastNumber, start: range.lowerBound, next: range.lowerBound, end: range.upperBound,
            reach: range.upperBound)
        running.append(segment)
        return segment
    }

    /// Records the head of a segment's response. Returns false if another segment has its bytes by now.
    ///
    /// - Parameter end: the position after the last byte of the response, which may be lower than requested.
    mutating func begin(_ number: Int, upTo end: Int64, at now: Double) -> Bool {
        guard let index = index(number) else { return false }
        if end < running[index].end {
            gaps.insert(max(end, running[index].next)..<running[index].end)
            running[index].end = end
        }
        running[index].reach = end
        running[index].began = now
        return true
    }

    // MARK: Bytes

    /// Counts the next bytes of a segment's response.
    mutating func take(_ count: Int, by number: Int) -> Intake {
        while let index = index(number), running[index].rest <= Int64(count), extend(running[index]) {}
        guard let index = index(number) else { return .last(0) }
        let taken = min(running[index].rest, Int64(count))
        running[index].next += taken
        let segment = running[index]
        guard segment.end < segment.reach else { return taken < Int64(count) ? .tooMany : .all }
        return segment.rest == 0 ? .last(Int(taken)) : .all
    }

    /// Gives a segment that was cut the bytes behind its end, if its response has them and no other response has begun with them.
    private mutating func extend(_ segment: Segment) -> Bool {
        guard segment.end < segment.reach else { return false }
        var end = segment.end
        if let gap = gaps.ranges.first(where: { $0.lowerBound == segment.end }) {
            end = min(gap.upperBound, segment.reach)
            gaps.remove(segment.end..<end)
        } else {
            // A request that has no answer yet is not waited for.
            let other = running.firstIndex { $0.start == segment.end && $0.began == nil && $0.end <= segment.reach }
            guard let other else { return false }
            end = running.remove(at: other).end
        }
        guard let index = index(segment.number) else { return false }
        running[index].end = end
        return true
    }

    // MARK: Ends

    /// Ends a segment; the bytes that did not come become a gap. Returns their number.
    @discardableResult
    mutating func end(_ number: Int) -> Int64 {
        guard let index = index(number) else { return 0 }
        let segment = running.remove(at: index)
        gaps.insert(segment.next..<segment.end)
        return segment.rest
    }

    /// Ends the newest segment, unless it is the only one.
    mutating func endNewest() {
        guard running.count > 1, let newest = running.max(by: { $0.number < $1.number }) else { return }
        end(newest.number)
    }

    /// Whether a segment is under way.
    func has(_ number: Int) -> Bool { index(number) != nil }

    private func index(_ number: Int) -> Int? { running.firstIndex { $0.number == number } }
}
