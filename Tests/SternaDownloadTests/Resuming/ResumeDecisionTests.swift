import HTTPTypes
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("How a download uses a response")
struct ResumeDecisionTests {
    /// A response and the decision; by default, the request asks for byte 500 of 1,000 and all later ones.
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var status: Int
        var fields: [(HTTPField.Name, String)]
        var requested: ResumeRule.RequestedRange?
        var known: ResumeRule.Known
        var expected: String

        static let known = ResumeRule.Known(
            validator: .entityTag("\"v1\""), length: 1_000, present: ByteRanges([0..<500]))

        init(
            _ name: String, _ status: Int, _ fields: [(HTTPField.Name, String)],
            requested: ResumeRule.RequestedRange? = .init(first: 500, end: nil),
            known: ResumeRule.Known = Row.known, _ expected: String
        ) {
            testDescription = name
            self.status = status
            self.fields = fields
            self.requested = requested
            self.known = known
            self.expected = expected
        }

        /// A 206.
        init(
            _ name: String, _ fields: [(HTTPField.Name, String)],
            requested: ResumeRule.RequestedRange? = .init(first: 500, end: nil),
            known: ResumeRule.Known = Row.known, _ expected: String
        ) {
            self.init(name, 206, fields, requested: requested, known: known, expected)
        }
    }

    static let tag: (HTTPField.Name, String) = (.eTag, "\"v1\"")
    static let rest: (HTTPField.Name, String) = (.contentRange, "bytes 500-999/1000")
    static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let later = "Mon, 07 Nov 1994 08:49:37 GMT"
    static let dated = ResumeRule.Known(
        validator: .lastModified(modified), length: 1_000, present: ByteRanges([0..<500]))
    static let open = ResumeRule.Known(validator: .entityTag("\"v1\""), present: ByteRanges([0..<500]))
    static let segments = ResumeRule.Known(
        validator: .entityTag("\"v1\""), length: 1_000, present: ByteRanges([0..<500, 700..<1_000]))
    static let whole = ResumeRule.Known(validator: .entityTag("\"v1\""), present: ByteRanges([0..<1_000]))

    static let parts: [Row] = [
        Row("the rest", [tag, rest], "append 500..<1000 of 1000"),
        Row("with its length", [tag, rest, (.contentLength, "500")], "append 500..<1000 of 1000"),
        Row("of an unknown length", [tag, (.contentRange, "bytes 500-999/*")], "append 500..<1000 of 1000"),
        Row("that tells the length", [tag, rest], known: open, "append 500..<1000 of 1000"),
        Row(
            "that does not tell the length", [tag, (.contentRange, "bytes 500-999/*")], known: open,
            "append 500..<1000 of ?"),
        Row("shorter than requested", [tag, (.contentRange, "bytes 500-599/1000")], "append 500..<600 of 1000"),
        Row(
            "a segment", [tag, (.contentRange, "bytes 500-699/1000")], requested: .init(first: 500, end: 700),
            known: segments, "append 500..<700 of 1000"),
        Row("by its date", [(.lastModified, modified), rest], known: dated, "append 500..<1000 of 1000"),
        Row("coded as identity", [tag, rest, (.contentEncoding, "identity")], "append 500..<1000 of 1000"),
    ]

    static let changed: [Row] = [
        Row("another entity tag, of equal length", [(.eTag, "\"v2\""), rest], "requestWhole"),
        Row("a weak entity tag", [(.eTag, "W/\"v1\""), rest], "requestWhole"),
        Row("no entity tag", [rest], "requestWhole"),
        Row("two entity tags", [tag, (.eTag, "\"v2\""), rest], "requestWhole"),
        Row("another date", [(.lastModified, later), rest], known: dated, "requestWhole"),
        Row("no date", [rest], known: dated, "requestWhole"),
        Row("a greater length", [tag, (.contentRange, "bytes 500-999/2000")], "requestWhole"),
        Row("a smaller length", [tag, (.contentRange, "bytes 500-599/600")], "requestWhole"),
        Row("bytes beyond the length", [tag, (.contentRange, "bytes 500-1000/*")], "requestWhole"),
        Row(
            "fewer bytes than there are", [tag, (.contentRange, "bytes 500-599/600")],
            known: .init(validator: .entityTag("\"v1\""), present: ByteRanges([0..<500, 700..<800])), "requestWhole"),
        Row("no validator is known", [tag, rest], known: .init(present: ByteRanges([0..<500])), "requestWhole"),
    ]

    static let faulty: [Row] = [
        Row("a part that was not requested", [tag, (.contentRange, "bytes 0-999/1000")], requested: nil, "refuse"),
        Row("a lower offset", [tag, (.contentRange, "bytes 400-999/1000")], "refuse"),
        Row("the offset 0", [tag, (.contentRange, "bytes 0-999/1000")], "refuse"),
        Row("a higher offset", [tag, (.contentRange, "bytes 501-999/1000")], "refuse"),
        Row(
            "more than the segment", [tag, (.contentRange, "bytes 500-999/1000")],
            requested: .init(first: 500, end: 700), known: segments, "refuse"),
        Row("no Content-Range", [tag], "refuse"),
        Row("an invalid Content-Range", [tag, (.contentRange, "bytes 500-1000/1000")], "refuse"),
        Row("a huge Content-Range", [tag, (.contentRange, "bytes 500-9223372036854775807/*")], "refuse"),
        Row("an unsatisfied Content-Range", [tag, (.contentRange, "bytes */1000")], "refuse"),
        Row("another unit", [tag, (.contentRange, "lines 500-999/1000")], "refuse"),
        Row("two Content-Ranges", [tag, rest, (.contentRange, "bytes 0-499/1000")], "refuse"),
        Row("several parts", [tag, (.contentType, "multipart/byteranges; boundary=x")], "refuse"),
        Row("several parts, and a range", [tag, rest, (.contentType, "Multipart/ByteRanges;boundary=x")], "refuse"),
        Row("a part of coded bytes", [tag, rest, (.contentEncoding, "gzip")], "refuse"),
        Row("a part of bytes coded twice", [tag, rest, (.contentEncoding, "identity, br")], "refuse"),
        Row("a greater Content-Length", [tag, rest, (.contentLength, "501")], "refuse"),
        Row("a smaller Content-Length", [tag, rest, (.contentLength, "499")], "refuse"),
        Row("the Content-Length of the whole", [tag, rest, (.contentLength, "1000")], "refuse"),
        Row("an invalid Content-Length", [tag, rest, (.contentLength, "-500")], "refuse"),
    ]

    static let wholes: [Row] = [
        Row("ranges are ignored", 200, [tag, (.contentLength, "1000")], "startOver 1000 \"v1\""),
        Row("another file", 200, [(.eTag, "\"v2\""), (.contentLength, "7")], "startOver 7 \"v2\""),
        Row("an unknown length", 200, [tag], "startOver ? \"v1\""),
        Row("nothing to continue by", 200, [(.contentLength, "7")], "startOver 7 -"),
        Row("a weak entity tag", 200, [(.eTag, "W/\"v1\"")], "startOver ? -"),
        Row(
            "a date", 200, [(.lastModified, modified), (.date, later), (.contentLength, "9")], requested: nil,
            known: .init(), "startOver 9 \(modified)"),
        Row("a server without ranges", 200, [tag, (.acceptRanges, "none")], "startOver ? -"),
        Row("a server with ranges", 200, [tag, (.acceptRanges, "bytes")], "startOver ? \"v1\""),
        Row("coded", 200, [tag, (.contentLength, "50"), (.contentEncoding, "gzip")], "startOver ? -"),
        Row("changed by a proxy", 203, [tag, (.contentLength, "50")], "startOver 50 -"),
        Row("with a Content-Range", 200, [tag, rest, (.contentLength, "1000")], "startOver 1000 \"v1\""),
    ]

    static let unsatisfied: [Row] = [
        Row(
            "all is there", 416, [tag, (.contentRange, "bytes */1000")], requested: .init(first: 1_000), known: whole,
            "complete 1000"),
        Row(
            "another entity tag", 416, [(.eTag, "\"v2\""), (.contentRange, "bytes */1000")], known: whole,
            "requestWhole"),
        Row("no entity tag", 416, [(.contentRange, "bytes */1000")], known: whole, "requestWhole"),
        Row("a smaller length", 416, [tag, (.contentRange, "bytes */900")], known: whole, "requestWhole"),
        Row("a greater length", 416, [tag, (.contentRange, "bytes */1001")], known: whole, "requestWhole"),
        Row("no length", 416, [tag], known: whole, "requestWhole"),
        Row("the length is another than it was", 416, [tag, (.contentRange, "bytes */500")], "requestWhole"),
        Row("bytes are missing", 416, [tag, (.contentRange, "bytes */1000")], known: segments, "requestWhole"),
        Row(
            "by its date", 416, [(.lastModified, modified), (.contentRange, "bytes */1000")],
            known: .init(validator: .lastModified(modified), present: ByteRanges([0..<1_000])), "complete 1000"),
        Row("without a range", 416, [tag, (.contentRange, "bytes */1000")], requested: nil, known: .init(), "refuse"),
    ]

    static let others =
        [300, 304, 400, 403, 404, 412, 429, 500, 503].map { Row("status \($0)", $0, [tag, rest], "deliver") }
        + [201, 207, 226].map {
            Row("status \($0) for the whole file", $0, [tag], requested: nil, known: .init(), "deliver")
        }

    static let successes =
        [201, 202, 204, 205, 207, 226, 299].map { Row("status \($0)", $0, [tag, rest], "reject \($0)") }
        + [202, 204, 205].map {
            Row("status \($0) for the whole file", $0, [tag], requested: nil, known: .init(), "reject \($0)")
        }

    @Test("A part of the same file is added", arguments: parts)
    func joins(row: Row) { check(row) }

    @Test("A part of another file is discarded", arguments: changed)
    func discards(row: Row) { check(row) }

    @Test("A part that violates HTTP is refused", arguments: faulty)
    func refuses(row: Row) { check(row) }

    @Test("A whole file replaces the received bytes", arguments: wholes)
    func replaces(row: Row) { check(row) }

    @Test("A 416 ends a complete download", arguments: unsatisfied)
    func ends(row: Row) { check(row) }

    @Test("Other successes are not used for a range, and some not for a download", arguments: successes)
    func rejects(row: Row) { check(row) }

    @Test("Other statuses are left to the serializer", arguments: others)
    func delivers(row: Row) { check(row) }

    private func check(_ row: Row) {
        let fields = FieldSection(HTTPFields(row.fields.map { HTTPField(name: $0.0, value: $0.1) }))
        let decision = ResumeRule.decision(
            status: row.status, fields: fields, requested: row.requested, known: row.known)
        expectEqual(summary(decision), row.expected)
    }

    private func summary(_ decision: ResumeRule.Decision) -> String {
        func text(_ length: Int64?) -> String { length.map { "\($0)" } ?? "?" }
        switch decision {
        case .append(let range, let length): return "append \(range) of \(text(length))"
        case .startOver(let length, let validator):
            return "startOver \(text(length)) \(validator?.fieldValue ?? "-")"
        case .requestWhole: return "requestWhole"
        case .complete(let length): return "complete \(length)"
        case .deliver: return "deliver"
        case .refuse(let error):
            expectEqual(error.phase, .read)
            #expect(error.requestSent)
            if error.kind == .unacceptableStatus {
                let status = error.detail.split(separator: " ").first { $0.allSatisfy(\.isNumber) }
                return "reject \(status ?? "?")"
            }
            expectEqual(error.kind, .malformedResponse)
            return "refuse"
        }
    }
}
