import Sterna
import Testing

@testable import SternaS3
@testable import SternaTestSupport

@Suite("S3: parts of uploads")
struct S3PartPlanTests {
    private static let mebibyte: Int64 = 1 << 20
    private static let gibibyte: Int64 = 1 << 30

    struct Row: Sendable {
        let length: Int64
        var wanted: Int64 = 8 << 20
        var largest: Int64?
        let part: Int64
        let count: Int
    }

    static let rows: [Row] = [
        Row(length: 1, part: 8 * mebibyte, count: 1),
        Row(length: 8 * mebibyte, part: 8 * mebibyte, count: 1),
        Row(length: 8 * mebibyte + 1, part: 8 * mebibyte, count: 2),
        Row(length: 256 * mebibyte, part: 8 * mebibyte, count: 32),
        // Parts have at least 5 MiB, whatever is wanted, and at most 5 GiB.
        Row(length: 12 * mebibyte, wanted: 1, part: 5 * mebibyte, count: 3),
        Row(length: 12 * gibibyte, wanted: .max, part: 5 * gibibyte, count: 3),
        // There are at most 10,000.
        Row(length: 80_000 * mebibyte, part: 8 * mebibyte, count: 10_000),
        Row(length: 80_000 * mebibyte + 1, part: 9 * mebibyte, count: 8_889),
        Row(length: 5 << 40, part: 525 * mebibyte, count: 9_987),
        // A limit on requests.
        Row(length: 30 * mebibyte, largest: 6 * mebibyte, part: 6 * mebibyte, count: 5),
        Row(length: 30 * mebibyte, largest: 100 * gibibyte, part: 8 * mebibyte, count: 4),
        Row(length: 85_000 * mebibyte, largest: 8_912_896, part: 8_912_896, count: 10_000),
    ]

    @Test("The size of parts grows with the file", arguments: rows)
    func sizes(row: Row) throws {
        let plan = try S3PartPlan.choose(length: row.length, wanted: row.wanted, largest: row.largest)
        #expect(plan.partBytes == row.part && plan.count == row.count)
        #expect(plan.range(1).lowerBound == 0 && plan.range(plan.count).upperBound == row.length)
        #expect(plan.range(0).isEmpty && plan.range(plan.count + 1).isEmpty)
        #expect(plan.numbers.prefix(50).allSatisfy { $0 == plan.count || plan.size($0) == row.part })
    }

    @Test(
        "Files and limits that S3 does not accept are refused with advice",
        arguments: [
            (5 << 40 + 1, nil, "at most 5 TiB"), (Int64.max, nil, "at most 5 TiB"),
            (100, 5 << 20 - 1, "maxRequestBytes"), (80_000 << 20 + 1, 8 << 20, "Set maxRequestBytes to more"),
        ] as [(Int64, Int64?, String)])
    func refusals(length: Int64, largest: Int64?, words: String) {
        let error = #expect(throws: SternaError.self) {
            try S3PartPlan.choose(length: length, wanted: 8 << 20, largest: largest)
        }
        #expect(error?.kind == .invalidRequest && error?.message.contains(words) == true)
    }

    @Test("A restored plan keeps the limits, too")
    func noted() {
        #expect(S3PartPlan(length: 0, partBytes: 5 << 20) != nil)
        expectNil(S3PartPlan(length: -1, partBytes: 5 << 20))
        expectNil(S3PartPlan(length: 1, partBytes: 5 << 20 - 1))
        expectNil(S3PartPlan(length: 1, partBytes: 0, smallest: 0))
        expectNil(S3PartPlan(length: 1, partBytes: 5 << 30 + 1))
        expectNil(S3PartPlan(length: 50_000 << 20 + 1, partBytes: 5 << 20))
        expectNil(S3PartPlan(length: .max, partBytes: .max))
    }
}
