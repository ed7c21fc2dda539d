import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("JSON: from parameters")
struct JSONParametersTests {
    @Test("Every kind of value has its JSON")
    func kinds() throws {
        let parameters: Parameters = [
            "z": 1, "u": UInt64.max, "d": 1.5, "whole": 2.0, "t": true, "s": "é\"", "n": Parameters.null,
            "when": Date(timeIntervalSince1970: 1_577_934_245), "data": Data([0xFB, 0xFF, 1]),
            "set": [10, 9, 100] as Set<Int>, "names": ["b", "a"] as Set<String>, "list": [["k": [1]], [:]],
            "tree": ["b": ["c": false]], "empty": [:] as Parameters,
        ]
        try expectEqual(
            JSON(parameters).serializedString(),
            """
            {"z":1,"u":18446744073709551615,"d":1.5,"whole":2,"t":true,"s":"é\\"","n":null,\
            "when":"2020-01-02T03:04:05Z","data":"+/8B","set":[9,10,100],"names":["a","b"],\
            "list":[{"k":[1]},{}],"tree":{"b":{"c":false}},"empty":{}}
            """)
    }

    @Test("A single value has its JSON")
    func singleValues() throws {
        #expect(try JSON(ParameterValue.null) == nil)
        try expectEqual(JSON([1, "x"] as ParameterValue), [1, "x"])
        try expectEqual(JSON(ParameterValue.set([.string("b"), .integer(2), .string("a")])), [2, "a", "b"])
    }

    @Test("A number that is not finite is refused with its place", arguments: [Double.nan, .infinity, -.infinity])
    func nonFinite(value: Double) {
        let parameters: Parameters = ["user": ["scores": [1, 2, value]]]
        let error = #expect(throws: ParameterError.self) { try JSON(parameters) }
        expectEqual(error?.reason, .nonFiniteNumber)
        expectEqual(error?.keyPath, "user.scores[2]")
        expectEqual(error?.description, "a number is not finite at user.scores[2]")
    }

    private static let data: Parameters = ["a": Data([1, 255]), "b": [Data(), Data([0])], "c": ["d": Data([7])]]

    @Test("Data is written as the option says: base64, numbers, or what a closure makes of it")
    func data() throws {
        let data = Self.data
        try expectEqual(JSON(data).serializedString(), #"{"a":"Af8=","b":["","AA=="],"c":{"d":"Bw=="}}"#)
        try expectEqual(JSON(data, data: .numbers).serializedString(), #"{"a":[1,255],"b":[[],[0]],"c":{"d":[7]}}"#)
        let custom = try JSON(data, data: .custom { "\($0.count) bytes" })
        try expectEqual(custom.serializedString(), #"{"a":"2 bytes","b":["0 bytes","1 bytes"],"c":{"d":"1 bytes"}}"#)
        try expectEqual(JSON(ParameterValue.data(Data([7])), data: .numbers), [7])
    }

    @Test("What a closure throws for data fails with the place, and numbers of data count as a level")
    func dataErrors() throws {
        struct Refusal: Error {}
        let style = QueryEncoder.DataStyle.custom { data in
            guard !data.isEmpty else { throw Refusal() }
            return ""
        }
        let error = #expect(throws: ParameterError.self) { try JSON(Self.data, data: style) }
        expectEqual(error?.keyPath, "b[0]")
        var value = ParameterValue.data(Data([1]))
        for _ in 0..<JSON.maximumDepth { value = .array([value]) }
        #expect(throws: Never.self) { try JSON(value) }
        let deep = #expect(throws: ParameterError.self) { try JSON(value, data: .numbers) }
        expectEqual(deep?.reason, .tooDeep(limit: JSON.maximumDepth))
    }

    @Test("A date that has no text is refused with its place")
    func date() {
        let parameters: Parameters = ["when": Date(timeIntervalSince1970: .infinity)]
        let error = #expect(throws: ParameterError.self) { try JSON(parameters) }
        expectEqual(error?.description, "a date lies outside the years 0000 to 9999 at when")
    }
}
