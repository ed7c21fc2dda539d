import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Sets of a file's bytes")
struct ByteRangesTests {
    static let inserted: [([Range<Int64>], [Range<Int64>])] = [
        ([], []), ([0..<0], []), ([-5..<0], []), ([-5..<3], [0..<3]), ([0..<5, 5..<9], [0..<9]),
        ([5..<9, 0..<5], [0..<9]), ([0..<2, 4..<6], [0..<2, 4..<6]), ([0..<2, 4..<6, 1..<5], [0..<6]),
        ([0..<2, 4..<6, 8..<9, 3..<20], [0..<2, 3..<20]), ([4..<6, 4..<6], [4..<6]), ([4..<6, 0..<9], [0..<9]),
        ([0..<Int64.max, Int64.min..<5], [0..<Int64.max]),
    ]

    @Test("Ranges are sorted and merged", arguments: inserted)
    func inserts(ranges: [Range<Int64>], expected: [Range<Int64>]) {
        let set = ByteRanges(ranges)
        expectEqual(set.ranges, expected)
        expectEqual(ByteRanges(exactly: expected), set)
    }

    @Test(
        "Ranges that are not sorted and merged are refused",
        arguments: [[0..<0], [-1..<3], [0..<5, 5..<9], [0..<5, 4..<9], [5..<9, 0..<2]] as [[Range<Int64>]])
    func refuses(ranges: [Range<Int64>]) {
        expectNil(ByteRanges(exactly: ranges))
    }

    static let gaps: [([Range<Int64>], Int64?, [Range<Int64>])] = [
        ([], 10, [0..<10]), ([], 0, []), ([], nil, [0..<Int64.max]), ([0..<10], 10, []), ([0..<12], 10, []),
        ([0..<4], 10, [4..<10]), ([4..<6], 10, [0..<4, 6..<10]), ([4..<6, 8..<10], 10, [0..<4, 6..<8]),
        ([12..<14], 10, [0..<10]), ([0..<4], nil, [4..<Int64.max]), ([0..<Int64.max], nil, []),
    ]

    @Test("The missing ranges of a length are the gaps", arguments: gaps)
    func missing(ranges: [Range<Int64>], length: Int64?, expected: [Range<Int64>]) {
        let set = ByteRanges(ranges)
        expectEqual(set.missing(of: length), expected)
        if let length { expectEqual(set.remaining(of: length), expected.reduce(0) { $0 + Int64($1.count) }) }
    }

    @Test("A set has a total, a prefix and an end")
    func sums() {
        let set = ByteRanges([0..<4, 6..<9])
        expectEqual(set.total, 7)
        expectEqual(set.prefix, 4)
        expectEqual(set.end, 9)
        expectEqual(ByteRanges([1..<4]).prefix, 0)
        #expect(ByteRanges().isEmpty)
        expectEqual(ByteRanges([0..<Int64.max]).total, .max)
    }

    @Test("Random sets agree with a list of bits")
    func random() {
        for _ in 0..<2_000 {
            var set = ByteRanges()
            var bits = [Bool](repeating: false, count: 40)
            for _ in 0..<Int.random(in: 0...8) {
                let first = Int.random(in: 0..<40)
                let end = min(40, first + Int.random(in: 0...10))
                set.insert(Int64(first)..<Int64(end))
                for index in first..<end { bits[index] = true }
                let hole = Int.random(in: 0..<40)
                let holeEnd = min(40, hole + Int.random(in: 0...4))
                set.remove(Int64(hole)..<Int64(holeEnd))
                for index in hole..<holeEnd { bits[index] = false }
            }
            let cut = Int.random(in: 0...40)
            if Bool.random() {
                set.truncate(to: Int64(cut))
                for index in cut..<40 { bits[index] = false }
            }
            expectEqual(ByteRanges(exactly: set.ranges), set)
            expectEqual(set.total, Int64(bits.count { $0 }))
            let missing = set.missing(of: 40)
            for index in bits.indices {
                let position = Int64(index)
                expectEqual(set.contains(position..<position + 1), bits[index])
                #expect(missing.contains { $0.contains(position) } != bits[index])
            }
        }
    }
}
