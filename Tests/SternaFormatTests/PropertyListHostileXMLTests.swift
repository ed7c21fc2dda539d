import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Property lists: hostile XML")
struct PropertyListHostileXMLTests {
    typealias Reason = PropertyList.ParseError.Reason

    /// What is wrong in a root's value at the marked place, and the reasons that name it; none where any would do.
    static let values: [(String, [Reason])] = [
        ("«<null»/>", [.unexpectedElement("null")]), ("«<STRING»/>", [.unexpectedElement("STRING")]),
        ("<array>\n «<item»></item></array>", [.unexpectedElement("item")]),
        ("<string>a«<b»/></string>", [.unexpectedElement("b")]),
        ("<integer>«<true»/></integer>", [.unexpectedElement("true")]),
        ("«<key»>a</key>", [.unexpectedElement("key")]), ("<array>«<key»>a</key></array>", [.unexpectedElement("key")]),
        ("«<plist»><true/></plist>", [.unexpectedElement("plist")]),
        ("<true/>\n«<false»/>", [.unexpectedElement("false"), .trailingContent]),
        ("<array>\n\n  «x</array>", [.unexpectedCharacter("x")]), ("<dict>«日</dict>", [.unexpectedCharacter("日")]),
        ("«abc", [.unexpectedCharacter("a")]),
        ("«<true>x»</true>", [.unexpectedCharacter("x"), .unexpectedElement("true")]),
        ("<true/>«x", [.unexpectedCharacter("x"), .trailingContent]),
        ("<array><true/>«\u{A0}</array>", [.unexpectedCharacter("\u{A0}")]),
        ("<array>«</dict»></array>", [.mismatchedTag("dict"), .mismatchedTag("array")]),
        ("<string>a\nb«</key»>", [.mismatchedTag("key"), .mismatchedTag("string")]),
        ("<array><true/>\n«</plist»>", [.mismatchedTag("plist"), .mismatchedTag("array")]), ("«</array»>", []),
        ("<dict>«<string»>a</string><true/></dict>", [.missingKey]),
        ("<dict><key>a</key><true/>«<false»/></dict>", [.missingKey]),
        ("<dict>«<key>a</key></dict»>", []), ("<dict>«<key>a</key><key»>b</key><true/></dict>", []),
        ("«</plist»>", []), ("«<dict a»/b>", []), ("«< »true/>", []), ("«<tr»&ue/>", []),
    ]

    static let texts: [(String, [Reason])] = [
        ("«&foo»;", [.unknownEntity("foo")]), ("a\n«&AMP»;", [.unknownEntity("AMP")]),
        ("&amp;«&nbsp»;", [.unknownEntity("nbsp")]), ("«&amp»</x", []), ("a «& »b", []), ("«&»;", []),
        ("«&#»;", []), ("«&#x»;", []), ("«&#1»a;", []), ("«&#xG»;", []), ("«&#-1»;", []),
        ("é«&#0»;", [.invalidCharacter(0)]), ("«&#8»;", [.invalidCharacter(8)]),
        ("«&#x1F»;", [.invalidCharacter(0x1F)]),
        ("«&#xD800»;", [.invalidCharacter(0xD800)]), ("«&#xDFFF»;", [.invalidCharacter(0xDFFF)]),
        ("«&#xD83D»;&#xDE00;", [.invalidCharacter(0xD83D)]), ("«&#xFFFE»;", [.invalidCharacter(0xFFFE)]),
        ("«&#65535»;", [.invalidCharacter(0xFFFF)]), ("«&#x110000»;", [.invalidCharacter(0x110000)]),
        ("«&#4294967361»;", []), ("«&#x100000000000000041»;", []),
        ("«&#\(String(repeating: "9", count: 10_000))»;", []),
        ("ab«\u{0}", [.invalidCharacter(0)]), ("\n«\u{1}", [.invalidCharacter(1)]),
        ("«\u{B}", [.invalidCharacter(0xB)]),
        ("日«\u{1F}", [.invalidCharacter(0x1F)]), ("<![CDATA[«\u{8}]]>", [.invalidCharacter(8)]),
        ("😀«\u{FFFE}", [.invalidCharacter(0xFFFE)]), ("«\u{FFFF}", [.invalidCharacter(0xFFFF)]),
    ]

    static let scalars: [(String, [String], Reason)] = [
        (
            "integer",
            [
                "", "-", "+", "1.5", "1e3", "9x", "abc", "１", "--1", "1 2", "0x", "0xG", "18446744073709551616",
                "-9223372036854775809", "0x10000000000000000", String(repeating: "9", count: 100_000),
            ], .invalidNumber
        ),
        (
            "real",
            [
                "", "-", ".", "e5", "1e", "1e+", "1,5", "1.5f", "1.2.3", "0x1p3", "1_0", "infinit", "nano", "i", "1 0",
                "١",
            ],
            .invalidNumber
        ),
        (
            "date",
            [
                "", "2020-01-02", "2020-01-02T03:04:05", "2020-01-02T03:04Z", "2020-01-02T03:04:05+00:00",
                "2020-01-02 03:04:05Z", "2020-01-02t03:04:05z", "2020-1-2T3:4:5Z", "2020-01-02T03:04:05.5Z",
                "2020-13-01T00:00:00Z", "2020-00-01T00:00:00Z", "2020-01-00T00:00:00Z", "2020-02-30T00:00:00Z",
                "2019-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2020-04-31T00:00:00Z", "2020-01-01T24:00:00Z",
                "2020-01-01T00:60:00Z", "2020-01-01T00:00:61Z", "10000-01-01T00:00:00Z", "-001-01-01T00:00:00Z",
                "+020-01-01T00:00:00Z", "20200102T030405Z", "２020-01-02T03:04:05Z",
            ], .invalidDate
        ),
        (
            "data", ["A", "AQ", "AQI", "AQ=", "A===", "=", "=AQI", "AQ==AQ==", "A*ID", "-_8=", "AQIDé", "AQ=I"],
            .invalidBase64
        ),
    ]

    @Test("Elements, text and tags out of place", arguments: values)
    func value(text: String, reasons: [Reason]) {
        MarkedDocument(value: text).expectFault(reasons)
    }

    @Test("References and characters that XML does not have", arguments: texts)
    func text(text: String, reasons: [Reason]) {
        MarkedDocument(value: "<string>\(text)</string>").expectFault(reasons)
        MarkedDocument(value: "<dict>\n<key>\(text)</key><true/></dict>").expectFault(reasons)
    }

    @Test("Numbers, dates and data that are none", arguments: scalars)
    func scalar(element: String, texts: [String], reason: Reason) {
        for text in texts {
            MarkedDocument(value: "<array>\n  «<\(element)>\(text)</\(element)»></array>").expectFault([reason])
        }
    }

    static let documents: [(String, [Reason])] = [
        ("«", [.unexpectedEnd, .notAPropertyList]), ("«  \n»", [.unexpectedEnd, .notAPropertyList]),
        ("\u{FEFF}", []), ("«{ a = 1; }", [.notAPropertyList]), ("«( a, b )", [.notAPropertyList]),
        ("«\"text\"", [.notAPropertyList]), ("«{\"a\":1}", [.notAPropertyList]), ("«text", [.notAPropertyList]),
        ("«\0", [.notAPropertyList]), ("«<html»></html>", [.unexpectedElement("html"), .notAPropertyList]),
        ("«<true»/>", [.unexpectedElement("true"), .notAPropertyList]), ("<plist>«", [.unexpectedEnd]),
        ("<plist><true/>«", [.unexpectedEnd]), ("<plist><true/></plist«", [.unexpectedEnd]), ("«<plist/»>", []),
        ("<plist><true/></plist>\n «x", [.trailingContent]),
        ("<plist><true/></plist>«<plist»><true/></plist>", [.trailingContent]),
        ("<plist><true/></plist>«\0", [.trailingContent, .invalidCharacter(0)]),
        (
            "«<?xml version=\"1.0\" encoding=\"ISO-8859-1\"»?><plist><true/></plist>",
            [.unsupportedEncoding("ISO-8859-1")]
        ),
        ("«<?xml version='1.0' encoding='utf-16'»?><plist><true/></plist>", [.unsupportedEncoding("utf-16")]),
        ("«<!DOCTYPE plist [»]><plist><true/></plist>", [.declaresSubset]),
        ("\n«<!DOCTYPE plist SYSTEM \"x\" [»<!ENTITY a \"b\">]><plist><string>&a;</string></plist>", [.declaresSubset]),
        (billionLaughs, [.declaresSubset]),
        (
            "«<!DOCTYPE plist PUBLIC \"-//Apple\" \"x\" [»<!ENTITY % p SYSTEM \"file:///\">%p;]><plist/>",
            [.declaresSubset]
        ),
    ]

    private static let billionLaughs: String = {
        let entities = (1..<10).map { "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">" }
        return
            "<?xml version=\"1.0\"?>\n«<!DOCTYPE plist [»\n<!ENTITY l0 \"lol\">\n\(entities.joined(separator: "\n"))]>"
            + "<plist><string>&l9;</string></plist>"
    }()

    @Test("Documents that are none, or say what they may not", arguments: documents)
    func document(text: String, reasons: [Reason]) {
        MarkedDocument(text).expectFault(reasons)
    }

    static let illFormed: [[UInt8]] = [
        [0xFF], [0x80], [0xC0, 0xAF], [0xC3, 0x3C], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
        [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82, 0x3C],
    ]

    @Test("Ill-formed UTF-8 is refused at its first byte", arguments: illFormed)
    func utf8(bytes: [UInt8]) {
        for (before, after) in [
            ("<plist>\n<string>é日", "</string></plist>"), ("<plist><dict><key>", "</key><true/></dict></plist>"),
        ] {
            let error = #expect(throws: PropertyList.ParseError.self) {
                try PropertyList(parsing: Array(before.utf8) + bytes + Array(after.utf8))
            }
            expectEqual(error?.reason, .invalidUTF8)
            expectEqual(error?.offset, before.utf8.count)
        }
    }

    @Test("UTF-16 and UTF-32 are refused", arguments: [[0, 1], [1, 0], [0, 1, 2, 3], [3, 2, 1, 0]])
    func wide(order: [Int]) {
        let bytes = "\u{FEFF}<plist><true/></plist>".unicodeScalars.flatMap { scalar in
            order.map { UInt8(truncatingIfNeeded: scalar.value >> UInt32($0 * 8)) }
        }
        #expect(throws: PropertyList.ParseError.self) { try PropertyList(parsing: bytes) }
        #expect(throws: PropertyList.ParseError.self) { try PropertyList(parsing: bytes.dropFirst(order.count)) }
    }
}
