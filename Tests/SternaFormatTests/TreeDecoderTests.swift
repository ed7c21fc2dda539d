import NIOCore
import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

/// Decoding from the tree that was parsed: the values and errors of Foundation's decoders.
@Suite("Decodable values are read from the parsed tree")
struct TreeDecoderTests {
    private struct Everything: Codable, Equatable, Sendable {
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
        var data: Data?
        var url: URL?
        var decimal: Decimal?
        var uuid: UUID?
        var list: [Int]?
        var map: [String: Double]?
        var numbers: [Int: String]?
        var choice: Choice?
        var nested: [[Everything]]?
    }

    private enum Choice: String, Codable { case one, two }

    private indirect enum Shape: Codable, Equatable, Sendable {
        case point
        case circle(radius: Double)
        case pair(Shape, Shape)
    }

    private static let values = [
        "null", "true", "false", "0", "-0", "1", "-1", "127", "128", "255", "256", "-129", "65536", "2147483648",
        "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "1.0", "1.5",
        "1e2", "1e400", "3.4e39", "0.1", "16777217", "9007199254740993", "\"\"", "\"one\"", "\"two\"", "\"AAH/\"",
        "\"A\"", "\"https://h/p?q\"", "\"not a url\"", "\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\"", "[]", "[1,2]",
        "[1,null]", "[[]]", "{}", #"{"a":1}"#, #"{"1":"x"}"#, #"{"x":"x"}"#, "[[{}]]", #"[[{"int":1}]]"#,
        "123456789012345678901234567890.5",
    ]

    private static let members = [
        "bool", "string", "double", "float", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16",
        "uint32", "uint64", "date", "data", "url", "decimal", "uuid", "list", "map", "numbers", "choice", "nested",
        "unknown",
    ]

    /// What a decoding comes to: the value, or the kind of the error and its path.
    private static func outcome<T: Codable & Equatable>(_ read: () throws -> T) -> (value: T?, error: String?) {
        do {
            return (try read(), nil)
        } catch {
            switch (error as? SternaError)?.underlying ?? error {
            case DecodingError.typeMismatch(_, let context): return (nil, "typeMismatch \(path(context))")
            case DecodingError.valueNotFound(_, let context): return (nil, "valueNotFound \(path(context))")
            case DecodingError.keyNotFound(let key, let context):
                return (nil, "keyNotFound \(key.stringValue) \(path(context))")
            case DecodingError.dataCorrupted(let context): return (nil, "dataCorrupted \(path(context))")
            default: return (nil, "\(error)")
            }
        }
    }

    private static func path(_ context: DecodingError.Context) -> String {
        context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/")
    }

    private func compare<T: Codable & Equatable & Sendable>(
        _ type: T.Type, _ text: String, _ settings: DecodingSettings = DecodingSettings()
    ) {
        let own = Self.outcome { try GivenAnswer(text).read(by: .decodable(type, settings)) }
        let theirs = Self.outcome { try settings.decoder().decode(type, from: Data(text.utf8)) }
        expectEqual(own.value, theirs.value, "\(text) as \(type)")
        switch (own.error, theirs.error) {
        // Foundation names no place for numbers that do not fit, and has another name for null as a boolean of an array.
        case (let own?, "dataCorrupted "): #expect(own.hasPrefix("dataCorrupted "), "\(text) as \(type)")
        case ("valueNotFound 0", "typeMismatch 0") where text == "[null]": break
        default: expectEqual(own.error, theirs.error, "\(text) as \(type)")
        }
    }

    @Test("Members of every type and every kind of value")
    func everything() {
        for member in Self.members {
            for value in Self.values { compare(Everything.self, #"{"\#(member)":\#(value)}"#) }
        }
        for value in Self.values {
            compare(Everything.self, value)
            compare([Everything].self, value)
            compare([Int?].self, value)
            compare([String: [Int]].self, value)
            compare(Int.self, value)
            compare(String.self, value)
            compare(Double?.self, value)
            compare([Float].self, "[\(value)]")
            compare([UInt8].self, "[\(value)]")
            compare([Bool].self, "[\(value)]")
        }
    }

    @Test("Choices with values of their own, there and back")
    func shapes() throws {
        for shape in [Shape.point, .circle(radius: 2), .pair(.point, .pair(.circle(radius: 0.5), .point))] {
            let text = String(decoding: try JSONEncoder().encode(shape), as: UTF8.self)
            try expectEqual(GivenAnswer(text).read(by: .decodable(Shape.self)), shape)
            compare(Shape.self, text)
        }
        for text in [#"{"circle":{}}"#, #"{"square":{}}"#, "{}", #"{"point":{},"circle":{"radius":1}}"#, "[]"] {
            compare(Shape.self, text)
        }
    }

    private struct Named: Codable, Equatable, Sendable {
        var oneTwo: Int?
        var one: Int?
        var _private: Int?
        var myURLPath: Int?
        var map: [String: Int]?
        var inner: [Named]?
    }

    static let names = [
        #"{"one_two":1}"#, #"{"oneTwo":1}"#, #"{"ONE_TWO":1}"#, #"{"one__two":1}"#, #"{"_private":1}"#,
        #"{"__private__":1}"#, #"{"my_url_path":1}"#, #"{"my_u_r_l_path":1}"#, #"{"_":1}"#, #"{"":1}"#, #"{"one_":1}"#,
        #"{"map":{"a_b":1,"c":2}}"#, #"{"inner":[{"one_two":1,"inner":[{"one_two":"x"}]}]}"#, #"{"one_2b":1}"#,
        #"{"one_two":1,"oneTwo":2}"#,
    ]

    @Test("Keys in snake case", arguments: names)
    func snakeCase(text: String) {
        compare(Named.self, text, DecodingSettings(keys: .snakeCase))
        compare([String: [String: Int]].self, text, DecodingSettings(keys: .snakeCase))
    }

    @Test("Keys of one's own are given the whole path")
    func customKeys() {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        let settings = DecodingSettings(
            keys: .custom { path in
                let name = path.last?.stringValue ?? ""
                return Key(stringValue: path.count > 1 && name == "x" ? "oneTwo" : name)
            })
        compare(Named.self, #"{"x":1,"inner":[{"x":2}],"map":{"x":3}}"#, settings)
    }

    @Test("Dates, data and numbers by choice")
    func choices() {
        let all = [
            "null", "0", "-1.5", "1e400", "\"\"", "\"x\"", "\"AAH/\"", "\"inf\"", "\"nan\"", "true", "[1,2]", "{}",
        ]
        let settings: [DecodingSettings] = [
            DecodingSettings(), DecodingSettings(dates: .seconds), DecodingSettings(dates: .milliseconds),
            DecodingSettings(dates: .iso8601),
            DecodingSettings(dates: .custom { Date(timeIntervalSince1970: try Double(from: $0)) }),
            DecodingSettings(data: .custom { Data(try [UInt8](from: $0)) }),
            DecodingSettings(
                nonFiniteNumbers: (positiveInfinity: "inf", negativeInfinity: "-inf", nan: "never")),
        ]
        for settings in settings {
            for value in all {
                compare([Date].self, "[\(value)]", settings)
                compare([Data].self, "[\(value)]", settings)
                compare([Double].self, "[\(value)]", settings)
                compare([String: Float].self, #"{"a":\#(value)}"#, settings)
            }
        }
    }

    private class Parent: Codable {
        var one = 1
    }

    private final class Child: Parent {
        var two: Int
        private enum Key: String, CodingKey { case two, base, list }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            two = try container.decode(Int.self, forKey: .two)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            expectEqual(list.count, 4)
            let nested = try list.nestedContainer(keyedBy: Key.self)
            #expect(nested.allKeys == [.two] && nested.codingPath.map(\.stringValue) == ["list", "Index 0"])
            #expect(try nested.decodeNil(forKey: .two))
            var inner = try list.nestedUnkeyedContainer()
            try expectEqual(inner.decode(Int.self), 7)
            #expect(inner.isAtEnd)
            #expect(throws: DecodingError.self) { try inner.decode(Int.self) }
            #expect(try !list.decodeNil())
            try expectEqual(String(from: list.superDecoder()), "s")
            #expect(try list.decodeNil())
            #expect(list.isAtEnd)
            #expect(throws: DecodingError.self) {
                try container.superDecoder(forKey: .base).container(keyedBy: Key.self)
            }
            try super.init(from: container.superDecoder())
        }
    }

    @Test("Super decoders and nested containers")
    func containers() throws {
        let text = #"{"two":2,"super":{"one":5},"list":[{"two":null,"other":1},[7],"s",null]}"#
        let child = try JSONDecoding.decode(Child.self, from: Bytes(string: text), decoder: JSONDecoder())
        #expect(child.one == 5 && child.two == 2)
    }

    @Test("A tree inside a value is the document's own, its numbers and the order of its members included")
    func trees() throws {
        struct Answer: Codable, Sendable { var extra: JSON }
        let digits = String(repeating: "1234567890", count: 7)
        let text = #"{"extra":{"z":\#(digits),"a":[1.5,null],"m":{}}}"#
        let extra = try GivenAnswer(text).read(by: .decodable(Answer.self)).extra
        expectEqual(extra.description, #"{"z":\#(digits),"a":[1.5,null],"m":{}}"#)
        let all = try GivenAnswer("[\(digits)]").read(by: .decodable([JSON].self))
        expectEqual(all.first?.number?.description, digits)
    }

    static let wide: [(String, Int128)] = [
        ("100000000000000000000000", 100_000_000_000_000_000_000_000),
        ("-100000000000000000000000", -100_000_000_000_000_000_000_000),
        ("1e23", 100_000_000_000_000_000_000_000), ("-12345678901234567000", -12_345_678_901_234_567_000),
        ("123456789012345678901234567890.0", 123_456_789_012_345_678_901_234_567_890),
        ("18446744073709551616", 18_446_744_073_709_551_616), ("-0", 0), ("9007199254740993", 9_007_199_254_740_993),
        ("170141183460469231731687303715884105727", .max), ("-170141183460469231731687303715884105728", .min),
    ]

    @Test("Integers beyond 64 bits have the document's digits", arguments: wide)
    func wideIntegers(text: String, value: Int128) throws {
        try expectEqual(GivenAnswer("[\(text)]").read(by: .decodable([Int128].self)), [value])
        let unsigned = UInt128(exactly: value)
        expectEqual(try? GivenAnswer(text).read(by: .decodable(UInt128.self)), unsigned)
    }

    @Test(
        "Numbers that no integer of 128 bits equals are errors",
        arguments: ["170141183460469231731687303715884105728", "1e39", "1e400", "0.5", "123456789012345678901.5"])
    func wideErrors(text: String) {
        #expect(GivenAnswer(text).error(of: .decodable(Int128.self)) != nil)
    }

    @Test("Of members of the same name the last one counts, as in the tree")
    func repeated() throws {
        let answer = GivenAnswer(#"{"a":1,"a":2}"#)
        try expectEqual(answer.read(by: .decodable([String: Int].self)), ["a": 2])
        #expect(try answer.read(by: .json)["a"].int == 2)
    }

    @Test("An error names the place and not the value")
    func message() throws {
        let text = #"{"nested":[[{"list":[1,"s3cret"]}]]}"#
        let error = try #require(GivenAnswer(text).error(of: .decodable(Everything.self)))
        #expect(error.detail.contains("nested[0][0].list[1]"))
        #expect(error.detail.contains("a string"))
        #expect(!error.detail.contains("s3cret"))
        let missing = try #require(GivenAnswer(#"{"a":{}}"#).error(of: .decodable([String: Needed].self)))
        #expect(missing.detail.contains("at a: there is no “needed”"))
    }

    private struct Needed: Codable { var needed: Int }

    @Test("A decoder of the caller's decodes by its choices, its own dates and user information included")
    func given() throws {
        let key = try #require(CodingUserInfoKey(rawValue: "k"))
        struct Informed: Decodable {
            var text: String?
            init(from decoder: any Decoder) throws {
                text = CodingUserInfoKey(rawValue: "k").flatMap { decoder.userInfo[$0] as? String }
            }
        }
        let decoder = JSONDecoder()
        decoder.userInfo[key] = "info"
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        decoder.dataDecodingStrategy = .deferredToData
        func read<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
            try JSONDecoding.decode(type, from: Bytes(string: text), decoder: decoder)
        }
        try expectEqual(read(Informed.self, "{}").text, "info")
        try expectEqual(read(Named.self, #"{"one_two":3}"#).oneTwo, 3)
        try expectEqual(read([Data].self, "[[1,2]]"), [Data([1, 2])])
        let date = "2020-01-02T03:04:05Z"
        try expectEqual(
            read([Date].self, "[\"\(date)\"]"), decoder.decode([Date].self, from: Data("[\"\(date)\"]".utf8)))
        for text in [#"["2020-01-02T03:04:05.5Z"]"#, "[1]", #"["x"]"#] {
            #expect((try? read([Date].self, text)) == (try? decoder.decode([Date].self, from: Data(text.utf8))))
        }
        final class Own: JSONDecoder, @unchecked Sendable {
            override func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
                try super.decode(type, from: Data(#"{"a":9}"#.utf8))
            }
        }
        let own = try JSONDecoding.decode([String: Int].self, from: Bytes(string: "{}"), decoder: Own())
        expectEqual(own, ["a": 9])
    }

    @Test("JSON that is neither an object nor an array is refused where fragments are")
    func fragments() throws {
        let strict = JSONResponseSerializer(allowsFragments: false)
        for text in ["1", "\"a\"", "null", "true"] {
            expectNil(GivenAnswer(text).error(of: .json))
            expectEqual(GivenAnswer(text).error(of: strict)?.kind, .decodingFailed)
            expectEqual(GivenAnswer(text).error(of: strict)?.detail.contains("allowsFragments"), true)
            let decodable = DecodableResponseSerializer<Int?>(allowsFragments: false)
            expectEqual(GivenAnswer(text).error(of: decodable)?.kind, .decodingFailed)
        }
        for text in ["[1]", "{}", "", " "] { expectNil(GivenAnswer(text).error(of: strict)) }
        try expectEqual(GivenAnswer("[1]").read(by: DecodableResponseSerializer<[Int]>(allowsFragments: false)), [1])
        let archived = try JSONDecoder().decode(JSONResponseSerializer.self, from: JSONEncoder().encode(strict))
        #expect(!archived.allowsFragments)
    }
}
