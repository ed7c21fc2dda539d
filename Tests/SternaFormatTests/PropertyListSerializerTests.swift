import HTTPTypes
import SternaCore
import SternaPlatform
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Property list serializers")
struct PropertyListSerializerTests {
    private struct User: Codable, Equatable, Sendable {
        struct Item: Codable, Equatable, Sendable {
            var id: Int
        }
        var name: String
        var items: [Item]
        var since: Date
    }

    private let user = User(
        name: "Zoë", items: [.init(id: 1), .init(id: 2)], since: Date(timeIntervalSince1970: 1_000_000))

    private func request(_ method: Request.Method) throws -> Request {
        Request(method, try HTTPURL("http://example.com/a?b=1"))
    }

    private func bytes(_ request: Request) -> [UInt8]? {
        guard case .bytes(let bytes)? = request.body?.segments.first else { return nil }
        return bytes.array
    }

    @Test("A body for the methods that have one, a query for the others, nothing for no parameters")
    func destination() throws {
        let date = Date(timeIntervalSince1970: 0)
        let parameters: Parameters = ["n": 1, "x": 0.5, "on": true, "at": date, "raw": Data([1]), "set": Set([2, 1])]
        let tree: PropertyList = [
            "n": 1, "x": 0.5, "on": true, "at": .date(date), "raw": .data(Data([1])), "set": [1, 2],
        ]
        for format in PropertyList.Format.allCases {
            let serializer = PropertyListRequestSerializer(format: format)
            let made = try serializer.serialized(request(.post), with: parameters)
            expectEqual(made.body?.mediaType, "application/x-plist")
            let body = try #require(bytes(made))
            try expectEqual(PropertyList(parsing: body), tree)
            #expect(body.starts(with: format == .binary ? "bplist00".utf8 : "<?xml".utf8))
            expectEqual(made.url.query, "b=1")
            let asked = try serializer.serialized(request(.get), with: ["c": ["d"]])
            expectNil(asked.body)
            expectEqual(asked.url.query, "b=1&c%5B%5D=d")
            try expectNil(serializer.serialized(request(.post), with: nil).body)
        }
        var styled = PropertyListRequestSerializer()
        styled.style = .afnetworking2
        try expectEqual(
            styled.serialized(request(.put), with: [:]).body?.mediaType, "application/x-plist; charset=utf-8")
    }

    @Test("What has no form is an error with its key path", arguments: PropertyList.Format.allCases)
    func unencodable(format: PropertyList.Format) throws {
        let cases: [(Parameters, String)] = [
            (["a": ["b": Parameters.null]], "a.b"), (["a": [1.0, .nan]], "a[1]"), (["a": Double.infinity], "a"),
        ]
        for (parameters, path) in cases {
            let error = #expect(throws: SternaError.self) {
                try PropertyListRequestSerializer(format: format).serialized(request(.post), with: parameters)
            }
            expectEqual(error?.kind, .encodingFailed)
            expectEqual(error?.phase, .prepare)
            expectEqual(error?.detail.hasSuffix("at \(path)"), true, "\(error?.detail ?? "")")
        }
    }

    @Test("An archive keeps every choice")
    func archive() throws {
        var serializer = PropertyListRequestSerializer(format: .binary, queryMethods: [.get])
        serializer.headers["X-A"] = "b"
        serializer.style = .afnetworking2
        let archive = try JSONEncoder().encode(serializer)
        let restored = try JSONDecoder().decode(PropertyListRequestSerializer.self, from: archive)
        expectEqual(restored.format, .binary)
        expectEqual(restored.queryMethods, [.get])
        expectEqual(restored.headers["X-A"], "b")
        #expect(restored.style.namesCharset)
        let reader = PropertyListResponseSerializer(validation: ResponseValidation(mediaTypes: ["*/*"]))
        try expectEqual(
            JSONDecoder().decode(PropertyListResponseSerializer.self, from: JSONEncoder().encode(reader)), reader)
    }

    @Test("Answers as a tree and as a value, in both forms", arguments: PropertyList.Format.allCases)
    func answers(format: PropertyList.Format) throws {
        let body = try Body.propertyList(user, format: format)
        expectEqual(body.mediaType, "application/x-plist")
        guard case .bytes(let bytes)? = body.segments.first else { return }
        let answer = GivenAnswer(bytes: bytes.array, type: "application/x-plist")
        try expectEqual(answer.read(by: .propertyList)?["items"]?[1]?["id"]?.int, 2)
        try expectEqual(answer.read(by: .propertyList(User.self)), user)
        let json = GivenAnswer(bytes: bytes.array, type: "application/json")
        expectEqual(json.error(of: .propertyList)?.kind, .unacceptableMediaType)
    }

    @Test("An empty body is no value, and an error for a type that has none")
    func empty() throws {
        let answer = GivenAnswer("", type: "application/x-plist", status: 204)
        try expectNil(answer.read(by: .propertyList))
        try expectNil(answer.read(by: .propertyList(User?.self)))
        expectEqual(answer.error(of: .propertyList(User.self))?.kind, .decodingFailed)
        expectNil(GivenAnswer("", type: "text/html").error(of: .propertyList))
    }

    @Test("What does not fit is named with its place")
    func unfit() throws {
        let list = try Body.propertyList(["name": "x", "items": [["id": 1], ["id": "two"]], "since": .date(.now)])
        guard case .bytes(let bytes)? = list.segments.first else { return }
        let answer = GivenAnswer(bytes: bytes.array, type: "application/x-plist")
        let error = try #require(answer.error(of: .propertyList(User.self)))
        expectEqual(error.kind, .decodingFailed)
        #expect(error.detail.contains("items[1].id"), "\(error.detail)")
        let broken = GivenAnswer("<plist>\n<dict><key>a</key></plist>", type: "application/x-plist")
        for error in [broken.error(of: .propertyList), broken.error(of: .propertyList(User.self))] {
            expectEqual(error?.kind, .decodingFailed)
            expectEqual(error?.phase, .decode)
            expectEqual(error?.detail.contains("line 2, column 19"), true, "\(error?.detail ?? "")")
            #expect(error?.body != nil)
        }
        let page = GivenAnswer("<html>no</html>", type: "application/x-plist", status: 500)
        expectEqual(page.error(of: .propertyList)?.kind, .unacceptableStatus)
    }
}
