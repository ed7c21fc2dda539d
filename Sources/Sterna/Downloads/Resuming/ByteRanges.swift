/// A set of a file's bytes, as sorted ranges that neither overlap nor touch.
///
/// Positions are at least 0; negative ones are ignored. No operation overflows.
struct ByteRanges: Sendable, Hashable {
    /// The ranges in ascending order; none is empty, and gaps separate them.
    private(set) var ranges: [Range<Int64>]

    /// Makes a set of any ranges.
    init(_ ranges: some Sequence<Range<Int64>> = []) {
        self.ranges = []
        for range in ranges { insert(range) }
    }

    /// Makes a set of ranges in final form; nil if a range is empty, or if ranges are negative, out of order, overlap or touch.
    init?(exactly ranges: [Range<Int64>]) {
        var end: Int64 = -1
        for range in ranges {
            guard range.lowerBound > end, !range.isEmpty else { return nil }
            end = range.upperBound
        }
        self.ranges = ranges
    }

    /// Whether the set has no bytes.
    var isEmpty: Bool { ranges.isEmpty }

    /// The number of bytes.
    var total: Int64 {
        // The ranges are disjoint parts of 0..<Int64.max, so this cannot overflow.
        ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
    }

    /// The end of the last range; 0 for an empty set.
    var end: Int64 { ranges.last?.upperBound ?? 0 }

    /// The end of the range that begins at 0; 0 if there is none.
    var prefix: Int64 {
        guard let first = ranges.first, first.lowerBound == 0 else { return 0 }
        return first.upperBound
    }

    /// Adds the bytes of a range.
    mutating func insert(_ range: Range<Int64>) {
        guard range.upperBound > 0, !range.isEmpty else { return }
        var lower = max(0, range.lowerBound)
        var upper = range.upperBound
        // The ranges that the new one overlaps or touches.
        let first = index { $0.upperBound >= lower }
        let last = index { $0.lowerBound > upper }
        if first < last {
            lower = min(lower, ranges[first].lowerBound)
            upper = max(upper, ranges[last - 1].upperBound)
        }
        ranges.replaceSubrange(first..<last, with: CollectionOfOne(lower..<upper))
    }

    /// Removes the bytes of a range.
    mutating func remove(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        ranges = ranges.flatMap { own -> [Range<Int64>] in
            guard own.overlaps(range) else { return [own] }
            let before = own.lowerBound..<max(own.lowerBound, range.lowerBound)
            let after = min(own.upperBound, range.upperBound)..<own.upperBound
            return [before, after].filter { !$0.isEmpty }
        }
    }

    /// Returns whether the set has all bytes of a range; true for an empty one.
    func contains(_ range: Range<Int64>) -> Bool {
        guard !range.isEmpty else { return true }
        let place = index { $0.upperBound >= range.upperBound }
        return place < ranges.count && ranges[place].lowerBound <= range.lowerBound
    }

    /// Returns the ranges of a file that the set lacks, in order.
    ///
    /// - Parameter length: the length of the file; nil if unknown, which makes the last range end at `Int64.max`.
    func missing(of length: Int64?) -> [Range<Int64>] {
        let length = length ?? .max
        var found: [Range<Int64>] = []
        var position: Int64 = 0
        for range in ranges where position < length {
            if range.lowerBound > position { found.append(position..<min(range.lowerBound, length)) }
            position = range.upperBound
        }
        if position < length { found.append(position..<length) }
        return found
    }

    /// Returns the number of bytes of a file that the set lacks.
    func remaining(of length: Int64) -> Int64 {
        missing(of: length).reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
    }

    /// Removes the bytes at and after a position.
    mutating func truncate(to length: Int64) {
        ranges.removeSubrange(index { $0.lowerBound >= length }...)
        if let last = ranges.last, last.upperBound > length {
            ranges[ranges.count - 1] = last.lowerBound..<length
        }
    }

    /// Removes all but the first ranges.
    mutating func keepFirst(_ count: Int) { ranges = Array(ranges.prefix(count)) }

    /// Returns the index of the first range that meets a condition, which all later ones must meet, too.
    private func index(_ condition: (Range<Int64>) -> Bool) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if condition(ranges[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
