import SternaCore
import SternaPlatform
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Decimal numbers as parameters")
struct DecimalParameterTests {
    private struct Price: Encodable {
        var amount: Decimal
        var parts: [Decimal]
    }

    private let long = "1234567890123456789012345678.0123456789"

    @Test("Decimals keep their digits in queries and as numbers of JSON")
    func digits() throws {
        let amount = try #require(Decimal(string: long))
        let literal: Parameters = ["amount": amount, "tenth": Decimal(string: "0.10")]
        try expectEqual(QueryEncoder.afnetworking4.encode(literal), "amount=\(long)&tenth=0.1")
        try expectEqual(JSON(literal).serializedString(), #"{"amount":\#(long),"tenth":0.1}"#)
        let encoded = try Parameters(encoding: Price(amount: amount, parts: [1, -2]))
        try expectEqual(JSON(encoded).serializedString(), #"{"amount":\#(long),"parts":[1,-2]}"#)
        try expectEqual(Parameters(untyped: ["a": amount]).value(for: "a"), .decimal(amount))
    }

    @Test("A Decimal that is not a number has no form in JSON and property lists")
    func notANumber() throws {
        let parameters: Parameters = ["a": [Decimal.nan]]
        #expect(throws: ParameterError.self) { try JSON(parameters) }
        let error = #expect(throws: ParameterError.self) { try PropertyList(parameters) }
        expectEqual(error?.reason, .nonFiniteNumber)
        expectEqual(error?.keyPath, "a[0]")
        try expectEqual(PropertyList(["a": Decimal(string: "2.5")] as Parameters), ["a": 2.5])
    }

    @Test("Decimals in a set are sorted by value, with whole numbers and doubles")
    func order() throws {
        let set = Set([Decimal(10), Decimal(9), Decimal(string: "9.5") ?? 0])
        try expectEqual(JSON(["n": set] as Parameters).serializedString(), #"{"n":[9,9.5,10]}"#)
    }
}

@Suite("Dictionaries of Encodable values as parameters")
struct EncodableDictionaryTests {
    private struct Item: Encodable {
        var name: String
    }

    @Test("Keys are in ascending order wherever the style keeps an order, as a dictionary has none")
    func order() throws {
        let names = (0..<40).map { "key\($0)" }
        let items = Dictionary(uniqueKeysWithValues: names.map { ($0, Item(name: $0)) })
        let text = try JSON(Parameters(encoding: ["z": items, "a": [:]])).serializedString()
        let expected = names.sorted().map { #""\#($0)":{"name":"\#($0)"}"# }.joined(separator: ",")
        expectEqual(text, #"{"a":{},"z":{\#(expected)}}"#)
    }
}
