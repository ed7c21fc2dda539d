import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Text in old character sets")
struct CharsetTests {
    static let latin: [(String, [UInt8], String)] = [
        ("ISO-8859-1", [0x61, 0xE9], "aé"), ("latin1", [0xFC], "ü"), ("\"utf-8\"", [0xC3, 0xA9], "é"),
        ("UTF8", [0xC3, 0xA9], "é"), ("US-ASCII", [0x61], "a"), ("utf-16le", [0xAC, 0x20], "€"),
        ("utf-16be", [0x20, 0xAC], "€"), ("utf-32be", [0, 1, 0xF4, 0x26], "🐦"), ("utf-32le", [0x26, 0xF4, 1, 0], "🐦"),
    ]

    @Test("Without Foundation", arguments: latin)
    func always(charset: String, bytes: [UInt8], text: String) throws {
        try expectEqual(GivenAnswer(bytes: bytes, type: "text/plain; charset=\(charset)").read(by: .text), text)
    }
}
