import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("JSON: texts that are accepted")
struct JSONAcceptTests {
    static let cases: [(String, JSON)] = [
        ("null", .null),
        ("true", true),
        ("false", false),
        ("0", 0),
        ("-0", .number(JSON.Number(-0.0))),
        ("42", 42),
        ("-1", -1),
        ("-123", -123),
        ("9223372036854775807", 9_223_372_036_854_775_807),
        ("-9223372036854775808", -9_223_372_036_854_775_808),
        ("18446744073709551615", .number(JSON.Number(UInt64.max))),
        ("1.5", 1.5),
        ("-1.5", -1.5),
        ("0.1", 0.1),
        ("1e1", 10),
        ("1E1", 10),
        ("1e+2", 100),
        ("1e-2", 0.01),
        ("0e1", 0),
        ("0e+1", 0),
        ("0.0", 0),
        ("20e1", 200),
        ("123.456e78", 1.23456e80),
        ("-0.000000000000000000000000000001", -1e-30),
        ("1.7976931348623157e308", .number(JSON.Number(Double.greatestFiniteMagnitude))),
        ("5e-324", .number(JSON.Number(Double.leastNonzeroMagnitude))),
        ("\"\"", ""),
        ("\"a\"", "a"),
        ("\"asd \"", "asd "),
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\u0061\u30af\u30EA\u30b9""#, "aクリス"),
        (#""\u0000""#, "\u{0}"),
        (#""\u0012""#, "\u{12}"),
        (#""\u0022\u005C""#, "\"\\"),
        (#""\uD83D\uDE39\ud83d\udc8d""#, "😹💍"),
        (#""\uDBFF\uDFFF""#, "\u{10FFFF}"),
        (#""\uD800\uDC00""#, "\u{10000}"),
        (
            #""\uFFFF\uFFFE\uFDD0""#,
            .string(String(decoding: [0xEF, 0xBF, 0xBF, 0xEF, 0xBF, 0xBE, 0xEF, 0xB7, 0x90], as: UTF8.self))
        ),
        (#""\ud7ff\ue000""#, "\u{D7FF}\u{E000}"),
        (#""\\u0000""#, "\\u0000"),
        (#""a\\""#, "a\\"),
        ("\"€𝄞\u{7F}é\"", "€𝄞\u{7F}é"),
        ("\"\u{2028}\u{2029}\u{FEFF}\"", "\u{2028}\u{2029}\u{FEFF}"),
        ("\"a/*b*/c\"", "a/*b*/c"),
        ("\"1234567é\"", "1234567é"),
        (#""12345678\n12345678""#, "12345678\n12345678"),
        ("[]", []),
        ("[[]]", [[]]),
        ("[null]", [nil]),
        ("[1,2]", [1, 2]),
        ("[null, 1, \"1\", {}]", [nil, 1, "1", [:]]),
        ("[[] ]", [[]]),
        (" [1]\n", [1]),
        ("\t\r\n [ 1 , 2 ] \t\r\n", [1, 2]),
        ("[\"a\",5.5e2,true,false,null,[],{}]", ["a", 550, true, false, nil, [], [:]]),
        ("{}", [:]),
        ("{ }", [:]),
        ("{\"a\":[]}", ["a": []]),
        ("{\"\":0}", ["": 0]),
        ("{\"a\":\"b\",\"c\":\"d\"}", ["a": "b", "c": "d"]),
        ("{\"a\":\"b\",\"a\":\"c\"}", ["a": "c"]),
        ("{\"a\":1,\"b\":2,\"a\":{}}", ["a": [:], "b": 2]),
        ("{\n\"a\" : \"b\" ,\n\"c\":null}\n", ["a": "b", "c": nil]),
        (#"{"foo\u0000bar": 42, "\u0061": 1}"#, ["foo\u{0}bar": 42, "a": 1]),
        ("{\"x\":[{\"id\":\"y\"}],\"id\":\"z\"}", ["x": [["id": "y"]], "id": "z"]),
        ("[[[[[[[[[[1]]]]]]]]]]", [[[[[[[[[[1]]]]]]]]]]),
    ]

    @Test("Each text has its tree", arguments: cases)
    func accepted(text: String, expected: JSON) throws {
        let json = try JSON(parsing: text)
        expectEqual(json, expected)
        try expectEqual(JSON(parsing: Array(text.utf8)), expected)
        try expectEqual(JSON(parsing: text.utf8.lazy.map { $0 }), expected)
    }

    @Test("A byte order mark at the start is passed over")
    func byteOrderMark() throws {
        try expectEqual(JSON(parsing: [0xEF, 0xBB, 0xBF] + Array("{\"a\":1}".utf8)), ["a": 1])
    }

    @Test("Objects keep their order, a repeated key its first place")
    func order() throws {
        let object = try #require(JSON(parsing: #"{"z":1,"a":2,"m":3,"z":4}"#).object)
        expectEqual(object.keys, ["z", "a", "m"])
        expectEqual(object.values, [4, 2, 3])
    }

    @Test("An object of many members keeps order and takes the last of each key")
    func manyMembers() throws {
        let members = (0..<500).map { "\"k\($0 % 250)\":\($0)" }
        let object = try #require(JSON(parsing: "{" + members.joined(separator: ",") + "}").object)
        expectEqual(object.keys, (0..<250).map { "k\($0)" })
        expectEqual(object.values, (250..<500).map { JSON.number(JSON.Number($0)) })
    }

    @Test("A string stops at its end wherever the end falls in a word", arguments: 0..<40)
    func stringLengths(length: Int) throws {
        let plain = String(repeating: "x", count: length)
        try expectEqual(JSON(parsing: "[\"\(plain)\",1]"), [.string(plain), 1])
        try expectEqual(JSON(parsing: "\"\(plain)\\n\(plain)\""), .string("\(plain)\n\(plain)"))
        try expectEqual(JSON(parsing: "\"\(plain)é\(plain)\""), .string("\(plain)é\(plain)"))
    }
}
