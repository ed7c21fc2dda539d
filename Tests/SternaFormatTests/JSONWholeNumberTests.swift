import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("JSON: whole numbers beyond 2⁵³")
struct JSONWholeNumberTests {
    static let texts: [(String, Int?)] = [
        ("51234060963295030.0", 51_234_060_963_295_030), ("51234060963295030.000", 51_234_060_963_295_030),
        ("5.123406096329503e16", 51_234_060_963_295_030), ("512340609632950300e-1", 51_234_060_963_295_030),
        ("-51234060963295030.0", -51_234_060_963_295_030), ("999999999999999e3", 999_999_999_999_999_000),
        ("9007199254740993.0", 9_007_199_254_740_993), ("9223372036854775807.0", .max),
        ("-9223372036854775808.0", .min), ("9223372036854775808.0", nil), ("1e19", nil), ("1e400", nil),
        ("9007199254740992.0", 9_007_199_254_740_992), ("1e2", 100), ("1.5", nil), ("51234060963295030.5", nil),
    ]

    @Test("A whole number is the one of its text, not the double next to it", arguments: texts)
    func text(text: String, expected: Int?) throws {
        let number = try #require(try JSON(parsing: text).number)
        expectEqual(number.int, expected)
        expectEqual(number.double, Double(text).flatMap { $0.isFinite ? $0 : nil })
        try expectEqual(JSON(parsing: number.description).number, number)
    }

    @Test("A double that is whole is written with digits that read back as that number")
    func doubles() throws {
        for value in [
            51_234_060_963_295_032.0, -51_234_060_963_295_032.0, 1e16, 1e22, 0x1p63, 0x1.fffffffffffffp62,
            -0x1p63, -9_623_372_036_854_000_000, -0x1.0000000000001p63, -0x1p64, 9_623_372_036_854_000_000,
        ] {
            let number = JSON.Number(value)
            try expectEqual(JSON(parsing: number.description).number, number, "\(value)")
        }
        expectEqual(JSON.Number(51_234_060_963_295_032.0).description, "51234060963295032")
        expectEqual(JSON.Number(1e16).description, "1e+16")
    }
}
