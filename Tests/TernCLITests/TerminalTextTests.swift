import Sterna
import Testing

@testable import SternaTestSupport
@testable import TernCLI

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("plain\ttext\n", "plain\ttext\n"), ("\u{1B}[31mred", "␛[31mred"), ("\u{1B}]0;t\u{7}", "␛]0;t␇"),
        ("a\r\nb", "a\nb"), ("a\rb", "a␍b"), ("a\r", "a␍"), ("\u{0}\u{8}\u{7F}", "␀␈␡"), ("\u{9B}2J", "\u{FFFD}2J"),
        ("\u{202E}abc\u{2066}", "\u{FFFD}abc\u{FFFD}"), ("Küste 🐦 e\u{301}", "Küste 🐦 e\u{301}"),
    ])
    func showsWhatWouldSteer(_ text: String, _ expected: String) {
        expectEqual(Array(TerminalText.block(text).unicodeScalars), Array(expected.unicodeScalars))
    }

    @Test(arguments: [("a\nb", "a b"), ("a\r\n\r\nb\n", "a b"), ("\na", "a"), ("a\tb", "a b"), ("\u{1B}c", "␛c")])
    func putsOnOneLine(_ text: String, _ expected: String) {
        expectEqual(TerminalText.line(text), expected)
    }

    /// Any cut of the bytes gives the text of the whole.
    @Test(arguments: ["Küste 🐦\r\nיםf\u{1B}[0m\r\r\nx", "€€€", "\r\n\r\n"])
    func joinsChunks(_ text: String) {
        let bytes = Array(text.utf8)
        for size in 1...bytes.count {
            var cleaner = TerminalText()
            var result = ""
            for start in stride(from: 0, to: bytes.count, by: size) {
                result += cleaner.feed(Bytes(copying: bytes[start..<min(start + size, bytes.count)]))
            }
            expectEqual(result + cleaner.finish(), TerminalText.block(text))
        }
    }

    @Test func replacesBytesThatAreNoText() {
        var cleaner = TerminalText()
        #expect(cleaner.feed(Bytes(copying: [0x61, 0xFF, 0xC0, 0x62, 0xE2, 0x82])).hasSuffix("b"))
        expectEqual(cleaner.finish(), "\u{FFFD}")
    }

    @Test func readsLatin1() {
        var cleaner = TerminalText(charset: "iso-8859-1")
        expectEqual(cleaner.feed(Bytes(copying: [0x4B, 0xFC, 0x73, 0x9B])), "Küs\u{FFFD}")
    }
}
