import SternaPlatform
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Property lists: reading XML")
struct PropertyListXMLReadingTests {
    private func read(_ value: String) throws -> PropertyList {
        try PropertyList(parsing: "<plist version=\"1.0\">\(value)</plist>")
    }

    private func bytes(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }

    static let kinds: [(String, PropertyList)] = [
        ("<string>abc</string>", "abc"), ("<string></string>", ""), ("<string/>", ""), ("<string />", ""),
        ("<integer>7</integer>", 7), ("<real>0.5</real>", .real(0.5)), ("<real>2</real>", .real(2)),
        ("<true/>", true), ("<false/>", false), ("<true />", true), ("<true></true>", true),
        ("<date>2020-01-02T03:04:05Z</date>", .date(Date(timeIntervalSince1970: 1_577_934_245))),
        ("<data>AQID</data>", .data(Data([1, 2, 3]))), ("<data/>", .data(Data())), ("<data></data>", .data(Data())),
        ("<array/>", []), ("<array></array>", []), ("<array> \n\t</array>", []), ("<dict/>", [:]),
        ("<dict></dict>", [:]), ("<dict>\n</dict>", [:]),
        ("<array><true/><integer>1</integer><array/></array>", [true, 1, []]),
        ("<dict><key>a</key><string>b</string></dict>", ["a": "b"]),
        ("<dict><key/><true/></dict>", ["": true]), ("<dict><key></key><true/></dict>", ["": true]),
        (
            "<dict>\n\t<key>l</key>\r\n<array><dict><key>d</key><dict/></dict></array>\r<key>z</key><data/></dict\n>",
            ["l": [["d": [:]]], "z": .data(Data())]
        ),
        (
            "<dict><key>a</key><integer>1</integer><key>b</key><true/><key>a</key><integer>2</integer></dict>",
            ["a": 2, "b": true]
        ),
        ("<dict><key>a&amp;b&#x20AC;</key><true/></dict>", ["a&b€": true]),
        (" \t\r\n<true/>\n", true),
        ("<!-- one --><array><!----><true/><!-- <false/> & ]]> --></array><!--\n-->", [true]),
        ("<dict><!-- k --><key>a</key><!-- v --><true/><!-- e --></dict>", ["a": true]),
    ]

    @Test("Every kind, nested, with white space and comments between", arguments: kinds)
    func kind(text: String, expected: PropertyList) throws {
        try expectEqual(read(text), expected)
    }

    static let strings: [(String, String)] = [
        ("  a \t b\n", "  a \t b\n"), ("&lt;&gt;&amp;&quot;&apos;", "<>&\"'"), ("&amp;lt;", "&lt;"),
        ("&#65;&#x42;&#x1F600;&#0067;&#x00e9;", "AB\u{1F600}C\u{E9}"), ("&#9;&#10;&#13;", "\t\n\r"),
        ("&#xD7FF;&#xE000;&#xFFFD;&#x10000;&#x10FFFF;", "\u{D7FF}\u{E000}\u{FFFD}\u{10000}\u{10FFFF}"),
        ("a\r\nb\rc\nd\r\r\n", "a\nb\nc\nd\n\n"), ("a&#13;\nb&#xD;&#xA;c", "a\r\nb\r\nc"),
        ("<![CDATA[<b>&amp;</b>]]>", "<b>&amp;</b>"), ("x<![CDATA[]]>y<![CDATA[]]]]><![CDATA[>]]>", "xy]]>"),
        ("<![CDATA[a\r\nb\rc]]>", "a\nb\nc"), ("a<!-- <b> & -->c", "ac"),
        ("é日😀\u{7F}\u{85}\u{2028}", "é日😀\u{7F}\u{85}\u{2028}"),
        ("e\u{301}\u{E9}\u{FEFF}", "e\u{301}\u{E9}\u{FEFF}"),
        ("\u{FFFD}\u{1FFFE}\u{10FFFF}", "\u{FFFD}\u{1FFFE}\u{10FFFF}"),
        ("a > b \" '", "a > b \" '"),
    ]

    @Test("Text is kept byte by byte: entities, references, CDATA, line ends", arguments: strings)
    func string(text: String, expected: String) throws {
        try expectEqual(bytes(read("<string>\(text)</string>").string), Array(expected.utf8))
        let keys = try read("<dict><key>\(text)</key><true/></dict>").dictionary?.keys
        expectEqual(bytes(keys?.first), Array(expected.utf8))
    }

    static let integers: [(String, PropertyList)] = [
        ("0", 0), ("-0", 0), ("+1", 1), ("-1", -1), ("9223372036854775807", .integer(.max)),
        ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .unsigned(1 << 63)),
        ("18446744073709551615", .unsigned(.max)), ("+18446744073709551615", .unsigned(.max)), ("0x0", 0),
        ("0xff", 255), ("0xAbCd", 0xABCD), ("0x7fffffffffffffff", .integer(.max)),
        ("0x8000000000000000", .unsigned(1 << 63)), ("0xFFFFFFFFFFFFFFFF", .unsigned(.max)),
    ]

    @Test("Integers to the limits, in decimal and hexadecimal", arguments: integers)
    func integer(text: String, expected: PropertyList) throws {
        try expectEqual(read("<integer>\(text)</integer>"), expected)
    }

    static let reals: [(String, Double)] = [
        ("0", 0), ("-0.0", -0.0), ("1.5", 1.5), ("+1.5", 1.5), ("-1e3", -1000), ("1E+2", 100), ("25e-2", 0.25),
        ("0.1", 0.1), ("0.1000000000000000055511151231257827", 0.1), ("5e-324", .leastNonzeroMagnitude),
        ("1.7976931348623157e308", .greatestFiniteMagnitude), ("9007199254740993", 9_007_199_254_740_992),
        ("inf", .infinity), ("+inf", .infinity), ("-INF", -.infinity), ("Infinity", .infinity),
        ("-infinity", -.infinity), ("+iNfInItY", .infinity),
    ]

    @Test("Reals are the nearest double", arguments: reals)
    func real(text: String, expected: Double) throws {
        guard case .real(let value) = try read("<real>\(text)</real>") else {
            Issue.record("not a real")
            return
        }
        expectEqual(value.bitPattern, expected.bitPattern)
    }

    @Test("NaN in any case, with a sign", arguments: ["nan", "NaN", "NAN", "-nan", "+nAn"])
    func notANumber(text: String) throws {
        guard case .real(let value) = try read("<real>\(text)</real>") else {
            Issue.record("not a real")
            return
        }
        #expect(value.isNaN)
    }

    static let dates: [(String, Double)] = [
        ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1), ("2000-02-29T12:34:56Z", 951_827_696),
        ("2001-01-01T00:00:00Z", 978_307_200), ("0000-01-01T00:00:00Z", -62_167_219_200),
        ("1582-10-10T00:00:00Z", -12_219_724_800), ("9999-12-31T23:59:59Z", 253_402_300_799),
    ]

    @Test("Dates over all years of four digits", arguments: dates)
    func date(text: String, seconds: Double) throws {
        try expectEqual(read("<date>\(text)</date>"), .date(Date(timeIntervalSince1970: seconds)))
    }

    static let data: [(String, [UInt8])] = [
        ("AA==", [0]), ("AAE=", [0, 1]), ("+/8B", [0xFB, 0xFF, 1]), ("\n\tAQ ID\r\n\tBA =\n=\n", [1, 2, 3, 4]),
        (" ", []),
    ]

    @Test("Data of base64 with white space in any place", arguments: data)
    func base64(text: String, expected: [UInt8]) throws {
        try expectEqual(read("<data>\(text)</data>"), .data(Data(expected)))
    }

    static let prologues = [
        "<?xml version=\"1.0\"?>", "<?xml version='1.0' encoding='utf-8'?>\n", "<!-- before -->\n",
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>",
        "<?xml version=\"1.0\" encoding=\"us-ascii\" ?>",
        "<!DOCTYPE plist>", "<!DOCTYPE plist SYSTEM 'http://localhost/none.dtd'>", "\n \t",
        "<!DOCTYPE plist SYSTEM \"file://localhost/System/Library/DTDs/PropertyList.dtd\">",
        "<!DOCTYPE plist SYSTEM \"a[b]>c'\">", "<!-- a --><!DOCTYPE\n\tplist ><!-- b -->",
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\r\n
        """,
    ]

    @Test("What may come before the root, and after it", arguments: prologues)
    func prologue(text: String) throws {
        for root in ["<plist version=\"1.0\">", "<plist version = '1.0' >", "<plist>"] {
            for end in ["", "\n", "\r\n<!-- after -->\n"] {
                let document = text + root + "<array><true/></array></plist>" + end
                try expectEqual(PropertyList(parsing: document), [true])
                try expectEqual(PropertyList(parsing: "\u{FEFF}" + document), [true])
            }
        }
    }

    @Test("A string, its part, a sequence and a buffer are read alike")
    func inputs() throws {
        let text = "<plist><string>é</string></plist>"
        try expectEqual(PropertyList(parsing: ("xx" + text).dropFirst(2)), "é")
        try expectEqual(PropertyList(parsing: AnySequence(Array(text.utf8))), "é")
        let result = Array(text.utf8).withUnsafeBytes { buffer in
            Result { try PropertyList(parsing: buffer) }
        }
        try expectEqual(result.get(), "é")
    }
}
