import NIOCore
import SternaCore
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

/// The sets that have tables. The expected texts were made with Python's codecs, the counts and hashes with a program of its
/// own from the Encoding Standard's index files, a985b62 of 2026-05-21.
@Suite("Character sets by tables")
struct TextEncodingTableTests {
    static let texts: [(String, String, String)] = [
        ("ibm866", "Привет, ёж ║№", "8FE0A8A2A5E22C20F1A620BAFC"),
        ("iso-8859-2", "Zażółć gęślą jaźń", "5A61BFF3B3E62067EAB66CB1206A61BCF1"),
        ("iso-8859-3", "Eĥoŝanĝo ĉiuĵaŭde", "45B66FFE616EF86F20E66975BC61FD6465"),
        ("iso-8859-4", "Ķīļņģ Ŧŋ", "D3EFB6F1BB20ACBF"),
        ("iso-8859-5", "Съешь ђ№", "C1EAD5E8EC20F2F0"),
        ("iso-8859-6", "\u{0645}\u{0631}\u{062D}\u{0628}\u{0627}\u{061F}", "E5D1CDC8C7BF"),
        ("iso-8859-7", "Γειά σου €", "C3E5E9DC20F3EFF520A4"),
        ("iso-8859-8", "\u{05E9}\u{05DC}\u{05D5}\u{05DD} \u{00D7}", "F9ECE5ED20AA"),
        ("iso-8859-8-i", "\u{05E9}\u{05DC}\u{05D5}\u{05DD}", "F9ECE5ED"),
        ("iso-8859-10", "Þórður ŋ―", "DEF372F0757220BFBD"),
        ("iso-8859-13", "Ąžuolas „ŗ”", "C0FE756F6C617320A5BAA1"),
        ("iso-8859-14", "Ŵyḃ Ẁ", "D079A220A8"),
        ("iso-8859-15", "Œuvre à 5 € Ž", "BC7576726520E0203520A420B4"),
        ("iso-8859-16", "Știință ț €", "AA7469696EFEE320FE20A4"),
        ("koi8-r", "Привет ═ ё", "F0D2C9D7C5D420A020A3"),
        ("koi8-u", "Її Ґґ Єє", "B7A720BDAD20B4A4"),
        ("macintosh", "Café Ω≈ç√ €", "4361668E20BDC58DC320DB"),
        ("windows-874", "\u{0E2A}\u{0E27}\u{0E31}\u{0E2A}\u{0E14}\u{0E35} \u{20AC}", "CAC7D1CAB4D52080"),
        ("windows-1250", "Příliš žluťoučký „€”", "50F8ED6C699A209E6C759D6F75E86BFD20848094"),
        ("windows-1251", "Съешь Ґ № €", "D1FAE5F8FC20A520B92088"),
        ("windows-1253", "Γειά Ά €", "C3E5E9DC20A22080"),
        ("windows-1254", "İstanbul ğüşı", "DD7374616E62756C20F0FCFEFD"),
        ("windows-1255", "\u{05E9}\u{05B8}\u{05C1}\u{05DC}\u{05D5}\u{05B9}\u{05DD} \u{20AA}", "F9C8D1ECE5C9ED20A4"),
        ("windows-1256", "\u{0633}\u{0644}\u{0627}\u{0645} \u{06AF}\u{0686}\u{067E}", "D3E1C7E320908D81"),
        ("windows-1257", "Ąžuolas Šķē €", "C0FE756F6C617320D0EDE72080"),
        ("windows-1258", "Đơn ư ₫", "D0F56E20FD20FE"),
        ("x-mac-cyrillic", "Їжак Ґ €", "BAE6E0EA20A220FF"),
        ("gbk", "中文简体，丂", "D6D0CEC4BCF2CCE5A3AC8140"),
        ("gb18030", "中文 €ÿ🐦한", "D6D0CEC420A2E381308B379439CD3283368433"),
        ("big5", "繁體中文，壹", "C163C5E9A4A4A4E5A141B3FC"),
        ("euc-jp", "日本語ｱカ、亜", "C6FCCBDCB8EC8EB1A5ABA1A2B0A1"),
        ("iso-2022-jp", "A日本語B¥", "411B2442467C4B5C386C1B2842421B284A5C1B2842"),
        ("shift_jis", "日本語ｱカ表①", "93FA967B8CEAB1834A955C8740"),
        ("euc-kr", "한국어 똠방 漢字", "C7D1B1B9BEEE208C63B9E620F9D3EDAE"),
        // Where the standard differs from Python: IBM's own bytes of IBM's characters, and the standard's replacements.
        ("shift_jis", "\u{7E8A}\u{9AD9}", "FA5CFBFC"),
        (
            "gb18030", "\u{E5E4}\u{E81E}\u{9FB4}\u{1E3F}\u{E7C7}\u{3000}\u{FFFD}\u{10FFFF}",
            "A39FFE59FE59A8BC8135F437A1A18431A437E3329A35"
        ),
        ("gbk", "€", "80"),
        ("koi8-u", "\u{45E}\u{40E}", "AEBE"),
        ("windows-1255", "\u{5BA}\u{81}", "CA81"),
        ("iso-2022-jp", "~\u{203E}A\u{A5}\\日~", "7E1B284A7E415C1B28425C1B2442467C1B28427E"),
    ]

    @Test("Text to bytes and back", arguments: texts)
    func roundTrip(name: String, text: String, hex: String) throws {
        let encoding = try #require(TextEncoding(label: name))
        expectEqual(encoding.encode(text).map(Hex.text), hex)
        if !text.unicodeScalars.contains("\u{E81E}") { expectEqual(encoding.decode(Hex.bytes(hex)), text) }
    }

    @Test(
        "What is written otherwise than it was, as the standard has it",
        arguments: [
            ("shift_jis", "\u{2212}\u{A5}\u{203E}\u{80}", "817C5C7E80"),
            ("euc-jp", "\u{2212}\u{A5}\u{203E}", "A1DD5C7E"),
            ("iso-2022-jp", "\u{FF71}\u{2212}\u{FF9F}", "1B24422522215D212C1B2842"),
            ("big5", "\u{2550}\u{5341}\u{255E}\u{2561}\u{256A}\u{5345}", "F9F9A451F9E9F9EBF9EAA4CA"),
            ("shift_jis", "\u{2170}\u{2179}\u{FFE2}\u{3231}\u{2252}", "FA40FA4981CA878A81E0"),
            ("gbk", "\u{E78D}\u{E864}\u{FE10}", "A6D9FEA0A6D9"),
            ("gb18030", "\u{E78D}\u{E864}\u{FE10}", "A6D9FEA0A6D9"),
        ])
    func replaced(name: String, text: String, hex: String) throws {
        try expectEqual(#require(TextEncoding(label: name)).encode(text).map(Hex.text), hex)
    }

    @Test(
        "What is read and never written so",
        arguments: [
            ("big5", "8862886488A388A5", "\u{CA}\u{304}\u{CA}\u{30C}\u{EA}\u{304}\u{EA}\u{30C}"),
            ("big5", "8E69C6DEFB48", "\u{7BB8}\u{3003}\u{5605}"),
            ("big5", "8840C8A387408FA2", "\u{31C0}\u{9FB1}\u{43F0}\u{2863B}"),
            ("euc-jp", "8FB0A18FA2AF8FA2B7", "\u{4E02}\u{2D8}\u{FF5E}"),
            ("shift_jis", "ED40EEFCF040F9FC", "\u{7E8A}\u{FF02}\u{E000}\u{E757}"),
            ("gbk", "80A3A08139EE39", "\u{20AC}\u{3000}\u{3400}"),
            ("gb18030", "A6D9A6F3FE59FEA0", "\u{FE10}\u{FE19}\u{9FB4}\u{9FBB}"),
            ("gb18030", "8130813082359037", "\u{80}\u{9FB4}"),
            ("iso-2022-jp", "1B2849311B2440467C1B2842", "\u{FF71}\u{65E5}"),
            ("iso-2022-jp", "1B284A5C7E", "\u{A5}\u{203E}"),
        ])
    func readOnly(name: String, hex: String, text: String) throws {
        try expectEqual(#require(TextEncoding(label: name)).decode(Hex.bytes(hex)), text)
    }

    static let bad: [(String, String, Int)] = [
        ("shift_jis", "6181", 1), ("shift_jis", "8120", 0), ("shift_jis", "A0", 0), ("shift_jis", "FD", 0),
        ("shift_jis", "82A0A2E6FF", 3), ("shift_jis", "81FF62", 0), ("shift_jis", "8740857F", 2),
        ("euc-jp", "61A4", 1), ("euc-jp", "A420", 0), ("euc-jp", "8EE0", 0), ("euc-jp", "8E", 0), ("euc-jp", "8FA2", 0),
        ("euc-jp", "8FA1A1", 0), ("euc-jp", "80", 0), ("euc-jp", "FFA1", 0), ("euc-jp", "A9A1", 0),
        ("euc-kr", "61C7", 1), ("euc-kr", "C720", 0), ("euc-kr", "80", 0), ("euc-kr", "FF41", 0), ("euc-kr", "C9A1", 0),
        ("big5", "A4", 0), ("big5", "61A420", 1), ("big5", "80", 0), ("big5", "FF40", 0), ("big5", "8140", 0),
        ("big5", "A47F", 0),
        ("gb18030", "D6", 0), ("gb18030", "61D620", 1), ("gb18030", "FF", 0), ("gb18030", "8130", 0),
        ("gb18030", "813081", 0), ("gb18030", "8431A530", 0), ("gb18030", "FE39FE39", 0), ("gb18030", "E3329A36", 0),
        ("gb18030", "D67F", 0), ("gbk", "D6", 0),
        ("iso-2022-jp", "611B", 1), ("iso-2022-jp", "1B24", 0), ("iso-2022-jp", "1B244246", 3),
        ("iso-2022-jp", "1B2442460A", 3), ("iso-2022-jp", "0E", 0), ("iso-2022-jp", "61E9", 1),
        ("iso-2022-jp", "1B28421B2442467C", 3), ("iso-2022-jp", "1B2442467C1B28421B284A", 8),
        ("iso-2022-jp", "1B28421B2842", 3), ("iso-2022-jp", "1B284960", 3), ("iso-2022-jp", "1B24422921", 3),
        ("iso-2022-jp", "1B2428442221", 0),
        ("iso-8859-3", "61A5", 1), ("iso-8859-6", "C0", 0), ("iso-8859-7", "FF", 0), ("iso-8859-8", "A1", 0),
        ("iso-8859-8-i", "FB", 0), ("windows-874", "DB", 0), ("windows-1253", "AA", 0), ("windows-1253", "61D2", 1),
        ("windows-1255", "D9", 0), ("windows-1257", "A1", 0),
    ]

    @Test("Bytes that are no text", arguments: bad)
    func refuse(name: String, hex: String, offset: Int) throws {
        let encoding = try #require(TextEncoding(label: name))
        expectNil(encoding.decode(Hex.bytes(hex)))
        #expect(throws: TextReadingFailure(offset: offset)) { try encoding.read(Hex.bytes(hex)) }
    }

    @Test(
        "Characters without a form",
        arguments: [
            ("shift_jis", "é"), ("shift_jis", "\u{E000}"), ("euc-jp", "\u{4E02}"), ("euc-jp", "한"),
            ("iso-2022-jp", "é"),
            ("iso-2022-jp", "\u{1B}"), ("iso-2022-jp", "\u{E}"), ("euc-kr", "€é"), ("big5", "\u{31C0}"), ("big5", "é"),
            ("gbk", "한"), ("gbk", "🐦"), ("gb18030", "\u{E5E5}"), ("koi8-r", "ї"), ("iso-8859-2", "¢"),
            ("windows-874", "\u{F8C1}"),
        ])
    func unwritable(name: String, text: String) throws {
        let encoding = try #require(TextEncoding(label: name))
        expectNil(encoding.encode(text))
        expectNil(encoding.encode("a" + text) { _ in nil })
        #expect(encoding.encode(text) { _ in "\u{FDFA}" } == nil || name == "gb18030")
        expectEqual(encoding.encode(text) { _ in "?" }?.contains(UInt8(ascii: "?")), true)
    }

    @Test func replacementsGoThroughTheSet() {
        let text = TextEncoding.iso2022JP.encode("日é本\u{E}") { "&#\($0.value);" }
        expectEqual(text.map(Hex.text), "1B2442467C1B284226233233333B1B24424B5C1B2842262336353533333B")
    }

    /// The number of bytes above 0x7F that are characters, and a hash over them.
    static let singleBytes: [(String, Int, UInt32)] = [
        ("ibm866", 128, 0x79F12C76),
        ("iso-8859-2", 128, 0xC7CF06A5),
        ("iso-8859-3", 121, 0x98DC8461),
        ("iso-8859-4", 128, 0xB68B06CC),
        ("iso-8859-5", 128, 0x30C2E444),
        ("iso-8859-6", 83, 0xB4AA1F80),
        ("iso-8859-7", 125, 0xC5B278A4),
        ("iso-8859-8", 92, 0x78B29082),
        ("iso-8859-10", 128, 0x4AD3F2E9),
        ("iso-8859-13", 128, 0xFD5AF5F3),
        ("iso-8859-14", 128, 0x04462BF7),
        ("iso-8859-15", 128, 0xB966F3FC),
        ("iso-8859-16", 128, 0x231178F8),
        ("koi8-r", 128, 0x7C94571C),
        ("koi8-u", 128, 0x2B127A90),
        ("macintosh", 128, 0xE88C6081),
        ("x-mac-cyrillic", 128, 0x9809E257),
        ("windows-874", 120, 0xAC6E1F02),
        ("windows-1250", 128, 0x1A134576),
        ("windows-1251", 128, 0x4355B27C),
        ("windows-1252", 128, 0xC2E6C00A),
        ("windows-1253", 125, 0xB7F5103A),
        ("windows-1254", 128, 0x34402DE2),
        ("windows-1255", 118, 0x8CA0ECBE),
        ("windows-1256", 128, 0xF06E74E5),
        ("windows-1257", 126, 0xCDA9FA73),
        ("windows-1258", 128, 0x4B0069ED),
    ]

    @Test("Every byte of the sets of one byte", arguments: singleBytes)
    func everyByte(name: String, count: Int, hash: UInt32) throws {
        let encoding = try #require(TextEncoding(label: name))
        var sum = Sum()
        for byte in UInt8(0x80)...0xFF {
            guard let text = encoding.decode(Bytes(bytes: [byte])) else { continue }
            sum.add(UInt32(byte), text)
            expectEqual(encoding.encode(text), [byte])
        }
        expectEqual(sum, Sum(count: count, hash: hash))
    }

    /// The number of sequences that are characters and a hash over them, and the same of how those are written.
    @Test(
        "Every pair of bytes of the Asian sets",
        arguments: [
            ("big5", 18594, 0x5FA9_D22C, 14743, 0xB1A2_1194), ("shift_jis", 9604, 0x3D1C_DE34, 7724, 0x37A3_5D47),
            ("euc-kr", 17048, 0x8CCF_5CE7, 17048, 0x8CCF_5CE7), ("gb18030", 23940, 0x7BDE_A114, 23940, 0x6FE9_B053),
        ] as [(String, Int, UInt32, Int, UInt32)])
    func everyPair(name: String, count: Int, hash: UInt32, writtenCount: Int, writtenHash: UInt32) throws {
        let encoding = try #require(TextEncoding(label: name))
        var (sum, written) = (Sum(), Sum())
        for lead in UInt8(0x81)...0xFE {
            for trail in UInt8(0x40)...0xFE {
                // Half-width katakana of Shift_JIS, and a letter behind it.
                if name == "shift_jis", (0xA0...0xDF).contains(lead) || lead > 0xFC || trail > 0xFC { continue }
                guard let text = encoding.decode(Bytes(bytes: [lead, trail])) else { continue }
                sum.add(UInt32(lead) << 8 | UInt32(trail), text)
                guard let bytes = encoding.encode(text) else { continue }
                written.add(bytes.reduce(0) { $0 << 8 | UInt32($1) }, text)
            }
        }
        expectEqual(sum, Sum(count: count, hash: hash))
        expectEqual(written, Sum(count: writtenCount, hash: writtenHash))
    }

    @Test func everyTripleOfEUCJP() {
        var sum = Sum()
        for lead in UInt8(0xA1)...0xFE {
            for trail in UInt8(0xA1)...0xFE {
                guard let text = TextEncoding.eucJP.decode(Bytes(bytes: [0x8F, lead, trail])) else { continue }
                sum.add(UInt32(lead) << 8 | UInt32(trail), text)
            }
        }
        expectEqual(sum, Sum(count: 6067, hash: 0x2FA1_20E1))
    }

    @Test func everyFourBytesOfGB18030() {
        var sum = Sum()
        var pairs = 0
        for pointer in 0..<39_420 {
            let bytes = Self.quad(pointer)
            guard let text = TextEncoding.gb18030.decode(Bytes(bytes: bytes)) else { continue }
            sum.add(UInt32(pointer), text)
            let written = TextEncoding.gb18030.encode(text)
            if written?.count == 2 { pairs += 1 } else if written != bytes { Issue.record("\(bytes)") }
        }
        expectEqual(sum, Sum(count: 39_420, hash: 0x97CE_2C6D))
        // Characters that have got two bytes in 2022.
        expectEqual(pairs, 18)
    }

    private static func quad(_ pointer: Int) -> [UInt8] {
        [pointer / 12_600 + 0x81, pointer / 1_260 % 10 + 0x30, pointer / 10 % 126 + 0x81, pointer % 10 + 0x30].map {
            UInt8($0)
        }
    }

    @Test func gb18030HoldsUnicode() {
        var lost: [UInt32] = []
        var changed = 0
        for value in (UInt32(0)...0xFFFF).filter({ !(0xD800...0xDFFF).contains($0) }) + [0x10000, 0x1F426, 0x10FFFF] {
            guard let text = Unicode.Scalar(value).map(String.init) else { continue }
            guard let bytes = TextEncoding.gb18030.encode(text) else {
                lost.append(value)
                continue
            }
            if TextEncoding.gb18030.decode(Bytes(bytes: bytes)) != text { changed += 1 }
        }
        expectEqual(lost, [0xE5E5])
        // The private characters that have got characters of their own.
        expectEqual(changed, 18)
    }

    /// A number of characters and a hash over their codes and scalars.
    struct Sum: Equatable {
        var count = 0
        var hash: UInt32 = 0

        mutating func add(_ code: UInt32, _ text: String) {
            count += 1
            for scalar in text.unicodeScalars { hash = hash &* 31 &+ code &* 65_599 &+ scalar.value }
        }
    }
}

/// Bytes as hexadecimal digits.
enum Hex {
    static func bytes(_ text: String) -> Bytes {
        let digits = Array(text).map { UInt8($0.hexDigitValue ?? 0) }
        let places = stride(from: 0, to: digits.count - 1, by: 2)
        return Bytes(bytes: places.map { (place: Int) -> UInt8 in digits[place] << 4 | digits[place + 1] })
    }

    static func text(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
