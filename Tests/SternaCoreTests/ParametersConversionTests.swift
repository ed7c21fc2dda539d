import SternaCore
import SternaPlatform
import Testing

@testable import SternaTestSupport

@Suite("Parameters: conversions of single values")
struct ParametersConversionTests {
    enum Order: String, ParameterConvertible {
        case newest
    }

    static let conversions: [(any ParameterConvertible, ParameterValue)] = [
        ("text", .string("text")),
        ("text".dropFirst(), .string("ext")),
        (Character("é"), .string("é")),
        (Int8.min, .integer(-128)),
        (Int16.min, .integer(-32768)),
        (Int32.max, .integer(2_147_483_647)),
        (Int64.min, .integer(-9_223_372_036_854_775_808)),
        (Int.max, .integer(9_223_372_036_854_775_807)),
        (UInt8.max, .integer(255)),
        (UInt16.max, .integer(65535)),
        (UInt32.max, .integer(4_294_967_295)),
        (UInt64(7), .integer(7)),
        (UInt64.max, .unsigned(18_446_744_073_709_551_615)),
        (UInt.max, .unsigned(18_446_744_073_709_551_615)),
        (1.5, .double(1.5)),
        (Float(0.1), .double(0.1)),
        (Float.infinity, .double(.infinity)),
        (true, .bool(true)),
        (Date(timeIntervalSince1970: 5), .date(Date(timeIntervalSince1970: 5))),
        (Data([1, 2]), .data(Data([1, 2]))),
        (
            UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255)),
            .string("01020304-0506-0708-090A-0B0C0D0E0FFF")
        ),
        (String?.none, .null),
        (String?.some("x"), .string("x")),
        (Int??.some(.none), .null),
        ([1, nil, 3] as [Int?], .array([.integer(1), .null, .integer(3)])),
        ([10, 9, 100] as Set<Int>, .set([.integer(9), .integer(10), .integer(100)])),
        (["b": 1, "a": 2], .dictionary(["a": 2, "b": 1])),
        (["k": 1] as Parameters, .dictionary(["k": 1])),
        (ParameterValue.null, .null),
        (Order.newest, .string("newest")),
    ]

    @Test("Each type has its value", arguments: conversions.indices)
    func conversion(index: Int) {
        let (value, expected) = Self.conversions[index]
        expectEqual(value.parameterValue, expected)
    }

    @Test("An address is its absolute text")
    func address() throws {
        let url = try #require(URL(string: "https://example.org/a?b=c"))
        #expect(url.parameterValue == .string("https://example.org/a?b=c"))
    }

    @Test("Float NaN stays NaN")
    func floatNaN() {
        guard case .double(let value) = Float.nan.parameterValue else {
            Issue.record("not a double")
            return
        }
        #expect(value.isNaN)
    }

    @Test("Equal sets convert to equal values, whatever their order in memory")
    func equalSets() {
        for seed in 0..<50 {
            let members = (0..<20).map { ($0 &* 7919 &+ seed) % 20 }
            let forwards = Set(members)
            var backwards = Set<Int>(minimumCapacity: 500)
            for member in members.reversed() { backwards.insert(member) }
            expectEqual(forwards.parameterValue, backwards.parameterValue)
            expectEqual(forwards.parameterValue.hashValue, backwards.parameterValue.hashValue)
        }
    }

    @Test("Sets are ordered by kind, then by value")
    func setOrder() {
        let mixed: Set<ParameterValue> = [
            .dictionary(["a": 1]), .array([2]), .array([1, 5]), .array([1]), .string("b"), .string("a"), .double(1.5),
            .integer(2), .integer(-1), .unsigned(.max), .bool(true), .bool(false), .null, .double(-.infinity),
        ]
        expectEqual(
            mixed.parameterValue,
            .set([
                .null, .bool(false), .bool(true), .double(-.infinity), .integer(-1), .double(1.5), .integer(2),
                .unsigned(.max), .string("a"), .string("b"), .array([1]), .array([1, 5]), .array([2]),
                .dictionary(["a": 1]),
            ]))
    }
}
