import HTTPTypes
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Downloads: number of connections")
struct SegmentPaceTests {
    private struct Link: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var most = 8
        let expected: Int
        /// The throughput of a number of connections, in megabytes per second.
        let rate: @Sendable (Int) -> Double
    }

    private static let links = [
        Link(testDescription: "each connection brings as much", expected: 8) { Double($0) },
        Link(testDescription: "all share the link", expected: 2) { _ in 1 },
        Link(testDescription: "a link for three", expected: 4) { Double(min($0, 3)) },
        Link(testDescription: "gains below a tenth", expected: 2) { 1 + Double($0) * 0.05 },
        Link(testDescription: "two are slower than one", expected: 1) { $0 > 1 ? 0.9 : 1 },
        Link(testDescription: "one is wanted", most: 1, expected: 1) { Double($0) },
    ]

    @Test("The number grows while each connection is a gain", arguments: links)
    private func grows(link: Link) {
        var pace = SegmentPace(most: link.most, at: 0)
        var retired = 0
        for step in 1...400 {
            let bytes = Int(link.rate(pace.allowed) * 100_000)
            if pace.add(bytes, at: Double(step) / 10, running: pace.allowed) { retired += 1 }
        }
        expectEqual(pace.allowed, link.expected)
        expectEqual(retired, (link.expected == 1 && link.most > 1 ? 1 : 0))
    }

    @Test("Nothing is measured while a connection is missing, and a failure ends the growth")
    func waits() {
        var pace = SegmentPace(most: 4, at: 0)
        _ = pace.add(1_000, at: 1.5, running: 1)
        expectEqual(pace.allowed, 2)
        _ = pace.add(1_000, at: 3, running: 1)
        expectEqual(pace.allowed, 2)
        pace.restart(at: 3)
        _ = pace.add(3_000, at: 3.5, running: 2)
        expectEqual(pace.allowed, 2)
        _ = pace.add(3_000, at: 4.5, running: 2)
        expectEqual(pace.allowed, 3)
        pace.failed()
        expectEqual(pace.allowed, 2)
        _ = pace.add(1 << 30, at: 9, running: 2)
        expectEqual(pace.allowed, 2)
        pace.close()
        expectEqual(pace.allowed, 0)
        pace.failed()
        expectEqual(pace.allowed, 0)
    }

    private struct Head: Sendable {
        var wanted = 4
        var status = 200
        var accepts: String? = "bytes"
        var validator: EntityValidator? = .entityTag("\"1\"")
        var length: Int64? = 100 << 20
        var present: [Range<Int64>] = []
        let expected: Int
    }

    private static let heads = [
        Head(expected: 4), Head(accepts: "none, Bytes", expected: 4), Head(status: 206, accepts: nil, expected: 4),
        Head(wanted: 99, expected: 16), Head(wanted: 1, expected: 1), Head(wanted: -3, expected: 1),
        Head(accepts: nil, expected: 1), Head(accepts: "none", expected: 1), Head(accepts: "bytesize", expected: 1),
        Head(validator: nil, expected: 1), Head(length: nil, expected: 1), Head(length: (8 << 20) - 1, expected: 1),
        Head(length: 8 << 20, expected: 4), Head(present: [0..<93 << 20], expected: 1),
    ]

    @Test("Several connections need a large file, a validator and a server with ranges", arguments: heads)
    private func connections(head: Head) {
        var fields = HTTPFields()
        if let accepts = head.accepts { fields[.acceptRanges] = accepts }
        let known = ResumeRule.Known(
            validator: head.validator, length: head.length, present: ByteRanges(head.present))
        let count = SegmentRules().connections(
            head.wanted, status: head.status, fields: FieldSection(fields), known)
        expectEqual(count, head.expected)
    }
}
