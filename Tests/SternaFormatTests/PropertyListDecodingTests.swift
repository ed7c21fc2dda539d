import SternaCore
import SternaPlatform
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

/// Property lists are decoded from the tree that was parsed, with the values of PropertyListDecoder.
@Suite("Property lists: Decodable values from the parsed tree")
struct PropertyListDecodingTests {
    private struct Everything: Codable, Equatable, Sendable {
        var bool: Bool?
        var string: String?
        var double: Double?
        var float: Float?
        var int: Int?
        var int8: Int8?
        var uint64: UInt64?
        var date: Date?
        var data: Data?
        var url: URL?
        var decimal: Decimal?
        var uuid: UUID?
        var list: [Int]?
        var optional: [Int?]?
        var map: [String: Everything]?
    }

    private static let members = [
        "bool", "string", "double", "float", "int", "int8", "uint64", "date", "data", "list", "map", "unknown",
    ]

    private static let values = [
        "<true/>", "<false/>", "<integer>0</integer>", "<integer>1</integer>", "<integer>-1</integer>",
        "<integer>128</integer>", "<integer>18446744073709551615</integer>", "<real>1.5</real>",
        "<string></string>", "<string>a</string>", "<string>$null</string>", "<date>2020-01-02T03:04:05Z</date>",
        "<data>AAH/</data>", "<array/>", "<array><integer>1</integer></array>", "<dict/>",
        "<dict><key>a</key><dict><key>int</key><integer>1</integer></dict></dict>",
    ]

    private static func path(_ error: any Error) -> String {
        switch (error as? SternaError)?.underlying ?? error {
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context), DecodingError.keyNotFound(_, let context):
            return context.codingPath.map(\.stringValue).joined(separator: "/")
        default: return "\(error)"
        }
    }

    private func compare<T: Decodable & Equatable & Sendable>(_ type: T.Type, _ list: String) {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\">\(list)</plist>"
        let own = Result { try GivenAnswer(text, type: "application/x-plist").read(by: .propertyList(type)) }
        let theirs = Result { try PropertyListDecoder().decode(type, from: Data(text.utf8)) }
        switch (own, theirs) {
        case (.success(let one), .success(let other)): expectEqual(one, other, "\(list)")
        case (.failure(let one), .failure(let other)): expectEqual(Self.path(one), Self.path(other), "\(list)")
        default: Issue.record("\(list) as \(type): \(own), \(theirs)")
        }
    }

    @Test("Members of every type and every kind of value")
    func everything() {
        for member in Self.members {
            for value in Self.values { compare(Everything.self, "<dict><key>\(member)</key>\(value)</dict>") }
        }
        for value in Self.values {
            compare(Everything.self, value)
            compare([String: Int].self, value)
            compare([Int].self, "<array>\(value)</array>")
            compare([String].self, "<array>\(value)</array>")
        }
    }

    @Test("What PropertyListEncoder writes comes back, in both forms")
    func roundTrip() throws {
        var value = Everything(
            bool: true, string: "s", double: 0.1, float: 2.5, int: -1, int8: 127, uint64: .max,
            date: Date(timeIntervalSince1970: 5), data: Data([0, 255]), url: URL(string: "https://h/p?q"),
            decimal: Decimal(string: "1.25"), uuid: UUID(), list: [1, 2], optional: [1, nil, 2])
        value.map = ["a": value, "b": Everything()]
        for format in [PropertyListDecoder.PropertyListFormat.xml, .binary] {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = format
            let answer = GivenAnswer(bytes: Array(try encoder.encode(value)), type: "application/x-plist")
            try expectEqual(answer.read(by: .propertyList(Everything.self)), value)
        }
    }

    @Test("A tree inside a value")
    func tree() throws {
        struct Keyed: Decodable, Sendable { var text: String }
        let answer = GivenAnswer(
            "<plist><dict><key>text</key><integer>1</integer></dict></plist>", type: "application/x-plist")
        let error = try #require(answer.error(of: .propertyList(Keyed.self)))
        #expect(error.detail.contains("at text: "))
        #expect(error.detail.contains("a number"))
    }
}
