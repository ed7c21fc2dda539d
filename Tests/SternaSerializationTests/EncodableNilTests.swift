import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Encodable: members that are nil, keys that are written twice, super encoders")
struct EncodableNilTests {
    private struct Inner: Encodable { var value: Int? }

    private struct All: Encodable {
        var bool: Bool?
        var string: String?
        var double: Double?
        var float: Float?
        var int: Int?
        var int8: Int8?
        var int16: Int16?
        var int32: Int32?
        var int64: Int64?
        var uint: UInt?
        var uint8: UInt8?
        var uint16: UInt16?
        var uint32: UInt32?
        var uint64: UInt64?
        var date: Date?
        var inner: Inner? = Inner()
        var list: [Inner]? = [Inner(), Inner(value: 1)]
        var none: Inner?
    }

    @Test("Nil members are left out, or kept as null at every level")
    func members() throws {
        try expectEqual(
            Parameters(encoding: All()),
            [
                "inner": [:] as Parameters, "list": [[:], ["value": 1]] as [Parameters],
            ])
        let kept = try Parameters(encoding: All(), keepingNils: true)
        expectEqual(
            kept.keys,
            [
                "bool", "string", "double", "float", "int", "int8", "int16", "int32", "int64", "uint", "uint8",
                "uint16",
                "uint32", "uint64", "date", "inner", "list", "none",
            ])
        for key in kept.keys where key != "inner" && key != "list" { expectEqual(kept.value(for: key), .null) }
        expectEqual(kept.value(for: "inner"), .dictionary(["value": Parameters.null]))
        try expectEqual(
            ParameterValue(encoding: [Inner()], keepingNils: true), [["value": Parameters.null] as Parameters])
    }

    @Test("A dictionary's nil is null, as JSONEncoder writes it, at every level")
    func dictionaries() throws {
        let names: [String: String?] = ["a": nil, "b": "x"]
        let null: Parameters = ["a": Parameters.null, "b": "x"]
        try expectEqual(Parameters(encoding: names), null)
        try expectEqual(ParameterValue(encoding: [names]), .array([.dictionary(null)]))
        try expectEqual(Parameters(encoding: ["n": names]), ["n": null])
        try expectEqual(Parameters(encoding: ["n": Optional([names])]), ["n": [null]])
        try expectEqual(JSON(Parameters(encoding: names)), JSON(parsing: JSONEncoder().encode(names)))
    }

    @Test("An encoder's options keep nil members and define how null is written")
    func encoder() async throws {
        let value = Inner()
        try expectEqual(QueryEncoder().encode(value), "")
        try expectEqual(QueryEncoder(keepsNilMembers: true).encode(value), "value")
        try expectEqual(QueryEncoder(nulls: .emptyValue, keepsNilMembers: true).encode(value), "value=")
        try expectEqual(QueryEncoder(nulls: .literal, keepsNilMembers: true).encode(value), "value=null")
        let body = try Body.form(encoding: value, encoder: QueryEncoder(nulls: .literal, keepsNilMembers: true))
        try await expectEqual(MultipartFormTests.bytes(body), Array("value=null".utf8))
        let archived = try JSONDecoder().decode(
            QueryEncoder.self, from: JSONEncoder().encode(QueryEncoder(keepsNilMembers: true)))
        #expect(archived.keepsNilMembers)
    }

    // MARK: As JSONEncoder

    private enum Key: String, CodingKey { case a, b, c, `super` }

    /// A conformance written by hand.
    private struct Manual: Encodable {
        var write: @Sendable (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try write(encoder) }
    }

    private static let manual: [(String, Manual)] = [
        (
            "a value twice",
            Manual {
                var container = $0.container(keyedBy: Key.self)
                try container.encode(1, forKey: .a)
                try container.encode(2, forKey: .b)
                try container.encode([3], forKey: .a)
                try container.encodeNil(forKey: .b)
            }
        ),
        (
            "a keyed container twice",
            Manual {
                var container = $0.container(keyedBy: Key.self)
                var first = container.nestedContainer(keyedBy: Key.self, forKey: .a)
                try first.encode(1, forKey: .a)
                var second = container.nestedContainer(keyedBy: Key.self, forKey: .a)
                try second.encode(2, forKey: .b)
                try first.encode(3, forKey: .c)
            }
        ),
        (
            "an array twice",
            Manual {
                var container = $0.container(keyedBy: Key.self)
                var first = container.nestedUnkeyedContainer(forKey: .a)
                try first.encode(1)
                var second = container.nestedUnkeyedContainer(forKey: .a)
                try second.encode(2)
                expectEqual(second.count, 2)
            }
        ),
        (
            "a container over an encoded dictionary",
            Manual {
                var container = $0.container(keyedBy: Key.self)
                try container.encode(["a": 1, "b": 2], forKey: .a)
                var nested = container.nestedContainer(keyedBy: Key.self, forKey: .a)
                try nested.encode(3, forKey: .b)
                try nested.encode(4, forKey: .c)
            }
        ),
        (
            "a container over an encoded array",
            Manual {
                var container = $0.container(keyedBy: Key.self)
                try container.encode([1, 2], forKey: .a)
                var nested = container.nestedUnkeyedContainer(forKey: .a)
                try nested.encode(3)
            }
        ),
        (
            "a value over a container",
            Manual {
                var container = $0.container(keyedBy: Key.self)
                var nested = container.nestedContainer(keyedBy: Key.self, forKey: .a)
                try nested.encode(1, forKey: .a)
                try container.encode(2, forKey: .a)
            }
        ),
        (
            "two containers of one encoder",
            Manual {
                var one = $0.container(keyedBy: Key.self)
                try one.encode(1, forKey: .a)
                var two = $0.container(keyedBy: Key.self)
                try two.encode(2, forKey: .b)
                try one.encode(3, forKey: .c)
            }
        ),
        (
            "super",
            Manual {
                var container = $0.container(keyedBy: Key.self)
                try container.encode(1, forKey: .a)
                try Manual { encoder in
                    var container = encoder.container(keyedBy: Key.self)
                    try container.encode(2, forKey: .a)
                }.encode(to: container.superEncoder())
            }
        ),
        (
            "super of a key",
            Manual {
                var container = $0.container(keyedBy: Key.self)
                try Manual { encoder in
                    var container = encoder.singleValueContainer()
                    try container.encode(2)
                }.encode(to: container.superEncoder(forKey: .b))
            }
        ),
        (
            "super twice",
            Manual {
                var container = $0.container(keyedBy: Key.self)
                for number in 1...2 {
                    try Manual { encoder in
                        var container = encoder.unkeyedContainer()
                        try container.encode(number)
                    }.encode(to: container.superEncoder())
                }
            }
        ),
        (
            "super of which nothing is made",
            Manual {
                var container = $0.container(keyedBy: Key.self)
                _ = container.superEncoder()
                _ = container.superEncoder(forKey: .c)
            }
        ),
        (
            "super over a value",
            Manual {
                var container = $0.container(keyedBy: Key.self)
                try container.encode(1, forKey: .super)
                try Manual { encoder in
                    var container = encoder.singleValueContainer()
                    try container.encode(2)
                }.encode(to: container.superEncoder())
            }
        ),
        (
            "super in an array",
            Manual {
                var container = $0.unkeyedContainer()
                try container.encode(1)
                try Manual { encoder in
                    var container = encoder.container(keyedBy: Key.self)
                    try container.encode(2, forKey: .a)
                }.encode(to: container.superEncoder())
                try container.encode(3)
            }
        ),
        (
            "nothing",
            Manual {
                var container = $0.container(keyedBy: Key.self)
                _ = container.nestedContainer(keyedBy: Key.self, forKey: .a)
                _ = container.nestedUnkeyedContainer(forKey: .b)
            }
        ),
    ]

    private class Base: Encodable {
        var one = 1
        private enum Key: String, CodingKey { case one, two }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(one, forKey: .one)
            try container.encode("base", forKey: .two)
        }
    }

    private final class SharedContainer: Base {
        private enum Key: String, CodingKey { case two, three }
        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode("derived", forKey: .two)
            try container.encode([Optional(3), nil], forKey: .three)
        }
    }

    private final class OwnContainer: Base {
        private enum Key: String, CodingKey { case two }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(2, forKey: .two)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test("Whatever a conformance does, the result is JSONEncoder's")
    func likeJSONEncoder() throws {
        func check(_ name: String, _ value: some Encodable) throws {
            let expected = try JSON(parsing: JSONEncoder().encode(value))
            try expectEqual(JSON(ParameterValue(encoding: value)), expected, "\(name)")
        }
        for (name, value) in Self.manual { try check(name, value) }
        try check("a subclass in its parent's container", SharedContainer())
        try check("a subclass with a super encoder", OwnContainer())
        try check("an array of subclasses", [OwnContainer(), SharedContainer(), Base()])
    }

    @Test("Many containers of many keys take no time that grows with their square")
    func many() throws {
        struct Name: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        let value = Manual { encoder in
            var container = encoder.container(keyedBy: Name.self)
            for _ in 0..<2 {
                for number in 0..<10_000 {
                    var nested = container.nestedContainer(keyedBy: Key.self, forKey: Name(stringValue: "\(number)"))
                    try nested.encode(number, forKey: .a)
                }
            }
        }
        try expectEqual(Parameters(encoding: value).count, 10_000)
    }
}
