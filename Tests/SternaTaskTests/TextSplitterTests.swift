import NIOCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Splitting text into pieces")
struct TextSplitterTests {
    /// Bytes, and how many at their end begin a character that is not complete.
    struct Case: Sendable, CustomTestStringConvertible {
        let bytes: [UInt8]
        let kept: Int

        var testDescription: String { "\(bytes)" }
    }

    static let cases = [
        Case(bytes: [], kept: 0),
        Case(bytes: [0x61], kept: 0),
        Case(bytes: [0x61, 0xC3], kept: 1),
        Case(bytes: [0xC3, 0xA9], kept: 0),
        Case(bytes: [0xE2, 0x82], kept: 2),
        Case(bytes: [0xE2, 0x82, 0xAC], kept: 0),
        Case(bytes: [0xF0, 0x9F, 0x90], kept: 3),
        Case(bytes: [0xF0, 0x9F, 0x90, 0xA6], kept: 0),
        // Invalid bytes are not waited for.
        Case(bytes: [0x80], kept: 0),
        Case(bytes: [0x80, 0x80, 0x80, 0x80, 0x80], kept: 0),
        Case(bytes: [0xFF], kept: 0),
        Case(bytes: [0xC0], kept: 0),
        Case(bytes: [0xC3, 0x80, 0x80], kept: 0),
        Case(bytes: [0xF5, 0x80], kept: 0),
    ]

    @Test("An incomplete character at the end is held back", arguments: cases)
    func end(item: Case) {
        expectEqual(TextSplitter.incompleteEnd(of: item.bytes), item.kept)
    }

    @Test("The pieces form the same text, however the bytes are split", arguments: [1, 2, 3, 5, 7, 100])
    func pieces(size: Int) {
        let text = "naïve €5 🐦 漢字 e\u{301} end"
        let bytes = Array(text.utf8)
        var splitter = TextSplitter()
        var made = ""
        var start = 0
        while start < bytes.count {
            let piece = splitter.add(Bytes(bytes: bytes[start..<min(start + size, bytes.count)]))
            #expect(piece?.unicodeScalars.contains("\u{FFFD}") != true)
            #expect(piece != "")
            made += piece ?? ""
            start += size
        }
        expectNil(splitter.last())
        expectEqual(made, text)
    }

    @Test("An incomplete character at the end, and invalid bytes, are replaced")
    func broken() {
        var splitter = TextSplitter()
        expectEqual(splitter.add(Bytes(bytes: [0x61, 0xFF, 0xE2, 0x82])), "a\u{FFFD}")
        expectEqual(splitter.last(), "\u{FFFD}")
        expectNil(splitter.last())
        expectNil(splitter.add(Bytes()))
    }
}
