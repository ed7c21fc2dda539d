import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("JSON: numbers")
struct JSONNumberTests {
    static let texts: [(String, String)] = [
        ("0", "0"), ("-0", "-0"), ("1.0", "1"), ("1e2", "100"), ("100.50", "100.5"), ("0.1", "0.1"),
        ("1e15", "1000000000000000"), ("1e16", "1e+16"), ("-1E-7", "-1e-07"),
        ("9223372036854775808", "9223372036854775808"),
        ("18446744073709551615", "18446744073709551615"),
        ("18446744073709551616", "18446744073709551616"),
        ("-9223372036854775809", "-9223372036854775809"),
        ("100000000000000000000", "1e+20"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("0.30000000000000004", "0.30000000000000004"),
        ("0.3000000000000000444", "0.3000000000000000444"),
        ("3.141592653589793238462643383279", "3.141592653589793238462643383279"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("1.7976931348623159e308", "1.7976931348623159e308"),
        ("1e309", "1e309"), ("-1e400", "-1e400"), ("1e-400", "1e-400"), ("5e-324", "5e-324"), ("3e-324", "3e-324"),
        ("4.9406564584124654e-324", "4.9406564584124654e-324"),
        ("2.2250738585072014e-308", "2.2250738585072014e-308"),
        ("1.50000000000000000000000000", "1.5"),
        ("0.000000000000000000000000000000000000000001", "1e-42"),
        ("1000000000000000000000000000000000000000000e-42", "1"),
        ("9007199254740993", "9007199254740993"), ("9007199254740993.0", "9007199254740993"),
        ("0e99999999999999999999", "0"), ("1e99999999999999999999999", "1e99999999999999999999999"),
        ("1e-99999999999999999999999", "1e-99999999999999999999999"),
    ]

    @Test("A number's value is never lost", arguments: texts)
    func text(literal: String, expected: String) throws {
        let json = try JSON(parsing: literal)
        expectEqual(json.description, expected)
        expectEqual(JSON.Number(literal: literal)?.description, expected)
        try expectEqual(JSON(parsing: expected), json)
    }

    @Test("Every digit of a long number is kept")
    func longNumbers() throws {
        for length in 20..<400 {
            let digits = "1" + String(repeating: "7", count: length - 1)
            try expectEqual(JSON(parsing: digits).description, digits)
            try expectEqual(JSON(parsing: "-0.\(digits)e-5").description, "-0.\(digits)e-5")
        }
    }

    @Test("Doubles come back from their shortest text, bit for bit")
    func shortestTexts() throws {
        var generator = SeededRandom(seed: 11)
        for _ in 0..<20_000 {
            let value = Double(bitPattern: generator.next())
            guard value.isFinite else { continue }
            let json = try JSON(parsing: value.description)
            try #require(json.double?.bitPattern == value.bitPattern)
            try #require(try JSON(parsing: json.description).double?.bitPattern == value.bitPattern)
        }
    }

    @Test("Decimal texts of few digits have the nearest double")
    func shortDecimals() throws {
        var generator = SeededRandom(seed: 12)
        for _ in 0..<20_000 {
            let digits = generator.next() % 1_000_000_000_000_000_000
            let text =
                "\(digits >> (generator.next() % 60)).\(generator.next() % 1000)e\(Int(generator.next() % 80) - 40)"
            try #require(try JSON(parsing: text).double == Double(text))
        }
    }

    @Test(
        "Integers at the edges",
        arguments: [
            ("9223372036854775807", Int64.max, UInt64(9_223_372_036_854_775_807)),
            ("-9223372036854775808", Int64.min, nil),
            ("9223372036854775808", nil, 9_223_372_036_854_775_808),
            ("18446744073709551615", nil, UInt64.max),
            ("18446744073709551616", nil, nil),
            ("-9223372036854775809", nil, nil),
            ("-1", -1, nil),
            ("3.0", 3, 3),
            ("3e2", 300, 300),
            ("3.5", nil, nil),
            ("1e30", nil, nil),
            ("-0", 0, 0),
        ] as [(String, Int64?, UInt64?)])
    func edges(text: String, signed: Int64?, unsigned: UInt64?) throws {
        let json = try JSON(parsing: text)
        expectEqual(json.number?.int64, signed)
        expectEqual(json.number?.uint64, unsigned)
        expectEqual(json.int, signed.flatMap { Int(exactly: $0) })
        expectEqual(json.uint, unsigned.flatMap { UInt(exactly: $0) })
    }

    @Test("The double of a number beyond its range is nil")
    func outOfRange() throws {
        try expectNil(JSON(parsing: "1e400").double)
        try expectEqual(JSON(parsing: "1e-400").double, 0)
        try expectEqual(JSON(parsing: "12345678901234567890123").double, 1.2345678901234568e22)
        try expectEqual(JSON(parsing: "-0").double?.sign, .minus)
    }

    static let equal: [[JSON.Number]] = [
        [1, 1.0, JSON.Number(UInt8(1))],
        [JSON.Number(UInt64.max), JSON.Number(UInt64.max)],
        [JSON.Number(UInt64(1) << 63), JSON.Number(0x1p63)],
        [0, JSON.Number(-0.0)],
        [JSON.Number(Double.nan), JSON.Number(-Double.nan)],
    ]

    @Test("Numbers of equal value are equal and hash alike", arguments: equal)
    func equality(numbers: [JSON.Number]) {
        for number in numbers.dropFirst() {
            expectEqual(number, numbers[0])
            expectEqual(number.hashValue, numbers[0].hashValue)
        }
        expectEqual(Set(numbers).count, 1)
    }

    static let wide: [Int128] = [
        100_000_000_000_000_000_000_000, -100_000_000_000_000_000_000_000, 18_446_744_073_709_551_616,
        123_456_789_012_345_678_901_234_567_890, -9_223_372_036_854_775_809, -12_345_678_901_234_567_000, .max, .min,
    ]

    @Test("An integer beyond 64 bits equals its digits as they are parsed", arguments: wide)
    func wideIntegers(value: Int128) throws {
        let number = JSON.Number(value)
        let parsed = try #require(JSON.Number(literal: "\(value)"))
        expectEqual(number, parsed)
        expectEqual(number.hashValue, parsed.hashValue)
        try expectEqual(JSON(parsing: number.description).number, number)
    }

    @Test("Texts of equal value are equal, and others are not")
    func literalEquality() throws {
        let forms = ["12345678901234567890123", "1.2345678901234567890123e22", "123456789012345678901230E-1"]
        let numbers = try forms.map { try #require(JSON.Number(literal: $0)) }
        expectEqual(Set(numbers).count, 1)
        #expect(JSON.Number(literal: "-12345678901234567890123") != numbers[0])
        #expect(JSON.Number(literal: "12345678901234567890124") != numbers[0])
        #expect(JSON.Number(literal: "1e400") != JSON.Number(literal: "1e401"))
        expectEqual(JSON.Number(literal: "10e400"), JSON.Number(literal: "1e401"))
        #expect(JSON.Number(9_007_199_254_740_993) != JSON.Number(9_007_199_254_740_992.0))
        #expect(JSON.Number(UInt64.max) != JSON.Number(0x1p64))
    }

    @Test(
        "A literal has to be one number", arguments: ["", "-", "01", "1.", " 1", "1 ", "NaN", "+1", "1e", "0x1", "1\0"])
    func invalidLiteral(text: String) {
        expectNil(JSON.Number(literal: text))
    }
}
