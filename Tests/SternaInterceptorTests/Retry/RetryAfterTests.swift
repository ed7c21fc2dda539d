import HTTPTypes
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// The field Retry-After.
@Suite("Retry-After")
struct RetryAfterTests {
    /// Sunday, 6 November 1994, 08:49:37 GMT.
    private static let moment: Int64 = 784_111_777

    @Test(
        "Seconds, and dates in every format",
        arguments: [
            ("0", 0), ("120", 120), ("007", 7),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 20), ("Sunday, 06-Nov-94 08:49:37 GMT", 20),
            ("Sun Nov  6 08:49:37 1994", 20),
            // In the past.
            ("Sun, 06 Nov 1994 08:49:00 GMT", 0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("", nil), ("soon", nil), ("-1", nil), ("+1", nil), ("1.5", nil), ("1 ", nil), ("٣", nil), ("0x10", nil),
            ("Sun, 32 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49:37 CET", nil),
            ("99999999999999999999999999", 3_162_240_000), ("9223372036854775807", 3_162_240_000),
        ] as [(String, Int64?)])
    func values(text: String, expected: Int64?) {
        expectEqual(RetryAfter.seconds(text) { Self.moment - 20 }, expected)
    }

    @Test("A date counts from the response's own Date, a number from now")
    func ownDate() {
        func delay(_ fields: HTTPFields) -> Duration? { RetryAfter.delay(FieldSection(fields)) { Self.moment - 5 } }
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        expectEqual(delay([.retryAfter: date]), .seconds(5))
        expectEqual(delay([.retryAfter: date, .date: "Sun, 06 Nov 1994 08:49:07 GMT"]), .seconds(30))
        expectEqual(delay([.retryAfter: date, .date: "yesterday"]), .seconds(5))
        expectEqual(delay([.retryAfter: "7", .date: "Sun, 06 Nov 1994 08:49:07 GMT"]), .seconds(7))
        expectNil(delay([:]))
        expectNil(delay([.retryAfter: "soon"]))
    }

    @Test("Of several fields the longest wait counts")
    func several() {
        var fields = HTTPFields()
        for value in ["3", "soon", "11", "5"] { fields.append(HTTPField(name: .retryAfter, value: value)) }
        expectEqual(RetryAfter.delay(FieldSection(fields)), .seconds(11))
    }
}
