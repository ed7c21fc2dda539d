import SternaCore
import SternaPlatform
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Property lists: from parameters")
struct PropertyListParameterTests {
    private static let date = Date(timeIntervalSince1970: 1_577_934_245.625)

    static let kinds: [(ParameterValue, PropertyList)] = [
        (true, true), (false, false), (.integer(.min), .integer(.min)), (.integer(0), 0),
        (.unsigned(.max), .unsigned(.max)),
        (.double(1), .real(1)), (.double(-0.5), .real(-0.5)), (.string(""), ""), (.string("1"), "1"),
        (.date(date), .date(date)),
        (.data(Data([0, 255])), .data(Data([0, 255]))), (.data(Data()), .data(Data())), (.array([]), []),
        (.set([]), []),
        (.dictionary([:]), [:]), (.array([2, "a", .set([])]), [2, "a", []]),
        (.set([.string("b"), .integer(10), .string("a"), .integer(9), .bool(true)]), [true, 9, 10, "a", "b"]),
        (([10, 9, 100] as Set<Int>).parameterValue, [9, 10, 100]),
        (.dictionary(["k": ["l": [1, 2]] as Parameters]), ["k": ["l": [1, 2]]]),
        (.array([.array([.set([.data(Data([2])), .data(Data([1]))])])]), [[[.data(Data([1])), .data(Data([2]))]]]),
    ]

    @Test("Every kind is kept, sets in ascending order", arguments: kinds)
    func kind(value: ParameterValue, expected: PropertyList) throws {
        try expectEqual(PropertyList(value).exactDescription, expected.exactDescription)
        let inside = try PropertyList(["a": value] as Parameters)
        expectEqual(inside.exactDescription, PropertyList.dictionary(["a": expected]).exactDescription)
    }

    @Test("Parameters are a dictionary, empty ones too")
    func parameters() throws {
        try expectEqual(PropertyList(Parameters()), [:])
        let parameters: Parameters = [
            "i": 1, "u": UInt64.max, "d": 2.0, "t": true, "s": "é", "when": Self.date,
            "set": ["b", "a"] as Set<String>,
            "list": [["k": [1]], [:]], "small": UInt8(5),
        ]
        let expected: PropertyList = [
            "i": 1, "u": .unsigned(.max), "d": .real(2), "t": true, "s": "é", "when": .date(Self.date),
            "set": ["a", "b"],
            "list": [["k": [1]], [:]], "small": 5,
        ]
        try expectEqual(PropertyList(parameters).exactDescription, expected.exactDescription)
    }

    static let refused: [(ParameterValue, String?)] = [
        (.null, nil), (.double(.nan), "a number is not finite"), (.double(.infinity), "a number is not finite"),
        (.double(-.infinity), "a number is not finite"),
    ]

    @Test("What a property list has no form for is refused with its place", arguments: refused)
    func noForm(value: ParameterValue, reason: String?) {
        let places: [(Parameters, String)] = [
            (["a": value], "a"), (["a": [1, value] as ParameterValue], "a[1]"),
            (["a": ["b": [["c": value]]]], "a.b[0].c"),
            (["a": 1, "s": .set([value]) as ParameterValue], "s[0]"),
        ]
        for (parameters, path) in places {
            let error = #expect(throws: ParameterError.self) { try PropertyList(parameters) }
            expectEqual(error?.keyPath, path)
            if let reason {
                expectEqual(error?.reason, .nonFiniteNumber)
                expectEqual(error?.description, "\(reason) at \(path)")
            } else if case .notEncodable(let what)? = error?.reason {
                #expect(!what.isEmpty)
            } else {
                Issue.record("\(String(describing: error))")
            }
        }
        let error = #expect(throws: ParameterError.self) { try PropertyList(value) }
        expectEqual(error?.keyPath, "")
    }

    @Test("A date that has no text is a value all the same, until XML is written")
    func date() throws {
        let tree = try PropertyList(["a": [Date(timeIntervalSince1970: 1e12)]] as Parameters)
        try expectEqual(PropertyList(parsing: tree.serialized(.binary)), tree)
        let error = #expect(throws: ParameterError.self) { try tree.serialized(.xml) }
        expectEqual(error?.description, "a date lies outside the years 0000 to 9999 at a[0]")
    }

    @Test("512 containers within each other are taken, 513 are not", arguments: [0, 1])
    func depth(odd: Int) throws {
        func nested(_ levels: Int) -> ParameterValue {
            (1..<levels).reduce(.set([])) { value, level in
                level % 2 == odd ? .array([value]) : .dictionary(["k": value] as Parameters)
            }
        }
        try expectEqual(PropertyList(nested(512)).serialized(.binary).isEmpty, false)
        try expectEqual(PropertyList(["top": nested(511)] as Parameters).serialized(.xml).isEmpty, false)
        for levels in [513, 5_000] {
            let value = #expect(throws: ParameterError.self) { try PropertyList(nested(levels)) }
            expectEqual(value?.reason, .tooDeep(limit: 512))
            let member = #expect(throws: ParameterError.self) {
                try PropertyList(["top": nested(levels - 1)] as Parameters)
            }
            expectEqual(member?.reason, .tooDeep(limit: 512))
            expectEqual(member?.keyPath.hasPrefix("top"), true)
        }
    }
}
