import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("JSON: exponents at the boundaries of integers")
struct JSONExponentTests {
    private static let boundaries: [String] = {
        var texts: [String] = []
        for power in [7, 8, 15, 16, 31, 32, 50, 52, 62] {
            for offset in -1...1 { texts.append("\(1 << power + offset)") }
        }
        let int = UInt64(Int64.max)
        for value in [int - 20, int - 19, int - 1, int, int + 1, int + 2, .max] { texts.append("\(value)") }
        return texts + ["18446744073709551616", "99999999999999999999999999"]
    }()

    private static let mantissas = [
        "1", "-1", "0", "-0", "9", "0.1", "1.5", "12345678901234567890", "-12345678901234567890",
        "0.00000000000000000001",
        "12345678901234567", "1000000000000000000000000",
    ]

    @Test("Every exponent is read, compared, hashed, written and encoded", arguments: boundaries)
    func reading(exponent: String) throws {
        for mantissa in Self.mantissas {
            for sign in ["", "+", "-"] {
                let text = "\(mantissa)e\(sign)\(exponent)"
                let json = try JSON(parsing: "{\"a\":\(text)}")
                let number = try #require(json["a"].number)
                try expectEqual(JSON(parsing: json.serialized()), json)
                try expectEqual(JSON(parsing: "[\(text.uppercased())]")[0].number?.double, number.double)
                expectEqual(json.hashValue, (try JSON(parsing: "{\"a\":\(text)}")).hashValue)
                // A number beyond every range is zero, or keeps its text.
                if exponent.utf8.count > 4 {
                    let isZero = mantissa == "0" || mantissa == "-0"
                    expectEqual(number.int, (isZero ? 0 : nil), "\(text)")
                    #expect(isZero || number.description == text)
                }
                _ = (number.uint, number.double)
                _ = try? JSONEncoder().encode(json)
            }
        }
    }
}
