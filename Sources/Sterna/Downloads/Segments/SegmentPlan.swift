/// Divides a file's missing bytes among connections. A value without I/O or a clock.
///
/// Each missing byte belongs to a running segment or a gap. A segment is one response: it starts with its request, receives bytes
/// after its head, and may be cut; then another segment has the bytes after its end.
struct SegmentPlan: Sendable {
    /// The bytes expected from one response.
    struct Segment: Sendable, Hashable {
        let number: Int

        /// The position of the first byte.
        let start: Int64

        /// The position of the next byte to arrive.
        var next: Int64

        /// The position after the segment's last byte.
        var end: Int64

        /// The position after the response's last byte; greater than `end` if the segment was cut.
        var reach: Int64

        /// When the head of the response arrived, in seconds; nil before.
        var began: Double?

        /// The number of bytes still to arrive.
        var rest: Int64 { end - next }

        /// Returns the remaining time in seconds at the segment's average rate; infinite before its first byte.
        func timeLeft(at now: Double) -> Double {
            guard let began, next > start else { return .infinity }
            return Double(rest) * max(0, now - began) / Double(next - start)
        }
    }

    /// What to do with a piece of a response.
    enum Intake: Sendable, Hashable {
        /// All of it belongs to the segment.
        case all

        /// Only the first bytes, perhaps none, belong to the segment; then the response is cancelled.
        case last(Int)

        /// The response has more bytes than it announced.
        case tooMany
    }

    private let rules: SegmentRules
    private var lastNumber = 0

    /// The running segments, in no order.
    private(set) var running: [Segment]

    /// The missing bytes without a segment.
    private(set) var gaps: ByteRanges

    /// Makes a plan with the segment of a response whose head has arrived.
    ///
    /// - Parameters:
    ///   - range: the bytes of the response; up to `Int64.max` if its length is unknown.
    ///   - missing: the other missing bytes.
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

    /// The number of segments whose head has arrived.
    var begun: Int { running.count { $0.began != nil } }

    // MARK: New segments

    /// Opens a segment with the first gap, or else with half of what the slowest segment has left. Returns nil if that is too
    /// small.
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

    /// Records the head of a segment's response. Returns false if another segment has received its bytes.
    ///
    /// - Parameter end: the position after the response's last byte, which may be lower than requested.
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

    /// Extends a segment that was cut, if its response has the bytes after its end and no other response has started with them.
    private mutating func extend(_ segment: Segment) -> Bool {
        guard segment.end < segment.reach else { return false }
        var end = segment.end
        if let gap = gaps.ranges.first(where: { $0.lowerBound == segment.end }) {
            end = min(gap.upperBound, segment.reach)
            gaps.remove(segment.end..<end)
        } else {
            // A request without a response yet is not worth waiting for.
            let other = running.firstIndex { $0.start == segment.end && $0.began == nil && $0.end <= segment.reach }
            guard let other else { return false }
            end = running.remove(at: other).end
        }
        guard let index = index(segment.number) else { return false }
        running[index].end = end
        return true
    }

    // MARK: Ends

    /// Ends a segment, and returns its missing bytes to the gaps. Returns their number.
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

    /// Returns whether a segment is running.
    func has(_ number: Int) -> Bool { index(number) != nil }

    private func index(_ number: Int) -> Int? { running.firstIndex { $0.number == number } }
}
