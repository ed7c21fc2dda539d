import NIOCore
import SternaCore
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

/// The sets that need no tables, and windows-1252. The expected bytes were made with Python's codecs.
@Suite("Unicode forms and simple character sets")
struct TextEncodingTests {
    static let texts: [(String, String, String)] = [
        ("utf-8", "aé€🐦", "61C3A9E282ACF09F90A6"),
        ("utf-16", "a€🐦", "FFFE6100AC203DD826DC"),
        ("utf-16le", "a€🐦", "6100AC203DD826DC"),
        ("utf-16be", "a€🐦", "006120ACD83DDC26"),
        ("utf-32le", "a€🐦", "61000000AC20000026F40100"),
        ("utf-32be", "a€🐦", "00000061000020AC0001F426"),
        ("us-ascii", "Plain ~\u{7F}", "506C61696E207E7F"),
        ("iso-8859-1", "Café ÿ\u{85}", "436166E920FF85"),
        ("windows-1252", "“Café” – 5 € Žž", "93436166E994209620352080208E9E"),
        ("utf-32", "a🐦", "0000FEFF000000610001F426"),
        ("windows-1252", "\u{81}\u{8D}\u{8F}\u{90}\u{9D}", "818D8F909D"),
        ("x-user-defined", "a\u{F780}\u{F7FF}", "6180FF"),
    ]

    @Test("Text to bytes and back", arguments: texts)
    func roundTrip(name: String, text: String, hex: String) throws {
        let encoding = try #require(TextEncoding(label: name))
        expectEqual(encoding.encode(text), bytes(hex))
        expectEqual(encoding.decode(Bytes(bytes: bytes(hex))), text)
        expectEqual(encoding.decode(Bytes()), "")
    }

    @Test("Every byte of the sets of one byte")
    func everyByte() {
        for byte in UInt8.min...UInt8.max {
            let one = Bytes(bytes: [byte])
            expectEqual(TextEncoding.latin1.decode(one), String(Unicode.Scalar(byte)))
            expectEqual(TextEncoding.ascii.decode(one), (byte < 0x80 ? String(Unicode.Scalar(byte)) : nil))
            for encoding in [TextEncoding.latin1, .windows1252, .userDefined] {
                expectEqual(encoding.decode(one).flatMap { encoding.encode($0) }, [byte])
            }
        }
    }

    @Test(
        "A byte order mark is removed, once",
        arguments: [
            ("utf-8", "EFBBBF61", "a"), ("utf-8", "EFBBBFEFBBBF61", "\u{FEFF}a"), ("utf-16", "FEFF0061", "a"),
            ("utf-16", "FFFE6100", "a"), ("utf-16", "6100", "a"), ("utf-16le", "FFFE6100", "a"),
            ("utf-16be", "FEFF0061", "a"), ("utf-32", "FFFE000061000000", "a"), ("utf-32", "0000FEFF00000061", "a"),
            ("utf-32", "00000061", "a"), ("utf-32le", "FFFE000061000000", "a"), ("utf-32be", "0000FEFF00000061", "a"),
        ])
    func marks(name: String, hex: String, text: String) throws {
        let decoded = try #require(TextEncoding(label: name)).decode(Bytes(bytes: bytes(hex)))
        expectEqual(decoded.map { Array($0.unicodeScalars) }, Array(text.unicodeScalars))
    }

    static let bad: [(String, String, Int)] = [
        ("utf-8", "FF", 0), ("utf-8", "61C3", 1), ("utf-8", "6162EDA080", 2), ("utf-8", "C0AF", 0),
        ("utf-8", "E282", 0), ("utf-8", "F4908080", 0), ("utf-8", "C3A980", 2), ("utf-8", "EFBBBF61FF", 4),
        ("us-ascii", "6180", 1), ("utf-16le", "61", 0), ("utf-16le", "6100AC", 2), ("utf-16be", "D83D0061", 0),
        ("utf-16le", "61003DD8", 2), ("utf-16be", "DC26", 0), ("utf-16", "FEFF0061D83D", 4),
        ("utf-32", "0000FEFF000000", 4),
        ("utf-32be", "0000D800", 0), ("utf-32be", "0000006100110000", 4), ("utf-32le", "00001100", 0),
        ("utf-32be", "FFFFFFFF", 0),
    ]

    @Test("Bytes that are no text", arguments: bad)
    func refuse(name: String, hex: String, offset: Int) throws {
        let encoding = try #require(TextEncoding(label: name))
        expectNil(encoding.decode(Bytes(bytes: bytes(hex))))
        #expect(throws: TextReadingFailure(offset: offset)) { try encoding.read(Bytes(bytes: bytes(hex))) }
    }

    @Test("Characters without a form are nil, or what the caller says")
    func replacements() {
        expectNil(TextEncoding.ascii.encode("é"))
        expectNil(TextEncoding.latin1.encode("€"))
        expectNil(TextEncoding.windows1252.encode("Ā"))
        expectNil(TextEncoding.userDefined.encode("é"))
        expectEqual(TextEncoding.latin1.encode("a€é") { "&#\($0.value);" }, Array("a&#8364;".utf8) + [0xE9])
        expectEqual(TextEncoding.ascii.encode("a€b") { _ in "" }, Array("ab".utf8))
        expectNil(TextEncoding.ascii.encode("€") { _ in "é" })
        #expect(throws: CancellationError.self) {
            try TextEncoding.ascii.encode("€") { _ in throw CancellationError() }
        }
    }

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex).map { UInt8($0.hexDigitValue ?? 0) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
