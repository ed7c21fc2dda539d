import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

@Suite("Text of a response by its character set")
struct TextResponseSerializerTests {
    private func text(
        _ bytes: [UInt8], _ type: String?, _ serializer: TextResponseSerializer = TextResponseSerializer()
    ) throws -> String {
        var headers = HTTPFields()
        if let type { headers[.contentType] = type }
        let response = Response(
            status: .ok, section: FieldSection(headers), url: try HTTPURL("https://example.com/a"))
        return try serializer.value(of: response, body: Bytes(bytes: bytes))
    }

    static let good: [(String?, [UInt8], String)] = [
        (nil, [], ""),
        (nil, [0x61, 0xC3, 0xA9], "aé"),
        ("text/plain", [0xC3, 0xA9], "é"),
        ("no type", [0xC3, 0xA9], "é"),
        ("text/plain; charset=utf-8", [0xE2, 0x82, 0xAC], "€"),
        ("text/plain; charset=\"UTF8\"", [0xF0, 0x9F, 0x90, 0xA6], "🐦"),
        ("text/plain; charset=us-ascii", [0x61, 0x7F], "a\u{7F}"),
        ("text/plain; charset=ISO-8859-1", [0xE9, 0xFF, 0x93], "éÿ\u{93}"),
        ("text/plain; charset=windows-1252", [0x93, 0xE9], "“é"),
        ("text/plain; charset=utf-16le", [0x61, 0x00, 0xAC, 0x20], "a€"),
        ("text/plain; charset=utf-16", [0xFE, 0xFF, 0x00, 0x61], "a"),
        ("text/plain; charset=utf-32", [0x00, 0x00, 0xFE, 0xFF, 0x00, 0x00, 0x00, 0x61], "a"),
        // A byte order mark speaks where Content-Type does not.
        (nil, [0xEF, 0xBB, 0xBF, 0x61], "a"),
        ("text/plain", [0xFE, 0xFF, 0x00, 0x61], "a"),
        ("text/plain", [0xFF, 0xFE, 0x61, 0x00], "a"),
        (nil, [0xFF, 0xFE, 0x00, 0x00, 0x61, 0x00, 0x00, 0x00], "a"),
        (nil, [0x00, 0x00, 0xFE, 0xFF, 0x00, 0x00, 0x00, 0x61], "a"),
        ("text/plain; charset=iso-8859-1", [0xFE, 0xFF], "þÿ"),
    ]

    @Test("The text", arguments: good)
    func decode(type: String?, bytes: [UInt8], wanted: String) throws {
        try expectEqual(text(bytes, type), wanted)
    }

    static let bad: [(String?, [UInt8], String, Int)] = [
        (nil, [0xFF], "utf-8", 0), (nil, [0x61, 0xC3], "utf-8", 1),
        ("utf-8", [0x61, 0x62, 0xED, 0xA0, 0x80], "utf-8", 2),
        ("us-ascii", [0x61, 0x80], "us-ascii", 1), ("utf-16le", [0x61], "utf-16le", 0),
        ("utf-16be", [0xD8, 0x3D, 0x00, 0x61], "utf-16be", 0), ("utf-32", [0, 0, 0xFE, 0xFF, 0, 0, 0], "utf-32", 4),
        (nil, [0xFF, 0xFE, 0x61], "utf-16le", 2),
    ]

    @Test("Bytes that are not in the set are an error that names it and the place", arguments: bad)
    func refuse(charset: String?, bytes: [UInt8], name: String, offset: Int) {
        let error = #expect(throws: SternaError.self) { try text(bytes, charset.map { "text/plain; charset=\($0)" }) }
        expectEqual(error?.kind, .decodingFailed)
        expectEqual(error?.phase, .decode)
        expectEqual(error?.detail.contains("not valid \(name): byte \(offset) "), true)
        expectEqual(error?.detail.contains("data()"), true)
    }

    @Test("A set that is not known is an error", arguments: ["x-unknown", "utf-7", "iso-2022-kr", "\"\""])
    func unknown(charset: String) {
        let fallbacks = TextResponseSerializer(fallbacks: [.latin1])
        let error = #expect(throws: SternaError.self) { try text([0x61], "text/plain; charset=\(charset)", fallbacks) }
        expectEqual(error?.kind, .decodingFailed)
        expectEqual(error?.detail.contains("is not known"), true)
    }

    @Test("Fallbacks are for bodies whose character set is not named")
    func fallbacks() throws {
        let latin = TextResponseSerializer(fallbacks: [.latin1])
        try expectEqual(text([0xC3, 0xA9], nil, latin), "é")
        try expectEqual(text([0xE9, 0xFF], nil, latin), "éÿ")
        #expect(throws: SternaError.self) { try text([0xE9], "text/plain; charset=utf-8", latin) }
        #expect(throws: SternaError.self) { try text([0xFF, 0xFE, 0x61], nil, latin) }
        let inTurn = TextResponseSerializer(fallbacks: [.ascii, .utf16BigEndian, .windows1252])
        try expectEqual(text([0xD8, 0x3D, 0xDC, 0x26], nil, inTurn), "🐦")
        try expectEqual(text([0x93], nil, inTurn), "“")
        let none = #expect(throws: SternaError.self) {
            try text([0x61, 0xE9], nil, TextResponseSerializer(fallbacks: [.ascii]))
        }
        expectEqual(none?.detail.contains("not valid utf-8: byte 1 "), true)
        expectEqual(none?.detail.contains("fallbacks"), true)
    }

    @Test("The serializer's own character set precedes the response's")
    func forced() throws {
        let latin = TextResponseSerializer(encoding: .latin1)
        try expectEqual(text([0xC3, 0xA9], "text/plain; charset=utf-8", latin), "Ã©")
        try expectEqual(text([0xEF, 0xBB, 0xBF, 0x61], nil, latin), "ï»¿a")
        try expectEqual(text([0x61], "text/plain; charset=klingon", latin), "a")
        try expectEqual(GivenAnswer(bytes: [0xE9], type: nil).read(by: .text(.latin1)), "é")
        let error = #expect(throws: SternaError.self) {
            try text(
                [0xE9], "text/plain; charset=latin1", TextResponseSerializer(fallbacks: [.latin1], encoding: .utf8))
        }
        expectEqual(error?.kind, .decodingFailed)
        let data = try JSONEncoder().encode(latin)
        try expectEqual(JSONDecoder().decode(TextResponseSerializer.self, from: data), latin)
    }

    @Test("The name of a set in a message stays on its line and short")
    func message() {
        let name = "x\r\n" + String(repeating: "y", count: 500)
        let error = #expect(throws: SternaError.self) {
            try TextResponseSerializer().text(of: Bytes(string: "a"), charset: name)
        }
        expectEqual(error?.description.contains { $0.isNewline }, false)
        expectEqual(error.map { $0.description.count < 250 }, true)
    }

    @Test func coding() throws {
        let serializer = TextResponseSerializer(
            validation: ResponseValidation(statuses: [404]), fallbacks: [.latin1, .shiftJIS])
        let data = try JSONEncoder().encode(serializer)
        try expectEqual(JSONDecoder().decode(TextResponseSerializer.self, from: data), serializer)
    }
}
