import SternaCore
import SternaPlatform
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Property lists: writing")
struct PropertyListWritingTests {
    private static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """

    private func xml(_ tree: PropertyList) throws -> String {
        let bytes = try tree.serialized()
        try expectEqual(tree.serialized(.xml), bytes)
        return try #require(String(validating: bytes, as: UTF8.self))
    }

    private func value(_ tree: PropertyList) throws -> String {
        let text = try xml(tree)
        #expect(text.hasPrefix(Self.head) && text.hasSuffix("\n</plist>\n"))
        return String(text.dropFirst(Self.head.count).dropLast("\n</plist>\n".count))
    }

    @Test("A tree's whole text")
    func whole() throws {
        let tree: PropertyList = [
            "b": [1, ["deep": [[], [:], "x"]], true], "a": false,
            "c d": .date(Date(timeIntervalSince1970: 1_577_934_245)),
            "B": .real(0.1), "": "", "u": .unsigned(.max), "n": -7, "<&>": "\"'",
        ]
        let body = """
            <dict>
            \t<key></key>
            \t<string></string>
            \t<key>&lt;&amp;&gt;</key>
            \t<string>"'</string>
            \t<key>B</key>
            \t<real>0.1</real>
            \t<key>a</key>
            \t<false/>
            \t<key>b</key>
            \t<array>
            \t\t<integer>1</integer>
            \t\t<dict>
            \t\t\t<key>deep</key>
            \t\t\t<array>
            \t\t\t\t<array/>
            \t\t\t\t<dict/>
            \t\t\t\t<string>x</string>
            \t\t\t</array>
            \t\t</dict>
            \t\t<true/>
            \t</array>
            \t<key>c d</key>
            \t<date>2020-01-02T03:04:05Z</date>
            \t<key>n</key>
            \t<integer>-7</integer>
            \t<key>u</key>
            \t<integer>18446744073709551615</integer>
            </dict>
            </plist>

            """
        try expectEqual(xml(tree), Self.head + body)
    }

    static let values: [(PropertyList, String)] = [
        ([], "<array/>"), ([:], "<dict/>"), (true, "<true/>"), ("a", "<string>a</string>"), ("", "<string></string>"),
        ([[1]], "<array>\n\t<array>\n\t\t<integer>1</integer>\n\t</array>\n</array>"),
        (.integer(.min), "<integer>-9223372036854775808</integer>"), (.real(-2.5), "<real>-2.5</real>"),
        (" a\t\n b ", "<string> a\t\n b </string>"), ("<a>&amp;]]>", "<string>&lt;a&gt;&amp;amp;]]&gt;</string>"),
        ("é日😀\u{7F}\u{85}\u{FFFD}", "<string>é日😀\u{7F}\u{85}\u{FFFD}</string>"), ("\r", "<string>&#13;</string>"),
        ("a\r\nb", "<string>a&#13;\nb</string>"),
        (["\r": 1], "<dict>\n\t<key>&#13;</key>\n\t<integer>1</integer>\n</dict>"),
        (.date(Date(timeIntervalSince1970: 0)), "<date>1970-01-01T00:00:00Z</date>"),
        (.date(Date(timeIntervalSince1970: -62_167_219_200)), "<date>0000-01-01T00:00:00Z</date>"),
        (.date(Date(timeIntervalSince1970: 253_402_300_799)), "<date>9999-12-31T23:59:59Z</date>"),
        (.date(Date(timeIntervalSince1970: 951_827_696.25)), "<date>2000-02-29T12:34:56Z</date>"),
    ]

    @Test("The text of each kind", arguments: values)
    func text(tree: PropertyList, expected: String) throws {
        expectEqual(Array(try value(tree).utf8), Array(expected.utf8))
    }

    @Test("Data are base64 on one line", arguments: [0, 1, 2, 3, 56, 57, 58, 1_000])
    func data(count: Int) throws {
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) })
        let text = try value(.data(data)).filter { !$0.isWhitespace }
        expectEqual(text, "<data>\(data.base64EncodedString())</data>")
        #expect(try value([.data(data)]).contains(data.base64EncodedString()))
    }

    static let illegal: [UInt32] = Array(0...8) + [0xB, 0xC] + Array(0xE...0x1F) + [0xFFFE, 0xFFFF]

    @Test(
        "Characters that XML does not have are an error with the key path there, and fine in the binary format",
        arguments: illegal)
    func character(value: UInt32) throws {
        let text = "a" + String(try #require(Unicode.Scalar(value)))
        for (tree, path) in [
            (PropertyList.string(text), ""), (["a": ["b": [1, .string(text)]]], "a.b[1]"),
            ([[], ["k": .string(text)]], "[1].k"),
        ] {
            let error = #expect(throws: ParameterError.self) { try tree.serialized(.xml) }
            expectEqual(error?.keyPath, path)
            guard case .notEncodable = error?.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
            try expectEqual(PropertyList(parsing: tree.serialized(.binary)).exactDescription, tree.exactDescription)
        }
        let inKey: PropertyList = ["a": [[text: 1]]]
        let error = #expect(throws: ParameterError.self) { try inKey.serialized(.xml) }
        expectEqual(error?.keyPath.hasPrefix("a[0]"), true)
        try expectEqual(PropertyList(parsing: inKey.serialized(.binary)).exactDescription, inKey.exactDescription)
    }

    @Test(
        "Dates outside the years 0000 to 9999 have no text",
        arguments: [-62_167_219_201, 253_402_300_800, 1e300, .infinity, .nan])
    func dates(seconds: Double) {
        let tree: PropertyList = ["a": [.date(Date(timeIntervalSince1970: seconds))]]
        let error = #expect(throws: ParameterError.self) { try tree.serialized(.xml) }
        expectEqual(error?.reason, .dateOutOfRange)
        expectEqual(error?.keyPath, "a[0]")
    }

    @Test("Binary dates keep their fractions", arguments: [0.1, -1e9 + 0.125, 599_627_045.000_001, 2.5e11])
    func fractions(seconds: Double) throws {
        let tree = PropertyList.date(Date(timeIntervalSinceReferenceDate: seconds))
        try expectEqual(PropertyList(parsing: tree.serialized(.binary)).exactDescription, tree.exactDescription)
    }

    @Test("Reals that are no number are read back", arguments: PropertyList.Format.allCases)
    func nonFinite(format: PropertyList.Format) throws {
        let tree: PropertyList = [.real(.nan), .real(.infinity), .real(-.infinity), .real(-0.0)]
        try expectEqual(PropertyList(parsing: tree.serialized(format)).exactDescription, tree.exactDescription)
    }

    @Test("A tree that is written is read as itself", arguments: 0..<300)
    func roundTrip(seed: UInt64) throws {
        for format in PropertyList.Format.allCases {
            var generator = PropertyListGenerator(seed: seed, isForXML: format == .xml)
            let tree = PropertyList.array([generator.tree(), generator.tree()])
            let bytes = try tree.serialized(format)
            let read = try PropertyList(parsing: bytes)
            expectEqual(read.exactDescription, tree.exactDescription)
            expectEqual(read, tree)
            expectEqual(read.hashValue, tree.hashValue)
            if format == .xml { try expectEqual(read.serialized(format), bytes) }
        }
    }

    @Test("Texts that are equal by their meaning alone stay different texts", arguments: PropertyList.Format.allCases)
    func equivalent(format: PropertyList.Format) throws {
        // Canonically equivalent pairs, which `String` takes for equal.
        let tree: PropertyList = [
            "\u{E9}", "e\u{301}", "e\u{301}", "\u{E9}", ["e\u{301}": "\u{E9}"], ["\u{E9}": "e\u{301}"],
            ["\u{343}": "\u{313}"],
            "\u{212B}", "\u{C5}", "A\u{30A}", "\u{1100}\u{1161}", "\u{AC00}",
        ]
        try expectEqual(PropertyList(parsing: tree.serialized(format)).exactDescription, tree.exactDescription)
    }

    @Test("Many members, long texts and large data", arguments: PropertyList.Format.allCases)
    func large(format: PropertyList.Format) throws {
        let members = (0..<70_000).map { ("k\($0)", PropertyList.integer(Int64($0) &* 0x1234_5678_9ABC)) }
        let tree: PropertyList = [
            .dictionary(Dictionary(uniqueKeysWithValues: members)), .string(String(repeating: "é<", count: 40_000)),
            .data(Data(repeating: 0xAB, count: 70_000)), .string(String(repeating: "a", count: 70_000)),
        ]
        try expectEqual(PropertyList(parsing: tree.serialized(format)), tree)
    }

    @Test("512 levels are written, 513 are refused with their place", arguments: PropertyList.Format.allCases)
    func depth(format: PropertyList.Format) throws {
        func nested(_ levels: Int) -> PropertyList {
            (1..<levels).reduce([]) { tree, level in level % 2 == 0 ? [tree] : ["a": tree] }
        }
        let tree = nested(512)
        try expectEqual(PropertyList(parsing: tree.serialized(format)), tree)
        for levels in [513, 2_000] {
            let error = #expect(throws: ParameterError.self) { try nested(levels).serialized(format) }
            expectEqual(error?.reason, .tooDeep(limit: 512))
            expectEqual(error?.keyPath.contains("[0].a[0].a"), true)
        }
    }
}
