import SternaCore
import SternaPlatform
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

/// Swift compares strings by their canonical form, which takes the square of the combining marks in a row.
@Suite("Bad input: keys of combining marks", .timeLimit(.minutes(5)))
struct HostileKeyTests {
    private static let high = "\u{301}"
    private static let low = "\u{316}"

    static let keys = [
        "a" + String(repeating: high, count: 40_000) + String(repeating: low, count: 40_000),
        "a" + String(repeating: high + low, count: 40_000), String(repeating: high, count: 31),
        "long enough to be looked at, " + String(repeating: low, count: 31),
    ]

    @Test("Are refused in every format before anything is compared", arguments: keys)
    func refused(key: String) throws {
        let members = (0..<20).map { "\"k\($0)\":1," }.joined()
        for text in ["{\"\(key)\":1}", "{\(members)\"\(key)\":1}", "[{\"\(escaped(key))\":1}]"] {
            let error = #expect(throws: JSON.ParseError.self) { try JSON(parsing: text) }
            expectEqual(error?.reason, .tooManyMarks(limit: 30))
            let answer = GivenAnswer(text, status: 500)
            expectEqual(answer.error(of: .json)?.kind, .unacceptableStatus)
            expectEqual(GivenAnswer(text).error(of: .decodable([String: Int].self))?.kind, .decodingFailed)
        }
        let xml = "<plist><dict><key>\(key)</key><true/></dict></plist>"
        var reason = #expect(throws: PropertyList.ParseError.self) { try PropertyList(parsing: xml) }?.reason
        expectEqual(reason, .tooManyMarks(limit: 30))
        let units = key.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        var binary = Array("bplist00".utf8) + [0xD1, 1, 2, 0x6F, 0x12]
        binary += withUnsafeBytes(of: UInt32(key.utf16.count).bigEndian, Array.init) + units + [0x08]
        let table = UInt32(binary.count)
        for offset in [8, 11, table - 1] { binary += withUnsafeBytes(of: offset.bigEndian, Array.init) }
        binary += [0, 0, 0, 0, 0, 0, 4, 1] + [0, 0, 0, 0, 0, 0, 0, 3] + Array(repeating: 0, count: 8)
        binary += [0, 0, 0, 0] + withUnsafeBytes(of: table.bigEndian, Array.init)
        reason = #expect(throws: PropertyList.ParseError.self) { try PropertyList(parsing: binary) }?.reason
        expectEqual(reason, .tooManyMarks(limit: 30))
    }

    private func escaped(_ key: String) -> String {
        key.utf16.map { "\\u" + String(0x10000 + UInt32($0), radix: 16).dropFirst() }.joined()
    }

    @Test("Keys in real languages are allowed, and values may have any text")
    func allowed() throws {
        let keys = [
            "a" + String(repeating: Self.high, count: 30), String(repeating: "ế", count: 500),
            String(repeating: "e\u{302}\u{301}", count: 500), String(repeating: "👩‍👩‍👧‍👦", count: 100), "שָׁלוֹם", "ภาษาไทยที่",
        ]
        for key in keys {
            try expectEqual(JSON(parsing: "{\"\(key)\":1}")[key], 1)
            try expectEqual(PropertyList(parsing: "<plist><dict><key>\(key)</key><true/></dict></plist>")[key], true)
        }
        try expectEqual(JSON(parsing: "[\"\(Self.keys[0])\"]").array?.count, 1)
    }
}
