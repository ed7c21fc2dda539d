import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Query: dates")
struct QueryDateStyleTests {
    /// Seconds since 1970, then seconds, milliseconds, ISO 8601 and NSDate's description.
    static let cases: [(Double, String, String, String, String)] = [
        (0, "0", "0", "1970-01-01T00:00:00Z", "1970-01-01 00:00:00 +0000"),
        (
            1_577_934_245, "1577934245", "1577934245000", "2020-01-02T03:04:05Z", "2020-01-02 03:04:05 +0000"
        ),
        (
            1_577_934_245.5, "1577934245.5", "1577934245500", "2020-01-02T03:04:05.500Z", "2020-01-02 03:04:05 +0000"
        ),
        (
            1_577_934_245.125, "1577934245.125", "1577934245125", "2020-01-02T03:04:05.125Z",
            "2020-01-02 03:04:05 +0000"
        ),
        (978_307_323.456, "978307323.456", "978307323456", "2001-01-01T00:02:03.456Z", "2001-01-01 00:02:03 +0000"),
        (0.001, "0.001", "1", "1970-01-01T00:00:00.001Z", "1970-01-01 00:00:00 +0000"),
        (0.05, "0.05", "50", "1970-01-01T00:00:00.050Z", "1970-01-01 00:00:00 +0000"),
        (-0.25, "-0.25", "-250", "1969-12-31T23:59:59.750Z", "1969-12-31 23:59:59 +0000"),
        (-1, "-1", "-1000", "1969-12-31T23:59:59Z", "1969-12-31 23:59:59 +0000"),
        (-1.5, "-1.5", "-1500", "1969-12-31T23:59:58.500Z", "1969-12-31 23:59:58 +0000"),
        (-86_400.75, "-86400.75", "-86400750", "1969-12-30T23:59:59.250Z", "1969-12-30 23:59:59 +0000"),
        (
            -2_208_988_800, "-2208988800", "-2208988800000", "1900-01-01T00:00:00Z", "1900-01-01 00:00:00 +0000"
        ),
        (
            253_402_300_799, "253402300799", "253402300799000", "9999-12-31T23:59:59Z", "9999-12-31 23:59:59 +0000"
        ),
    ]

    private func text(_ date: Date, _ style: QueryEncoder.DateStyle) throws -> String? {
        try QueryEncoder(dates: style).fields(["d": date])[0].value
    }

    @Test("Each style", arguments: cases.indices)
    func styles(index: Int) throws {
        let (value, seconds, milliseconds, iso8601, description) = Self.cases[index]
        let date = Date(timeIntervalSince1970: value)
        try expectEqual(text(date, .seconds), seconds)
        try expectEqual(text(date, .milliseconds), milliseconds)
        try expectEqual(text(date, .iso8601), iso8601)
        try expectEqual(text(date, .description), description)
    }

    @Test("A date of minus zero seconds is written as 0")
    func minusZero() throws {
        for value in [-0.0, -0.000_1] {
            let date = Date(timeIntervalSince1970: value)
            try expectEqual(text(date, .seconds), "0")
            try expectEqual(text(date, .milliseconds), "0")
        }
    }

    @Test("Dates are escaped as values")
    func escaped() throws {
        let parameters: Parameters = ["d": Date(timeIntervalSince1970: 1_577_934_245)]
        try expectEqual(QueryEncoder(dates: .description).encode(parameters), "d=2020-01-02%2003%3A04%3A05%20%2B0000")
        try expectEqual(
            QueryEncoder(dates: .description, spaces: .plus).encode(parameters), "d=2020-01-02+03%3A04%3A05+%2B0000")
    }

    @Test("A closure's text, in arrays, sets and dictionaries")
    func custom() throws {
        let encoder = QueryEncoder(dates: .custom { "<\(Int($0.timeIntervalSince1970))>" })
        let (one, two) = (Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2))
        let fields = try encoder.fields(["a": [two, one], "d": ["k": one], "s": [two, one] as Set<Date>])
        expectEqual(fields.map(\.text), ["a[]=<2>", "a[]=<1>", "d[k]=<1>", "s=<1>", "s=<2>"])
    }

    private struct Refusal: Error, CustomStringConvertible {
        var description: String { "no dates here" }
    }

    @Test("What a closure throws has the key path")
    func customThrows() {
        let encoder = QueryEncoder(dates: .custom { _ in throw Refusal() })
        let parameters: Parameters = ["a": ["b": [1, Date(timeIntervalSince1970: 0)] as ParameterValue]]
        let error = #expect(throws: ParameterError.self) { try encoder.encode(parameters) }
        expectEqual(error?.keyPath, "a.b[1]")
        expectEqual(error?.description.contains("no dates here"), true)
    }

    @Test(
        "A date that is no number, or out of range, is refused by every style of the library",
        arguments: [Double.nan, .infinity, -.infinity, 1e300])
    func noDate(seconds: Double) {
        let styles: [QueryEncoder.DateStyle] = [.seconds, .milliseconds, .iso8601, .description]
        for style in styles {
            let error = #expect(throws: ParameterError.self) {
                try QueryEncoder(dates: style).encode(["a": [Date(timeIntervalSince1970: seconds)]])
            }
            expectEqual(error?.keyPath, "a[0]")
        }
    }
}
