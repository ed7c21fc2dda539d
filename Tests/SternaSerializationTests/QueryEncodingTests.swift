import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Query: AFNetworking 4's rules")
struct QueryEncodingTests {
    static let cases: [(Parameters, String)] = [
        ([:], ""),
        (["a": "b"], "a=b"),
        (["b": 1, "a": 2], "a=2&b=1"),
        (["phone": ["mobile": "xx", "home": "yy"]], "phone%5Bhome%5D=yy&phone%5Bmobile%5D=xx"),
        (["families": ["father", "mother"]], "families%5B%5D=father&families%5B%5D=mother"),
        (["a": [["b": 1], ["c": 2]]], "a%5B%5D%5Bb%5D=1&a%5B%5D%5Bc%5D=2"),
        (["a": [[1, 2], [3]]], "a%5B%5D%5B%5D=1&a%5B%5D%5B%5D=2&a%5B%5D%5B%5D=3"),
        (["a": ["b": ["d": [1], "c": [2]]]], "a%5Bb%5D%5Bc%5D%5B%5D=2&a%5Bb%5D%5Bd%5D%5B%5D=1"),
        (["nums": ["b", "a", "c"] as Set<String>], "nums=a&nums=b&nums=c"),
        (["nums": [10, 9, 100] as Set<Int>], "nums=10&nums=100&nums=9"),
        (["s": ["k": ["y", "x"] as Set<String>]], "s%5Bk%5D=x&s%5Bk%5D=y"),
        (["s": [["b": 1], ["a": 1]] as Set<[String: Int]>], "s%5Ba%5D=1&s%5Bb%5D=1"),
        (["key": Parameters.null], "key"),
        (["a": Parameters.null, "b": 1], "a&b=1"),
        (["a": [nil, 1] as [Int?]], "a%5B%5D&a%5B%5D=1"),
        (["a": [String](), "b": [String: Int](), "c": Set<Int>()], ""),
        (["a": [[Int]()], "b": 1], "b=1"),
        (["t": true, "f": false], "f=0&t=1"),
        (["i": Int64.min, "u": UInt64.max], "i=-9223372036854775808&u=18446744073709551615"),
        (["a": 1.0, "b": 1.5, "c": -0.25], "a=1&b=1.5&c=-0.25"),
        (["a": 100.0, "b": 1e20, "c": 0.1 + 0.2], "a=100&b=1e%2B20&c=0.30000000000000004"),
        (["a": Double.nan, "b": Double.infinity, "c": -Double.infinity], "a=nan&b=inf&c=-inf"),
        (["a": Float(0.1), "b": Float(2)], "a=0.1&b=2"),
        (["when": Date(timeIntervalSince1970: 1_577_934_245)], "when=2020-01-02T03%3A04%3A05Z"),
        (["data": Data([0xFB, 0xEF, 0xFF, 0x01])], "data=%2B%2B//AQ%3D%3D"),
        (["": "x"], "=x"),
        (["a": ["": "x"]], "a%5B%5D=x"),
        (["a b": "c d"], "a%20b=c%20d"),
        (["a&b=c": "d&e=f"], "a%26b%3Dc=d%26e%3Df"),
        (["e": ""], "e="),
        (["Z": 1, "a": 2, "é": 3, "B": 4], "B=4&Z=1&a=2&%C3%A9=3"),
    ]

    @Test("Each case has its text", arguments: cases.indices)
    func encoding(index: Int) throws {
        let (parameters, expected) = Self.cases[index]
        try expectEqual(QueryEncoder().encode(parameters), expected)
        try expectEqual(QueryEncoder().encodedBytes(parameters), Array(expected.utf8))
    }

    @Test("Fields come before percent-encoding, null without a value")
    func fields() throws {
        let parameters: Parameters = [
            "phone": ["mobile & more": "x y"], "list": [1, 2], "none": Parameters.null, "empty": "",
        ]
        try expectEqual(
            QueryEncoder().fields(parameters),
            [
                .init(name: "empty", value: ""), .init(name: "list[]", value: "1"), .init(name: "list[]", value: "2"),
                .init(name: "none", value: nil), .init(name: "phone[mobile & more]", value: "x y"),
            ])
    }

    static let dates: [(Double, String)] = [
        (0, "1970-01-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"),
        (951_782_400, "2000-02-29T00:00:00Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"),
        (1_577_934_245.5, "2020-01-02T03:04:05.500Z"),
        (1_577_934_245.123, "2020-01-02T03:04:05.123Z"),
        (1_577_934_245.9999, "2020-01-02T03:04:06Z"),
        (-0.25, "1969-12-31T23:59:59.750Z"),
        (-62_167_219_200, "0000-01-01T00:00:00Z"),
        (-62_135_596_800, "0001-01-01T00:00:00Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"),
    ]

    @Test("Dates are ISO 8601 in UTC", arguments: dates)
    func date(seconds: Double, expected: String) throws {
        let fields = try QueryEncoder().fields(["d": Date(timeIntervalSince1970: seconds)])
        expectEqual(fields, [.init(name: "d", value: expected)])
    }

    @Test("Every day of eight centuries follows the day before it")
    func consecutiveDays() throws {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var (year, month, day) = (1600, 1, 1)
        // 1600-01-01, counted from 1970-01-01.
        for number in -135_140 ..< -135_140 + 292_194 {
            let text = try QueryEncoder().fields(["d": Date(timeIntervalSince1970: Double(number) * 86400)])[0].value
            let expected = [(year, 4), (month, 2), (day, 2)].map { value, width in
                String(repeating: "0", count: width - String(value).count) + String(value)
            }
            try #require(text == expected.joined(separator: "-") + "T00:00:00Z")
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            day += 1
            if day > lengths[month - 1] + (month == 2 && isLeap ? 1 : 0) { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
        }
        #expect((year, month, day) == (2400, 1, 1))
    }

    @Test(
        "A date that has no text is refused with its place",
        arguments: [Double.nan, .infinity, -.infinity, 253_402_300_800, -62_167_219_200.001, 1e300])
    func dateOutOfRange(seconds: Double) {
        let parameters: Parameters = ["a": ["b": [Date(timeIntervalSince1970: seconds)]]]
        let error = #expect(throws: ParameterError.self) { try QueryEncoder().encode(parameters) }
        expectEqual(error?.reason, .dateOutOfRange)
        expectEqual(error?.keyPath, "a.b[0]")
    }
}
