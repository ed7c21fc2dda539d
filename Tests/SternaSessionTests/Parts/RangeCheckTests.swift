import HTTPTypes
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Parts: positions of ranges")
struct RangeCheckTests {
    @Test(
        "Ranges are requested in order; those that touch or overlap as one",
        arguments: [
            ([0..<100], "bytes=0-99"), ([200..<300, 0..<100], "bytes=0-99,200-299"),
            ([0..<100, 100..<200], "bytes=0-199"),
            ([0..<100, 50..<60], "bytes=0-99"), ([50..<150, 0..<100, 300..<301], "bytes=0-149,300-300"),
            ([0..<Int64.max], "bytes=0-9223372036854775806"),
        ] as [([Range<Int64>], String)])
    func fieldValues(ranges: [Range<Int64>], value: String) throws {
        try expectEqual(RangeCheck(ranges).fieldValue, value)
    }

    @Test("Ranges that cannot be requested", arguments: [[], [5..<5], [0..<1, 7..<7], [-1..<3]] as [[Range<Int64>]])
    func invalid(ranges: [Range<Int64>]) {
        let error = #expect(throws: SternaError.self) { try RangeCheck(ranges) }
        expectEqual(error?.kind, .invalidRequest)
        expectEqual(error?.phase, .prepare)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let what: String
        let requested: [Range<Int64>]
        let lines: [String]
        /// The number of lines that are accepted; the next one is refused.
        let accepted: Int
        var testDescription: String { what }

        init(_ what: String, _ requested: [Range<Int64>], _ lines: [String], accepted: Int? = nil) {
            (self.what, self.requested, self.lines) = (what, requested, lines)
            self.accepted = accepted ?? lines.count
        }
    }

    static let rows: [Row] = [
        Row("as requested", [0..<3, 8..<9], ["bytes 0-2/10", "bytes 8-8/10"]),
        Row("in another order", [0..<3, 8..<9], ["bytes 8-8/10", "bytes 0-2/10"]),
        Row("merged", [0..<3, 8..<9], ["bytes 0-8/10"]),
        Row("shorter, since the file ends", [0..<3, 8..<90], ["bytes 0-2/10", "bytes 8-9/10"]),
        Row("in pieces", [0..<9], ["bytes 0-2/10", "bytes 3-5/10"]),
        Row("without a length", [0..<3, 8..<9], ["bytes 0-2/*", "bytes 8-8/*"]),
        Row("with a length in one only", [0..<3, 8..<9], ["bytes 0-2/*", "bytes 8-8/10"]),
        Row("another unit", [0..<3], ["lines 0-2/10"], accepted: 0),
        Row("no field", [0..<3], [""], accepted: 0),
        Row("backwards", [0..<3], ["bytes 2-0/10"], accepted: 0),
        Row("beyond the length", [0..<30], ["bytes 0-10/10"], accepted: 0),
        Row("unsatisfied", [0..<3], ["bytes */10"], accepted: 0),
        Row("not requested", [0..<3, 8..<9], ["bytes 0-2/10", "bytes 3-7/10"], accepted: 1),
        Row("twice", [0..<3, 8..<9], ["bytes 0-2/10", "bytes 0-2/10"], accepted: 1),
        Row("overlapping", [0..<3, 8..<9], ["bytes 8-8/10", "bytes 0-8/10"], accepted: 1),
        Row("of another length", [0..<3, 8..<9], ["bytes 0-2/10", "bytes 8-8/11"], accepted: 1),
        Row("beyond the length that another has", [0..<3, 8..<9], ["bytes 0-2/5", "bytes 8-8/*"], accepted: 1),
        Row("a length that another is beyond", [0..<3, 8..<9], ["bytes 8-8/*", "bytes 0-2/5"], accepted: 1),
    ]

    @Test("What a server may and may not send", arguments: rows)
    func accepts(row: Row) throws {
        var check = try RangeCheck(row.requested)
        for (index, line) in row.lines.enumerated() {
            var fields = HTTPFields()
            if !line.isEmpty { fields[.contentRange] = line }
            if index < row.accepted {
                let place = try check.accept(fields)
                #expect(place.isBinding && place.range != nil)
            } else {
                let error = #expect(throws: SternaError.self) { _ = try check.accept(fields) }
                expectEqual(error?.kind, .malformedResponse)
            }
        }
    }
}
