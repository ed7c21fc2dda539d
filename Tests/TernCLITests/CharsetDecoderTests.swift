import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// Texts of every character set on the terminal.
@Suite("tern: character sets", .timeLimit(.minutes(5)))
struct CharsetDecoderTests {
    /// Character sets, and a text that each of them has.
    private static let texts = [
        ("utf-8", "Küste 🐦\r\n"), ("utf-16le", "Küste 🐦\n"), ("utf-16be", "Küste 🐦\n"), ("utf-16", "Küste 🐦\n"),
        ("utf-32", "Küste 🐦"), ("utf-32le", "Küste 🐦"), ("iso-8859-1", "Küste"), ("windows-1252", "“Küste” €"),
        ("windows-1251", "Привет, мир"), ("koi8-r", "Привет, мир"), ("gbk", "中文，<b>字</b>"), ("gb2312", "中文字"),
        ("gb18030", "中文 🐦 é"), ("big5", "繁體中文 <a>"), ("shift_jis", "日本語ﾃｽﾄ <p>"), ("euc-jp", "日本語ﾃｽﾄ"),
        ("iso-2022-jp", "日本語\n<p>\n表示"), ("euc-kr", "한국어 <p>"), ("iso-8859-15", "10 €"),
    ]

    private static func bytes(_ text: String, _ label: String) throws -> [UInt8] {
        let encoding = try #require(TextEncoding(label: label))
        return try #require(encoding.encode(text))
    }

    @Test("Any cut of the bytes gives the whole text", arguments: texts)
    func cuts(_ label: String, _ text: String) throws {
        let bytes = try Self.bytes(text, label)
        for size in 1...bytes.count {
            var decoder = CharsetDecoder(charset: label)
            var result = ""
            for start in stride(from: 0, to: bytes.count, by: size) {
                result += decoder.feed(Bytes(copying: bytes[start..<min(start + size, bytes.count)]))
            }
            expectEqual(Array((result + decoder.finish()).unicodeScalars), Array(text.unicodeScalars), "\(size)")
        }
        expectEqual(CharsetDecoder.text(Bytes(copying: bytes), charset: label), text)
    }

    @Test("A long line of ISO-2022-JP keeps its set of characters where it is cut", arguments: [1_000, 4_097, 200_000])
    func longLine(_ size: Int) throws {
        let text = "a" + String(repeating: "日本語", count: 20_000) + "¥" + String(repeating: "字", count: 50_000) + "\n表示"
        let bytes = try Self.bytes(text, "iso-2022-jp")
        var decoder = CharsetDecoder(charset: "iso-2022-jp")
        var (result, first) = ("", 0)
        for start in stride(from: 0, to: bytes.count, by: size) {
            result += decoder.feed(Bytes(copying: bytes[start..<min(start + size, bytes.count)]))
            if result.isEmpty { first = start }
        }
        #expect(result + decoder.finish() == text)
        // What arrives is shown before the line ends.
        #expect(first < 80_000)
    }

    @Test("An invalid character takes no other with it", arguments: texts.filter { !$0.0.hasPrefix("utf-") })
    func invalid(_ label: String, _ text: String) throws {
        let bytes = try Self.bytes(text, label)
        // Whatever the bytes, the decoder ends, and ASCII before them stays.
        for cut in 0..<bytes.count {
            var broken = Array("abc ".utf8) + bytes
            broken[4 + cut] ^= 0x55
            let result = CharsetDecoder.text(Bytes(copying: broken), charset: label)
            #expect(result.hasPrefix("abc "), "\(result)")
        }
    }

    @Test(
        "Broken bytes become U+FFFD, and the ASCII after them stays",
        arguments: [
            ("gbk", [0x61, 0xD6, 0x3C, 0x62], "a\u{FFFD}<b"), ("gb18030", [0x81, 0x30, 0x61], "\u{FFFD}0a"),
            ("big5", [0xA4, 0x22, 0xA4, 0xA4], "\u{FFFD}\"中"), ("shift_jis", [0x82, 0x3E], "\u{FFFD}>"),
            ("euc-kr", [0xFF, 0x61], "\u{FFFD}a"), ("euc-jp", [0x8F, 0xA1], "\u{FFFD}"),
            ("utf-16le", [0x00, 0xD8, 0x61, 0x00, 0x62], "\u{FFFD}a\u{FFFD}"), ("utf-8", [0xE2, 0x82], "\u{FFFD}"),
            ("us-ascii", [0x61, 0xFC], "aü"), ("unknown", [0xC3, 0xBC], "ü"),
            ("utf-32be", [0x7F, 0xFF, 0xFF, 0xFF], "\u{FFFD}"),
        ] as [(String, [UInt8], String)])
    func broken(_ label: String, _ bytes: [UInt8], _ expected: String) {
        expectEqual(CharsetDecoder.text(Bytes(copying: bytes), charset: label), expected)
    }

    @Test(
        "A terminal shows texts of every character set; a pipe gets the bytes",
        arguments: ["gbk", "big5", "shift_jis", "euc-kr", "windows-1251", "koi8-r", "utf-16", "iso-2022-jp"])
    func terminal(_ label: String) async throws {
        let text = try #require(Self.texts.first { $0.0 == label }).1
        let bytes = try Self.bytes(text + " \u{1B}[31m", label == "iso-2022-jp" ? "utf-8" : label)
        let content = label == "iso-2022-jp" ? try Self.bytes(text, label) : bytes
        try await TestServer.withServer { server in
            server.route("GET", "/text") { _ in
                ServerResponse(headers: ["Content-Type": "text/plain; charset=\(label)"], body: .bytes(content))
            }
            let shown = try await TernProcess.run(
                "--no-color", "-pb", server.url("/text"), onTerminal: true)
            // The terminal writes a return before each line feed.
            #expect(shown.text.replacing("\r\n", with: "\n").hasPrefix(text), "\(shown.text)")
            #expect(!shown.output.contains(0x1B))
            try await expectEqual(TernProcess.run("-pb", server.url("/text")).output, content)
        }
    }

    @Test(
        "JSON in Latin-1 is formatted, whether or not the server says what it is",
        arguments: ["; charset=iso-8859-1", ""])
    func json(_ parameter: String) async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/json") { _ in
                ServerResponse(
                    headers: ["Content-Type": "application/json\(parameter)"],
                    body: .bytes(Array(#"{"a":"K"#.utf8) + [0xFC] + Array(#"ste"}"#.utf8)))
            }
            let shown = try await TernProcess.run("--pretty", "format", server.url("/json"))
            expectEqual(shown.text, "{\n  \"a\": \"Küste\"\n}\n")
        }
    }
}
