import NIOCore
import SternaCore
import Testing

@testable import SternaSerialization

@Suite("Text by its character set")
struct TextDecodingTests {
    static let good: [(String?, [UInt8], String)] = [
        (nil, [], ""),
        (nil, [0x61, 0xC3, 0xA9], "aé"),
        ("utf-8", [0xE2, 0x82, 0xAC], "€"),
        ("utf8", [0xF0, 0x9F, 0x90, 0xA6], "🐦"),
        ("us-ascii", [0x61, 0x7F], "a\u{7F}"),
        ("ascii", [], ""),
        ("iso-8859-1", [0xE9, 0xFF], "éÿ"),
        ("latin1", [0x61, 0xA9], "a©"),
        ("utf-16le", [0x61, 0x00, 0xAC, 0x20], "a€"),
        ("utf-16be", [0x00, 0x61, 0x20, 0xAC], "a€"),
        ("utf-16", [0xFE, 0xFF, 0x00, 0x61], "a"),
        ("utf-16", [0xFF, 0xFE, 0x61, 0x00], "a"),
        ("utf-16le", [0x3D, 0xD8, 0x26, 0xDC], "🐦"),
        ("utf-32", [0x00, 0x00, 0xFE, 0xFF, 0x00, 0x00, 0x00, 0x61], "a"),
    ]

    @Test("The text", arguments: good)
    func decode(charset: String?, bytes: [UInt8], text: String) throws {
        #expect(try TextDecoding.decode(Bytes(bytes: bytes), charset: charset) == text)
    }

    static let bad: [(String?, [UInt8])] = [
        (nil, [0xFF]), (nil, [0xC3]), ("utf-8", [0xED, 0xA0, 0x80]), ("utf-8", [0xC0, 0xAF]),
        ("us-ascii", [0x80]), ("utf-16le", [0x61]), ("utf-16be", [0x00, 0x61, 0x00]),
        ("utf-32", [0, 0, 0xFE, 0xFF, 0, 0, 0]),
        ("utf-16be", [0xD8, 0x3D, 0x00, 0x61]),
        ("x-unknown", [0x61]), ("", [0x61]),
    ]

    @Test("Bytes that are not in the set, and sets that are not known, are errors", arguments: bad)
    func refuse(charset: String?, bytes: [UInt8]) {
        let error = #expect(throws: SternaError.self) { try TextDecoding.decode(Bytes(bytes: bytes), charset: charset) }
        #expect(error?.kind == .decodingFailed)
        #expect(error?.phase == .decode)
    }

    @Test("The name of a set in a message stays on its line and short")
    func message() {
        let name = "x\r\n" + String(repeating: "y", count: 500)
        let error = #expect(throws: SternaError.self) { try TextDecoding.decode(Bytes(string: "a"), charset: name) }
        #expect(error?.description.contains { $0.isNewline } == false)
        #expect(error.map { $0.description.count < 250 } == true)
    }
}
