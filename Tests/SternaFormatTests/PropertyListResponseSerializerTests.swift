import NIOCore
import SternaCore
import SternaPlatform
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Property list response serializers")
struct PropertyListResponseSerializerTests {
    private static let type = "application/x-plist"

    private struct User: Codable, Sendable, Equatable {
        struct Tag: Codable, Sendable, Equatable { var id: Int }
        var name: String
        var tags: [Tag]
        var born: Date?
        var data: Data?
    }

    private struct Done: Decodable, Sendable, EmptyRepresentable, Equatable {
        var state: String
        static let emptyValue = Done(state: "nothing")
    }

    private static let tree: PropertyList = [
        "name": "é", "tags": [["id": 1], ["id": 2]], "born": .date(Date(timeIntervalSince1970: 0)),
        "data": .data(Data([7])),
    ]
    private static let user = User(
        name: "é", tags: [.init(id: 1), .init(id: 2)], born: Date(timeIntervalSince1970: 0), data: Data([7]))

    private func answer(_ tree: PropertyList, _ format: PropertyList.Format = .xml) throws -> GivenAnswer {
        GivenAnswer(bytes: try tree.serialized(format), type: Self.type)
    }

    @Test("A tree, or a value of a type, of either format", arguments: PropertyList.Format.allCases)
    func value(format: PropertyList.Format) throws {
        let answer = try answer(Self.tree, format)
        #expect(try answer.read(by: .propertyList) == Self.tree)
        try expectEqual(answer.read(by: .propertyList(User.self)), Self.user)
        try expectEqual(answer.read(by: PropertyListResponseSerializer()), Self.tree)
        try expectEqual(answer.read(by: DecodablePropertyListResponseSerializer<User>()), Self.user)
    }

    @Test("A value that is no dictionary")
    func others() throws {
        for format in PropertyList.Format.allCases {
            try expectEqual(answer([1, 2], format).read(by: .propertyList([Int].self)), [1, 2])
            try expectEqual(answer("a", format).read(by: .propertyList), .string("a"))
        }
    }

    static let types: [(String?, Bool)] = [
        ("application/x-plist", true), ("application/x-plist; charset=utf-8", true), ("Application/X-PList", true),
        ("application/xml", false), ("text/xml", false), ("application/json", false), ("text/plain", false),
        (nil, false),
    ]

    @Test("The media type", arguments: types)
    func mediaType(type: String?, fits: Bool) throws {
        let answer = GivenAnswer(bytes: try Self.tree.serialized(), type: type)
        let errors = [answer.error(of: .propertyList), answer.error(of: .propertyList(User.self))]
        for error in errors {
            expectEqual((error == nil), fits)
            if !fits {
                expectEqual(error?.kind, .unacceptableMediaType)
                expectEqual(error?.detail.contains(Self.type), true)
            }
        }
    }

    @Test("Statuses that are no error, and a value in spite of one that is")
    func status() throws {
        let body = try Self.tree.serialized()
        let error = GivenAnswer(bytes: body, type: Self.type, status: 404).error(of: .propertyList)
        expectEqual(error?.kind, .unacceptableStatus)
        expectEqual(error?.status, 404)
        #expect(error?.value as? PropertyList == Self.tree)
        var serializer = PropertyListResponseSerializer()
        serializer.validation.statuses = [404]
        try expectEqual(GivenAnswer(bytes: body, type: Self.type, status: 404).read(by: serializer), Self.tree)
    }

    @Test("An empty body is nil, an empty value, or an error", arguments: [nil, type, "text/html"])
    func empty(type: String?) throws {
        for status in [200, 204] {
            let answer = GivenAnswer("", type: type, status: status)
            try expectNil(answer.read(by: .propertyList))
            try expectNil(answer.read(by: .propertyList(User?.self)))
            try expectEqual(answer.read(by: .propertyList(Done.self)), Done(state: "nothing"))
            let error = answer.error(of: .propertyList(User.self))
            expectEqual(error?.kind, .decodingFailed)
            expectEqual(error?.phase, .decode)
            expectEqual(error?.detail.contains("empty"), true)
            expectEqual(error?.detail.contains("User"), true)
        }
    }

    @Test("An empty container is no empty body")
    func emptyContainer() throws {
        #expect(try answer([:]).read(by: .propertyList) == PropertyList.dictionary([:]))
        try expectEqual(answer([:]).error(of: .propertyList(Done.self))?.kind, .decodingFailed)
        try expectEqual(answer(["state": "x"]).read(by: .propertyList(Done.self)), Done(state: "x"))
    }

    static let broken: [([UInt8], String)] = [
        (Array("<plist>\n  <dict>x</dict></plist>".utf8), "line 2, column 9"),
        (Array("<plist><true/></plist>\n\nx".utf8), "line 3, column 1"),
        (Array("<plist><array>\n<string>é&foo;</string></array></plist>".utf8), "foo"),
        (Array("{ a = 1; }".utf8), "byte 0"), (Array("<plist><true/>".utf8), "byte 14"),
        (BinaryPropertyListFile([0x00]).bytes, "byte 8"), (BinaryPropertyListFile([.array([0])]).bytes, "byte "),
        (Array("bplist00".utf8), "byte "), (Array("<!DOCTYPE plist []><plist/>".utf8), "line 1, column "),
        ([0xFF, 0xFE], "byte 0"),
        (Array(String(repeating: "<array>", count: 10_000).utf8), "line 1, column "),
    ]

    @Test("What is no property list is decodingFailed with its place", arguments: broken)
    func notAPropertyList(bytes: [UInt8], place: String) {
        let answer = GivenAnswer(bytes: bytes, type: Self.type)
        for error in [answer.error(of: .propertyList), answer.error(of: .propertyList([String: Int].self))] {
            expectEqual(error?.kind, .decodingFailed)
            expectEqual(error?.phase, .decode)
            expectEqual(error?.body?.array, bytes)
            #expect(error?.underlying is PropertyList.ParseError)
            expectEqual(error?.detail.contains(place), true, "\(error?.detail ?? "")")
            expectEqual(error?.description.contains { $0.isNewline }, false)
            #expect(error?.url == "https://example.com/a?token=***")
        }
    }

    static let unfit: [(PropertyList, [String])] = [
        (["name": 5, "tags": []], ["name"]), (["name": "x"], ["tags"]),
        (["name": "x", "tags": [["id": 1], ["id": "two"]]], ["tags[1].id"]),
        (["name": "x", "tags": [["id": 1], [:]]], ["tags[1]", "id"]), (["name": "x", "tags": ["a"]], ["tags[0]"]),
        (["name": "x", "tags": [], "born": "2020"], ["born"]), (["name": "x", "tags": [], "data": "AQ=="], ["data"]),
        ([], []),
    ]

    @Test("A member that does not fit is named with its path, in both formats", arguments: unfit)
    func member(tree: PropertyList, places: [String]) throws {
        for format in PropertyList.Format.allCases {
            let answer = try answer(tree, format)
            let error = try #require(answer.error(of: .propertyList(User.self)))
            expectEqual(error.kind, .decodingFailed)
            expectEqual(error.phase, .decode)
            for place in places { #expect(error.detail.contains(place), "\(error.detail)") }
            #expect(error.underlying is DecodingError)
            #expect(error.body != nil)
            #expect(!error.description.contains { $0.isNewline })
            #expect(try answer.read(by: .propertyList) == tree)
        }
    }
}
