import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("How Decodable values are read")
struct DecodingSettingsTests {
    private struct Member<T: Decodable & Sendable>: Decodable, Sendable { var firstName: T }

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private func read<T: Decodable & Sendable>(
        _ type: T.Type = T.self, _ body: String, _ settings: DecodingSettings = DecodingSettings()
    ) throws -> T {
        try GivenAnswer(body).read(by: .decodable(type, settings))
    }

    static let keys: [(String, DecodingSettings.KeyStyle)] = [
        (#"{"firstName":1}"#, .asIs), (#"{"first_name":1}"#, .snakeCase), (#"{"firstName":1}"#, .snakeCase),
        (#"{"FIRST":1}"#, .custom { _ in Key(stringValue: "firstName") }),
    ]

    @Test("Keys", arguments: keys)
    func keyStyle(body: String, style: DecodingSettings.KeyStyle) throws {
        try expectEqual(read(Member<Int>.self, body, DecodingSettings(keys: style)).firstName, 1)
    }

    @Test("A custom key style is given the whole path")
    func keyPath() throws {
        let style = DecodingSettings.KeyStyle.custom { path in
            Key(stringValue: path.map { String($0.stringValue.reversed()) }.joined(separator: "."))
        }
        let value = try read([String: [String: Int]].self, #"{"ab":{"cd":1}}"#, DecodingSettings(keys: style))
        expectEqual(value.values.first?.values.first, 1)
        #expect(throws: SternaError.self) {
            try read(Member<Int>.self, #"{"first_name":1}"#, DecodingSettings(keys: .asIs))
        }
    }

    static let dates: [(String, DecodingSettings.DateStyle, Double)] = [
        ("0", .deferred, 978_307_200), ("5", .seconds, 5), ("-1.5", .seconds, -1.5), ("5500", .milliseconds, 5.5),
        (#""1970-01-01T00:00:05Z""#, .iso8601, 5), (#""1970-01-01T00:00:05.5Z""#, .iso8601, 5.5),
        (#""1970-01-01T00:00:05.250Z""#, .iso8601, 5.25), (#""1970-01-01T00:00:05.125000Z""#, .iso8601, 5.125),
        (#""1970-01-01T00:00:05.000000001Z""#, .iso8601, 5),
        (#""1970-01-01T02:00:05+02:00""#, .iso8601, 5), (#""1969-12-31T18:30:05.5-05:30""#, .iso8601, 5.5),
        (#""1970-01-01T00:00:05+00:00""#, .iso8601, 5), (#""1970-01-01t00:00:05z""#, .iso8601, 5),
        (#""1969-12-31T23:59:59Z""#, .iso8601, -1), (#""2000-02-29T00:00:00Z""#, .iso8601, 951_782_400),
        (#""9999-12-31T23:59:59Z""#, .iso8601, 253_402_300_799),
        (#""x""#, .custom { _ in Date(timeIntervalSince1970: 9) }, 9),
    ]

    @Test("Dates", arguments: dates)
    func dateStyle(text: String, style: DecodingSettings.DateStyle, expected: Double) throws {
        let date = try read(Member<Date>.self, #"{"firstName":\#(text)}"#, DecodingSettings(dates: style)).firstName
        #expect(abs(date.timeIntervalSince1970 - expected) < 0.001)
    }

    static let noDates = [
        "", "yesterday", "2020-01-02", "03:04:05Z", "2020-01-02T03:04:05", "2020-01-02T03:04:05Zjunk",
        "2020-01-02T03:04:05ZZ", "2020-13-01T00:00:00Z", "2020-02-30T00:00:00Z", "2020-00-01T00:00:00Z",
        "2020-01-00T00:00:00Z", "2020-01-01T24:00:00Z", "2020-01-01T25:00:00Z", "2020-01-01T00:60:00Z",
        "2020-01-01T00:00:00.Z", "2020-01-02T03:04:05+25:00", "20-01-02T03:04:05Z", " 2020-01-02T03:04:05Z",
        "2020-01-02T03:04:05Z ", "2020-01-02T03:04:05.5Zjunk", "2020-01-02 03:04:05Z\u{0}",
        "2020-01-02T03:04:05.99999999999999999999999999999999999999",
    ]

    @Test("Text that is no date of RFC 3339 is refused, with the place", arguments: noDates)
    func noDate(text: String) throws {
        let literal = JSON.string(text).description
        let error = #expect(throws: SternaError.self) {
            try read(Member<Date>.self, #"{"firstName":\#(literal)}"#, DecodingSettings(dates: .iso8601))
        }
        expectEqual(error?.kind, .decodingFailed)
        expectEqual(error?.detail.contains("firstName"), true)
    }

    @Test("Fractions of any length do not trap", arguments: [10, 20, 400, 100_000])
    func longFraction(digits: Int) throws {
        let text = "1970-01-01T00:00:05." + String(repeating: "9", count: digits) + "Z"
        let date = try? read([Date].self, #"["\#(text)"]"#, DecodingSettings(dates: .iso8601))
        if let date { #expect(abs(date[0].timeIntervalSince1970 - 6) < 0.01) }
    }

    @Test("Data")
    func data() throws {
        try expectEqual(read([Data].self, #"["AAH/"]"#), [Data([0, 1, 255])])
        #expect(throws: SternaError.self) { try read([Data].self, #"["A"]"#) }
        let reversed = DecodingSettings(
            data: .custom { decoder in
                Data(try decoder.singleValueContainer().decode(String.self).utf8.reversed())
            })
        try expectEqual(read([Data].self, #"["ab"]"#, reversed), [Data("ba".utf8)])
    }

    @Test("Numbers JSON has no form for")
    func nonFinite() throws {
        let settings = DecodingSettings(nonFiniteNumbers: (positiveInfinity: "+", negativeInfinity: "-", nan: "?"))
        let numbers = try read([Double].self, #"["+","-","?",1]"#, settings)
        expectEqual(numbers[0], .infinity)
        expectEqual(numbers[1], -.infinity)
        #expect(numbers[2].isNaN)
        expectEqual(numbers[3], 1)
        for body in [#"["+"]"#, "[NaN]", "[Infinity]", "[-Infinity]"] {
            #expect(throws: SternaError.self) { try read([Double].self, body) }
        }
        #expect(throws: SternaError.self) { try read([Double].self, #"["other"]"#, settings) }
    }

    @Test("An error that a custom closure throws is the cause")
    func thrown() throws {
        let settings = DecodingSettings(dates: .custom { _ in throw Mistake(number: 4) })
        let error = GivenAnswer("[1]").error(of: .decodable([Date].self, settings))
        expectEqual(error?.kind, .decodingFailed)
        #expect(error?.underlying as? Mistake == Mistake(number: 4))
    }

    @Test("An empty body is nil for an optional, null for a tree, and an error that says so for the rest")
    func empty() throws {
        for body in ["", " "] {
            try expectNil(read(Int?.self, body))
            try expectEqual(read(JSON.self, body), .null)
            let error = #expect(throws: SternaError.self) { try read([Int].self, body) }
            expectEqual(error?.kind, .decodingFailed)
            expectEqual(error?.detail.contains("empty"), true)
        }
        try expectNil(read(Int?.self, "null"))
        try expectEqual(read(Int?.self, "5"), 5)
    }

    private struct Done: Decodable, Sendable, EmptyRepresentable, Equatable {
        var count = 1
        static var emptyValue: Done { Done(count: 0) }
    }

    @Test("A custom type may have a value for an empty body")
    func ownEmpty() throws {
        try expectEqual(read(Done.self, ""), Done(count: 0))
        try expectEqual(read(Done.self, #"{"count":5}"#), Done(count: 5))
        try expectNil(read(Done?.self, ""))
    }
}
