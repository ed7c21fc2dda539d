import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("JSON: texts that are refused")
struct JSONRejectTests {
    static let texts: [(String, JSON.ParseError.Reason, Int)] = [
        ("", .unexpectedEnd, 0),
        (" ", .unexpectedEnd, 1),
        ("[", .unexpectedEnd, 1),
        ("{", .unexpectedEnd, 1),
        ("]", .unexpectedCharacter("]"), 0),
        ("}", .unexpectedCharacter("}"), 0),
        (",", .unexpectedCharacter(","), 0),
        ("*", .unexpectedCharacter("*"), 0),
        ("<.>", .unexpectedCharacter("<"), 0),
        ("<null>", .unexpectedCharacter("<"), 0),
        ("[1 true]", .unexpectedCharacter("t"), 3),
        ("[\"\": 1]", .unexpectedCharacter(":"), 3),
        ("[\"a\"", .unexpectedEnd, 4),
        ("[\"a\",", .unexpectedEnd, 5),
        ("[\"a\" \"b\"]", .unexpectedCharacter("\""), 5),
        ("[,1]", .unexpectedCharacter(","), 1),
        ("[,]", .unexpectedCharacter(","), 1),
        ("[1,,2]", .unexpectedCharacter(","), 3),
        ("[1,,]", .unexpectedCharacter(","), 3),
        ("[1,]", .unexpectedCharacter("]"), 3),
        ("[1,\n1\n,1", .unexpectedEnd, 8),
        ("[1:2]", .unexpectedCharacter(":"), 2),
        ("[1}", .unexpectedCharacter("}"), 2),
        ("{\"a\":1]", .unexpectedCharacter("]"), 6),
        ("[1]]", .trailingContent, 3),
        ("[1]x", .trailingContent, 3),
        ("[][]", .trailingContent, 2),
        ("{}}", .trailingContent, 2),
        ("1 2", .trailingContent, 2),
        ("nullx", .trailingContent, 4),
        ("null null", .trailingContent, 5),
        ("\"a\"b", .trailingContent, 3),
        ("{\"a\":true} \"x\"", .trailingContent, 11),
        ("{\"a\":1}#", .trailingContent, 7),
        ("{}//", .trailingContent, 2),
        ("{\"a\":/*x*/1}", .unexpectedCharacter("/"), 5),
        ("[1]\u{0}", .trailingContent, 3),
        ("\u{C}[]", .unexpectedCharacter("\u{C}"), 0),
        ("[\u{B}1]", .unexpectedCharacter("\u{B}"), 1),
        ("[\u{A0}1]", .unexpectedCharacter("\u{A0}"), 1),
        ("[\u{2060}]", .unexpectedCharacter("\u{2060}"), 1),
        ("[é]", .unexpectedCharacter("é"), 1),
        ("n", .unexpectedEnd, 1),
        ("nul", .unexpectedEnd, 3),
        ("tru", .unexpectedEnd, 3),
        ("fals]", .unexpectedCharacter("]"), 4),
        ("[nul]", .unexpectedCharacter("]"), 4),
        ("True", .unexpectedCharacter("T"), 0),
        ("NULL", .unexpectedCharacter("N"), 0),
        ("truE", .unexpectedCharacter("E"), 3),
        ("NaN", .unexpectedCharacter("N"), 0),
        ("nan", .unexpectedCharacter("a"), 1),
        ("Infinity", .unexpectedCharacter("I"), 0),
        ("-Infinity", .invalidNumber, 1),
        ("-NaN", .invalidNumber, 1),
        ("+1", .unexpectedCharacter("+"), 0),
        ("++1", .unexpectedCharacter("+"), 0),
        (".5", .unexpectedCharacter("."), 0),
        ("-", .unexpectedEnd, 1),
        ("[-]", .invalidNumber, 2),
        ("--1", .invalidNumber, 1),
        ("- 1", .invalidNumber, 1),
        ("-.5", .invalidNumber, 1),
        ("-a", .invalidNumber, 1),
        ("01", .invalidNumber, 1),
        ("-01", .invalidNumber, 2),
        ("00", .invalidNumber, 1),
        ("-012", .invalidNumber, 2),
        ("1.", .unexpectedEnd, 2),
        ("[1.]", .invalidNumber, 3),
        ("0.e1", .invalidNumber, 2),
        ("2.e3", .invalidNumber, 2),
        ("1e", .unexpectedEnd, 2),
        ("[1e]", .invalidNumber, 3),
        ("1e+", .unexpectedEnd, 3),
        ("[1e-]", .invalidNumber, 4),
        ("1eE2", .invalidNumber, 2),
        ("1e+-2", .invalidNumber, 3),
        ("0x1", .trailingContent, 1),
        ("1.2.3", .trailingContent, 3),
        ("1e2.3", .trailingContent, 3),
        ("1_000", .trailingContent, 1),
        ("1 000", .trailingContent, 2),
        ("1f", .trailingContent, 1),
        ("1,5", .trailingContent, 1),
        ("１", .unexpectedCharacter("１"), 0),
        ("1e１", .invalidNumber, 2),
        ("\"", .unexpectedEnd, 1),
        ("\"a", .unexpectedEnd, 2),
        ("\"\\", .unexpectedEnd, 2),
        ("\"\\\"", .unexpectedEnd, 3),
        ("'a'", .unexpectedCharacter("'"), 0),
        ("a", .unexpectedCharacter("a"), 0),
        (#""\a""#, .invalidEscape, 1),
        (#""\x00""#, .invalidEscape, 1),
        (#""\U0061""#, .invalidEscape, 1),
        (#""\ ""#, .invalidEscape, 1),
        ("\"\\\t\"", .invalidEscape, 1),
        ("\"\\é\"", .invalidEscape, 1),
        ("\"\\😀\"", .invalidEscape, 1),
        (#""\u""#, .invalidEscape, 1),
        (#""\u00A""#, .invalidEscape, 1),
        (#""\u00G0""#, .invalidEscape, 1),
        (#""\u 061""#, .invalidEscape, 1),
        (#""\u+061""#, .invalidEscape, 1),
        (#""\u00"#, .unexpectedEnd, 5),
        (#""\uD800""#, .loneSurrogate, 1),
        (#""abc\uDFAA""#, .loneSurrogate, 4),
        (#""\uDD1E\uD834""#, .loneSurrogate, 1),
        (#""\uD800\uD800\n""#, .loneSurrogate, 1),
        (#""\uD800\u0061""#, .loneSurrogate, 1),
        (#""\uD800abc""#, .loneSurrogate, 1),
        (#""\uD800\n""#, .loneSurrogate, 1),
        (#""\uD834\uDd""#, .invalidEscape, 7),
        (#""\uD834\u"#, .unexpectedEnd, 9),
        ("\"a\u{0}b\"", .controlCharacter(0), 2),
        ("\"a\nb\"", .controlCharacter(10), 2),
        ("\"\t\"", .controlCharacter(9), 1),
        ("\"12345678\u{1F}\"", .controlCharacter(0x1F), 9),
        ("{\"a\u{1}\":1}", .controlCharacter(1), 3),
        ("{\"a\"}", .unexpectedCharacter("}"), 4),
        ("{\"a\":}", .unexpectedCharacter("}"), 5),
        ("{\"a\" 1}", .unexpectedCharacter("1"), 5),
        ("{\"a\",1}", .unexpectedCharacter(","), 4),
        ("{\"a\"::1}", .unexpectedCharacter(":"), 5),
        ("{:1}", .unexpectedCharacter(":"), 1),
        ("{,}", .unexpectedCharacter(","), 1),
        ("{1:1}", .unexpectedCharacter("1"), 1),
        ("{null:1}", .unexpectedCharacter("n"), 1),
        ("{a:1}", .unexpectedCharacter("a"), 1),
        ("{'a':1}", .unexpectedCharacter("'"), 1),
        ("{[]:1}", .unexpectedCharacter("["), 1),
        ("{\"a\":1,}", .unexpectedCharacter("}"), 7),
        ("{\"a\":1,,\"b\":2}", .unexpectedCharacter(","), 7),
        ("{\"a\":1 \"b\":2}", .unexpectedCharacter("\""), 7),
        ("{\"a\":1", .unexpectedEnd, 6),
        ("{\"a\":", .unexpectedEnd, 5),
        ("{\"a\"", .unexpectedEnd, 4),
        ("{\"a", .unexpectedEnd, 3),
        ("{\"a\":\"b", .unexpectedEnd, 7),
        ("[{", .unexpectedEnd, 2),
        ("[{}", .unexpectedEnd, 3),
        ("{\"a\":{]", .unexpectedCharacter("]"), 6),
        ("\u{FEFF}\u{FEFF}1", .unexpectedCharacter("\u{FEFF}"), 3),
        ("\u{FEFF}", .unexpectedEnd, 3),
        ("[1\u{FEFF}]", .unexpectedCharacter("\u{FEFF}"), 2),
    ]

    @Test("Each text has its fault", arguments: texts)
    func refused(text: String, reason: JSON.ParseError.Reason, offset: Int) {
        let error = #expect(throws: JSON.ParseError.self) { try JSON(parsing: text) }
        expectEqual(error?.reason, reason)
        expectEqual(error?.offset, offset)
    }

    static let bytes: [([UInt8], Int)] = [
        ([0xFF], 0),
        ([0xEF, 0xBB], 0),
        ([0xEF, 0xBB, 0xBF, 0xFF], 3),
        ([0xFE, 0xFF, 0x00, 0x31], 0),
        ([0x5B, 0xE9, 0x5D], 1),
        ([0x22, 0x80, 0x22], 1),
        ([0x22, 0xBF, 0x22], 1),
        ([0x22, 0xC0, 0xAF, 0x22], 1),
        ([0x22, 0xC1, 0xBF, 0x22], 1),
        ([0x22, 0xC3, 0x22], 1),
        ([0x22, 0xC3], 1),
        ([0x22, 0xE0, 0x9F, 0xBF, 0x22], 1),
        ([0x22, 0xE2, 0x28, 0xA1, 0x22], 1),
        ([0x22, 0xE2, 0x82, 0x22], 1),
        ([0x22, 0xE2, 0x82, 0x28, 0x22], 1),
        ([0x22, 0xED, 0xA0, 0x80, 0x22], 1),
        ([0x22, 0xED, 0xBF, 0xBF, 0x22], 1),
        ([0x22, 0xF0, 0x8F, 0xBF, 0xBF, 0x22], 1),
        ([0x22, 0xF0, 0x9F, 0x98, 0x22], 1),
        ([0x22, 0xF0, 0x9F, 0x98], 1),
        ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1),
        ([0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], 1),
        ([0x22, 0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF, 0x22], 1),
        ([0x22, 0xC3, 0xA9, 0x61, 0x80, 0x22], 4),
        ([0x22, 0x5C, 0x6E, 0x61, 0xFF, 0x22], 4),
        ([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], 2),
    ]

    @Test("Ill-formed UTF-8 is refused at its first byte", arguments: bytes)
    func illFormed(bytes: [UInt8], offset: Int) {
        let error = #expect(throws: JSON.ParseError.self) { try JSON(parsing: bytes) }
        expectEqual(error?.reason, .invalidUTF8)
        expectEqual(error?.offset, offset)
    }

    @Test("A bad byte is found wherever it falls in a word", arguments: 0..<24)
    func badByteInLongString(position: Int) {
        for byte in Array(UInt8(0x00)..<0x20) + Array(UInt8(0x80)...0xFF) {
            var bytes = [0x22] + [UInt8](repeating: 0x78, count: 40) + [0x22]
            bytes[position + 1] = byte
            let error = #expect(throws: JSON.ParseError.self) { try JSON(parsing: bytes) }
            expectEqual(error?.reason, (byte < 0x20 ? .controlCharacter(byte) : .invalidUTF8))
            expectEqual(error?.offset, position + 1)
        }
        for byte in UInt8(0x20)..<0x80 where byte != 0x22 && byte != 0x5C {
            var bytes = [0x22] + [UInt8](repeating: 0x78, count: 40) + [0x22]
            bytes[position + 1] = byte
            expectEqual((try? JSON(parsing: bytes))?.string?.utf8.count, 40)
        }
    }

    @Test("A lone byte is a value only when it is a digit")
    func loneBytes() {
        for byte in UInt8.min...UInt8.max {
            let json = try? JSON(parsing: [byte])
            expectEqual((json != nil), (0x30...0x39).contains(byte))
        }
    }

    @Test("UTF-16 is refused")
    func utf16() {
        #expect(throws: JSON.ParseError.self) { try JSON(parsing: [0x5B, 0x00, 0x5D, 0x00] as [UInt8]) }
        #expect(throws: JSON.ParseError.self) { try JSON(parsing: [0x00, 0x5B, 0x00, 0x5D] as [UInt8]) }
    }
}
