import HTTPTypes
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("What a download requests next")
struct ResumeRuleTests {
    static let tag = EntityValidator.entityTag("\"v1\"")
    static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let date = EntityValidator.lastModified(modified)

    typealias Known = ResumeRule.Known
    typealias Requested = ResumeRule.RequestedRange

    static let steps: [(Known, ResumeRule.Step)] = [
        (Known(), .whole),
        (Known(validator: tag), .whole),
        (Known(validator: tag, length: 1_000), .whole),
        (Known(length: 1_000, present: ByteRanges([0..<500])), .whole),
        (Known(present: ByteRanges([0..<500])), .whole),
        (Known(validator: tag, length: 0), .complete),
        (Known(validator: tag, length: 1_000, present: ByteRanges([0..<1_000])), .complete),
        (Known(length: 1_000, present: ByteRanges([0..<1_000])), .complete),
        (
            Known(validator: tag, length: 1_000, present: ByteRanges([0..<500])),
            .range(Requested(first: 500, end: nil))
        ),
        (Known(validator: tag, present: ByteRanges([0..<500])), .range(Requested(first: 500, end: nil))),
        (Known(validator: date, present: ByteRanges([0..<500])), .range(Requested(first: 500, end: nil))),
        (
            Known(validator: tag, length: 1_000, present: ByteRanges([0..<500, 700..<1_000])),
            .range(Requested(first: 500, end: 700))
        ),
        (
            Known(validator: tag, length: 1_000, present: ByteRanges([500..<700])),
            .range(Requested(first: 0, end: 500))
        ),
    ]

    @Test("The known bytes and validator decide the next step", arguments: steps)
    func step(known: Known, expected: ResumeRule.Step) {
        expectEqual(ResumeRule.next(known), expected)
    }

    static let sent: [(Requested, EntityValidator, [String])] = [
        (Requested(first: 500, end: nil), tag, ["bytes=500-", "\"v1\"", "identity"]),
        (Requested(first: 500, end: 700), tag, ["bytes=500-699", "\"v1\"", "identity"]),
        (Requested(first: 0, end: 1), date, ["bytes=0-0", modified, "identity"]),
    ]

    @Test("A range request has Range, If-Range and Accept-Encoding", arguments: sent)
    func fields(range: Requested, validator: EntityValidator, expected: [String]) {
        let fields = ResumeRule.fields(range, validator)
        expectEqual([fields[.range], fields[.ifRange], fields[.acceptEncoding]], expected)
        expectEqual(fields.count, 3)
    }
}
