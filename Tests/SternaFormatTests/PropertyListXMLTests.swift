import SternaCore
import SternaPlatform
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Property lists in XML")
struct PropertyListXMLTests {
    private func read(_ content: String) throws -> PropertyList {
        try PropertyList(parsing: "<plist version=\"1.0\">\(content)</plist>")
    }

    private func fault(_ text: String) -> PropertyList.ParseError? {
        do {
            _ = try PropertyList(parsing: text)
            return nil
        } catch {
            return error
        }
    }

    static let whole = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>array</key>
        \t<array>
        \t\t<true/>
        \t\t<false/>
        \t\t<array/>
        \t\t<dict/>
        \t</array>
        \t<key>data</key>
        \t<data>AQL/</data>
        \t<key>date</key>
        \t<date>2020-01-02T03:04:05Z</date>
        \t<key>real</key>
        \t<real>0.1</real>
        \t<key>text &amp; &lt;more&gt;</key>
        \t<string>"é'&#13;
        </string>
        \t<key>whole</key>
        \t<integer>-7</integer>
        </dict>
        </plist>

        """

    static let tree: PropertyList = [
        "whole": -7, "real": 0.1, "text & <more>": "\"é'\r\n", "array": [true, false, [], [:]],
        "data": .data(Data([1, 2, 255])), "date": .date(Date(timeIntervalSince1970: 1_577_934_245)),
    ]

    @Test("Every kind is written as Apple lays it out, and read back")
    func written() throws {
        expectEqual(String(decoding: try Self.tree.serialized(), as: UTF8.self), Self.whole)
        try expectEqual(PropertyList(parsing: Self.whole), Self.tree)
        try expectEqual(PropertyList(parsing: "\u{FEFF}" + Self.whole), Self.tree)
        try expectEqual(PropertyList(parsing: Self.whole.replacing("\n", with: "\r\n")), Self.tree)
    }

    static let values: [(String, PropertyList)] = [
        ("<string/>", ""), ("<string>a<!-- b -->c</string>", "ac"), ("<string><![CDATA[<&>]]]]></string>", "<&>]]"),
        ("<string>&#65;&#x1F426;&apos;&quot;</string>", "A🐦'\""), ("<string> a\r\nb\rc </string>", " a\nb\nc "),
        ("<string>a]b]]c</string>", "a]b]]c"), ("<?pi x?> <!-- c --><true></true>", true), ("<false />", false),
        ("<integer>9223372036854775807</integer>", .integer(.max)),
        ("<integer> -9223372036854775808 </integer>", .integer(.min)),
        ("<integer>18446744073709551615</integer>", .unsigned(.max)), ("<integer>+0x1F</integer>", 31),
        ("<real>-1.5e3</real>", -1500.0), ("<real>.5</real>", 0.5), ("<real>-Infinity</real>", .real(-.infinity)),
        ("<data>\n\tAQ L/\r\n</data>", .data(Data([1, 2, 255]))), ("<data/>", .data(Data())),
        ("<date>1999-12-31T23:59:59Z</date>", .date(Date(timeIntervalSince1970: 946_684_799))),
        ("<dict><key>a</key><true/><key>a</key><false/></dict>", ["a": false]),
        ("<dict a='1' b = \"<>\" ><key/><string/></dict >", ["": ""]),
    ]

    @Test("What is read", arguments: values)
    func reads(content: String, value: PropertyList) throws {
        try expectEqual(read(content), value)
    }

    static let faults: [(String, PropertyList.ParseError.Reason, Int, Int)] = [
        ("", .unexpectedEnd, 1, 1), ("  \n", .unexpectedEnd, 2, 1), ("{ a = 1; }", .notAPropertyList, 1, 1),
        ("((((((((", .notAPropertyList, 1, 1), ("<html>\n</html>", .unexpectedElement("html"), 1, 1),
        ("<dict></dict>", .unexpectedElement("dict"), 1, 1), ("<plist/>", .unexpectedElement("/plist"), 1, 1),
        ("<plist>\n</plist>", .mismatchedTag("plist"), 2, 1),
        ("<plist><true/><true/></plist>", .unexpectedElement("true"), 1, 15),
        ("<plist><true/></plist>x", .trailingContent, 1, 23),
        ("<plist><array><true/></dict></plist>", .mismatchedTag("dict"), 1, 22),
        ("<plist><dict><true/></dict></plist>", .missingKey, 1, 14),
        ("<plist><dict><key>a</key></dict></plist>", .unexpectedElement("/dict"), 1, 26),
        ("<plist><dict><key>a</key><key>b</key></dict></plist>", .unexpectedElement("key"), 1, 26),
        ("<plist><key>a</key></plist>", .unexpectedElement("key"), 1, 8),
        ("<plist><null/></plist>", .unexpectedElement("null"), 1, 8),
        ("<plist><integer>1.5</integer></plist>", .invalidNumber, 1, 8),
        ("<plist><integer>18446744073709551616</integer></plist>", .invalidNumber, 1, 8),
        ("<plist><integer>--1</integer></plist>", .invalidNumber, 1, 8),
        ("<plist><integer/></plist>", .invalidNumber, 1, 8),
        ("<plist><real>0x1p3</real></plist>", .invalidNumber, 1, 8),
        ("<plist><real>1e999</real></plist>", .invalidNumber, 1, 8), ("<plist><real/></plist>", .invalidNumber, 1, 8),
        ("<plist><date>2020-02-30T00:00:00Z</date></plist>", .invalidDate, 1, 8),
        ("<plist><date>2020-01-02 03:04:05Z</date></plist>", .invalidDate, 1, 8),
        ("<plist><data>A</data></plist>", .invalidBase64, 1, 8),
        ("<plist><data>A*==</data></plist>", .invalidBase64, 1, 8),
        ("<plist><string>é&nbsp;</string></plist>", .unknownEntity("nbsp"), 1, 17),
        ("<plist><string>&#0;</string></plist>", .invalidCharacter(0), 1, 16),
        ("<plist><string>&#xD800;</string></plist>", .invalidCharacter(0xD800), 1, 16),
        ("<plist><string>&#99999999999;</string></plist>", .unknownEntity("#99999999999"), 1, 16),
        ("<plist><string>& </string></plist>", .unexpectedCharacter(" "), 1, 17),
        ("<plist><string>a\u{1}</string></plist>", .invalidCharacter(1), 1, 17),
        ("<plist><string>]]></string></plist>", .unexpectedCharacter("]"), 1, 16),
        ("<plist><string>a<b/></string></plist>", .unexpectedElement("b"), 1, 17),
        ("<plist>text</plist>", .unexpectedCharacter("t"), 1, 8),
        ("<plist><!-- a -- b --></plist>", .unexpectedCharacter(" "), 1, 17),
        ("<!DOCTYPE plist [<!ENTITY a 'b'>]><plist/>", .declaresSubset, 1, 17),
        ("<?xml version='1.0' encoding='UTF-16'?><plist/>", .unsupportedEncoding("UTF-16"), 1, 1),
        ("<plist><true a=1/></plist>", .unexpectedCharacter("1"), 1, 16),
    ]

    @Test("What is refused, and where", arguments: faults)
    func refuses(text: String, reason: PropertyList.ParseError.Reason, line: Int, column: Int) throws {
        let error = try #require(fault(text))
        expectEqual(error.reason, reason)
        expectEqual(error.line, line)
        expectEqual(error.column, column)
        #expect(!error.description.contains { $0.isNewline || $0 == "\0" })
    }

    @Test("Bytes that are no UTF-8")
    func bytes() {
        for bad: [UInt8] in [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xE2, 0x82]] {
            let bytes = Array("<plist><string>é".utf8) + bad + Array("</string></plist>".utf8)
            let error = #expect(throws: PropertyList.ParseError.self) { try PropertyList(parsing: bytes) }
            expectEqual(error?.reason, .invalidUTF8)
            expectEqual(error?.offset, 17)
            expectEqual(error?.column, 17)
        }
        #expect(throws: PropertyList.ParseError.self) { try PropertyList(parsing: [0xFE, 0xFF, 0, 0x3C] as [UInt8]) }
    }

    @Test("Cut off at every byte it is an error")
    func truncated() {
        let bytes = Array(Self.whole.utf8)
        for end in 0..<bytes.count - 1 {
            let error = #expect(throws: PropertyList.ParseError.self) { try PropertyList(parsing: bytes[..<end]) }
            #expect((error?.offset ?? .max) <= end)
        }
    }

    @Test("Depth, length and number have limits; a million levels are an error like any other")
    func limits() throws {
        func nested(_ levels: Int) -> String {
            "<plist>" + String(repeating: "<array>", count: levels) + String(repeating: "</array>", count: levels)
                + "</plist>"
        }
        #expect(try PropertyList(parsing: nested(512)).array != nil)
        expectEqual(fault(nested(513))?.reason, .tooDeep(limit: 512))
        for levels in [10_000, 1_000_000] { expectEqual(fault(nested(levels))?.reason, .tooDeep(limit: 512)) }
        expectEqual(fault("<plist>" + String(repeating: "<array>", count: 1_000_000))?.reason, .tooDeep(limit: 512))
        let text = "<plist><array><true/><array/></array></plist>"
        func limited(_ limits: PropertyList.ParseLimits) -> PropertyList.ParseError.Reason? {
            do {
                _ = try PropertyList(parsing: text, limits: limits)
                return nil
            } catch { return error.reason }
        }
        expectNil(limited(.init(depth: 2, bytes: text.utf8.count, values: 3)))
        expectEqual(limited(.init(depth: 1)), .tooDeep(limit: 1))
        expectEqual(limited(.init(bytes: text.utf8.count - 1)), .tooLarge(limit: text.utf8.count - 1))
        expectEqual(limited(.init(values: 2)), .tooManyValues(limit: 2))
    }

    @Test("What XML has no form for is an error with its key path")
    func unwritable() throws {
        for (list, path) in [
            (["a": ["x", "b\u{0}"]] as PropertyList, "a[1]"), (["a": ["k\u{FFFF}": 1]], "a.k\u{FFFF}"), ("\u{B}", ""),
        ] {
            let error = #expect(throws: ParameterError.self) { try list.serialized() }
            expectEqual(error?.keyPath, path)
            try expectEqual(PropertyList(parsing: list.serialized(.binary)), list)
        }
        let late = #expect(throws: ParameterError.self) { try PropertyList.date(.distantFuture + 1e12).serialized() }
        expectEqual(late?.reason, .dateOutOfRange)
        var deep: PropertyList = []
        for _ in 1..<512 { deep = [deep] }
        for format in PropertyList.Format.allCases {
            try expectEqual(PropertyList(parsing: deep.serialized(format)), deep)
            let error = #expect(throws: ParameterError.self) { try PropertyList.array([deep]).serialized(format) }
            expectEqual(error?.reason, .tooDeep(limit: 512))
        }
    }
}
