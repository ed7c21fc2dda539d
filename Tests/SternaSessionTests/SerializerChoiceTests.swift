import SternaPlatform
import SternaPropertyList
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// The call's serializer, else the request's, else the session's, else JSON.
@Suite("Which response serializer reads a response")
struct SerializerChoiceTests {
    private struct User: Codable, Sendable, Equatable {
        var userName: String
    }

    /// A format of a program's own.
    private struct Lines: ResponseSerializer {
        var validation = ResponseValidation(mediaTypes: ["text/x-lines"])
        func value(of response: Response, body: Bytes) throws -> [String] {
            body.text.split(separator: "\n").map(String.init)
        }
    }

    private static func name(_ serializer: any ResponseSerializer) -> String { "\(type(of: serializer))" }

    static let order: [(Bool, Bool, Bool, String)] = [
        (false, false, false, "JSONResponseSerializer"), (false, false, true, "PropertyListResponseSerializer"),
        (false, true, false, "TextResponseSerializer"), (false, true, true, "TextResponseSerializer"),
        (true, false, false, "DataResponseSerializer"), (true, false, true, "DataResponseSerializer"),
        (true, true, false, "DataResponseSerializer"), (true, true, true, "DataResponseSerializer"),
    ]

    @Test("The call's serializer comes first, then the request's, the session's, and JSON", arguments: order)
    func precedence(call: Bool, request: Bool, session: Bool, expected: String) {
        let own: (any ResponseSerializer)? = call ? DataResponseSerializer() : nil
        let ofRequest: (any ResponseSerializer)? = request ? TextResponseSerializer() : nil
        let ofSession: (any ResponseSerializer)? = session ? PropertyListResponseSerializer() : nil
        let choice = SerializerChoice(call: own, request: ofRequest, session: ofSession)
        expectEqual(Self.name(choice.serializer), expected)
    }

    /// The chosen serializer, and those that `json()`, `text()`, `data()` and `propertyList()` read with.
    static let readers: [(any ResponseSerializer, [String])] = [
        (.json, ["json", "text", "data", "list"]),
        (.text, ["json", "own", "data", "list"]),
        (.data, ["json", "text", "own", "list"]),
        (.imageData, ["json", "text", "own", "list"]),
        (.propertyList, ["json", "text", "data", "own"]),
        (.decodable(User.self), ["json", "text", "data", "list"]),
        (.propertyList(User.self), ["json", "text", "data", "list"]),
        (Lines(), ["json", "text", "data", "list"]),
        (Lines().map { $0.joined() }, ["json", "own", "data", "list"]),
        (Lines().map { JSON.array($0.map { .string($0) }) }, ["own", "text", "data", "list"]),
        (JSONResponseSerializer().map { $0["a"] }, ["own", "text", "data", "list"]),
        (TextResponseSerializer().validating(mediaTypes: ["a/b"]), ["json", "own", "data", "list"]),
        (ImageDataResponseSerializer().map(\.count), ["json", "text", "image", "list"]),
        (EmptyResponseSerializer(), ["json", "text", "data", "list"]),
    ]

    @Test(
        "Values are read by the chosen serializer if it makes them, otherwise by the standard one",
        arguments: readers.indices)
    func reader(index: Int) {
        let (serializer, expected) = Self.readers[index]
        let choice = SerializerChoice(request: serializer, session: .json)
        let found: [any ResponseSerializer] = [choice.json, choice.text, choice.data, choice.trees(.propertyList)]
        let standard = [
            "json": "JSONResponseSerializer", "text": "TextResponseSerializer", "data": "DataResponseSerializer",
            "list": "PropertyListResponseSerializer", "image": "ImageDataResponseSerializer",
            "own": Self.name(serializer),
        ]
        expectEqual(found.map { Self.name($0) }, expected.map { standard[$0] ?? "?" })
    }

    @Test("A serializer that is derived from the chosen one accepts the same responses")
    func validations() {
        let json = JSONResponseSerializer(removesNulls: true).map { User(userName: $0["a"].string ?? "") }
            .validating(mediaTypes: ["a/b"])
        let choice = SerializerChoice(request: json, session: .json)
        expectEqual(choice.json.validation.mediaTypes, ["a/b"])
        expectEqual((choice.json as? JSONResponseSerializer)?.removesNulls, true)
        let image = ImageDataResponseSerializer().map(\.count).validating(mediaTypes: ["image/png"])
        expectEqual(SerializerChoice(request: image, session: .json).data.validation.mediaTypes, ["image/png"])
        let list = DecodablePropertyListResponseSerializer<User>().validating(statuses: [404])
        expectEqual(SerializerChoice(request: list, session: .json).trees(.propertyList).validation.statuses, [404])
    }

    // MARK: Replies

    private func reply(
        _ body: String, type: String, session: any ResponseSerializer = JSONResponseSerializer(),
        request: (any ResponseSerializer)? = nil
    ) async throws -> Reply {
        let api = try mocked(by: MockTransport { _ in .text(body, mediaType: type) }) {
            $0.decoding = DecodingSettings(keys: .snakeCase)
            $0.responseSerializer = session
        }.api
        return try await api.get("a") { if let request { $0.responseSerializer = request } }
    }

    private func kind<T>(_ work: () throws(SternaError) -> T) -> SternaError.Kind? {
        do throws(SternaError) {
            _ = try work()
            return nil
        } catch {
            return error.kind
        }
    }

    @Test("data() of imageData rejects an HTML page, as the session's and as the request's serializer")
    func images() async throws {
        for reply in [
            try await reply("<p>", type: "text/html", session: .imageData),
            try await reply("<p>", type: "text/html", request: .imageData),
        ] {
            expectEqual(kind { () throws(SternaError) in try reply.data() }, .unacceptableMediaType)
            expectEqual(reply.body.text, "<p>")
            try await expectEqual(reply.value(by: .data), Data("<p>".utf8))
        }
        let photo = try await reply("x", type: "image/png", session: .imageData)
        try expectEqual(photo.data(), Data("x".utf8))
        let page = try await reply("<p>", type: "text/html", session: .imageData, request: .data)
        try expectEqual(page.data(), Data("<p>".utf8))
        try await expectEqual(reply("<p>", type: "text/html").data(), Data("<p>".utf8))
    }

    @Test("decode() reads JSON, by the session's settings, unless the serializer decodes")
    func decode() async throws {
        let json = #"{"user_name":"Ada"}"#
        for serializer: any ResponseSerializer in [.json, .text, .data, .decodable([Int].self), Lines()] {
            let reply = try await reply(json, type: "application/json", session: serializer)
            try await expectEqual(reply.decode(User.self), User(userName: "Ada"))
            try await expectEqual(reply.json(), ["user_name": "Ada"])
        }
        let envelope = JSONResponseSerializer().map { $0["data"] }
        let wrapped = try await reply(#"{"data":\#(json)}"#, type: "application/json", session: envelope)
        try await expectEqual(wrapped.decode(User.self), User(userName: "Ada"))
        try await expectEqual(wrapped.json(), ["user_name": "Ada"])

        let plist =
            #"<?xml version="1.0"?><plist version="1.0"><dict><key>userName</key><string>Ada</string></dict></plist>"#
        for serializer: any ResponseSerializer in [.propertyList, .propertyList([Int].self)] {
            let reply = try await reply(plist, type: "application/x-plist", session: serializer)
            try await expectEqual(reply.decode(User.self), User(userName: "Ada"))
            try await expectEqual(reply.propertyList(), ["userName": "Ada"])
        }
        let list = try await reply(plist, type: "application/x-plist")
        expectEqual(kind { () throws(SternaError) in try list.decode(User.self) }, .unacceptableMediaType)

        let lines = try await reply("a\nb", type: "text/x-lines", session: Lines())
        try await expectEqual(lines.decode([String].self), ["a", "b"])
        expectEqual(kind { () throws(SternaError) in try lines.decode([Int].self) }, .unacceptableMediaType)
        // Text and bytes are no decoded values.
        let quoted = try await reply(#""a""#, type: "application/json", session: .text)
        try await expectEqual(quoted.decode(String.self), "a")
        try await expectEqual(quoted.text(), #""a""#)
    }

    @Test("The decoding of a serializer comes before the session's")
    func decoding() async throws {
        let own: DecodableResponseSerializer<[User]> = .decodable(
            [User].self, DecodingSettings(keys: .custom { _ in PlainKey(stringValue: "userName") }))
        let reply = try await reply(#"{"NAME":"Ada"}"#, type: "application/json", request: own)
        try await expectEqual(reply.decode(User.self), User(userName: "Ada"))
    }

    private struct PlainKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    @Test("json() accepts any +json and a missing media type, if the body is JSON")
    func types() async throws {
        for type in ["application/problem+json", "application/vnd.api+json; charset=utf-8"] {
            let reply = try await reply(#"{"user_name":"Ada"}"#, type: type)
            try await expectEqual(reply.json()["user_name"], "Ada")
            try await expectEqual(reply.decode(User.self), User(userName: "Ada"))
        }
        let untyped: [(String, SternaError.Kind?)] = [("[1]", nil), ("<p>", .decodingFailed)]
        for (body, kind) in untyped {
            let (api, _) = try mocked(by: MockTransport { _ in .init(body: ResponseBody(Bytes(text: body))) })
            let reply = try await api.get("a")
            expectEqual(self.kind { () throws(SternaError) -> JSON in try reply.json() }, kind)
        }
    }

    @Test("The fields that a server refuses are in the error's message")
    func fields() async throws {
        let body = #"{"title":"Invalid.","errors":{"email":["is taken"],"password":["'hunter2' is short"]}}"#
        let (api, _) = try mocked(
            by: MockTransport { _ in .text(body, mediaType: "application/problem+json", status: 422) })
        let error = try #require(await #expect(throws: SternaError.self) { try await api.post("users") })
        expectEqual(error.message, "Invalid (email: is taken; password: '***' is short)")
        expectEqual(error.json?["errors"]["email"][0], "is taken")
        #expect(error.value is JSON)
        #expect(!error.description.contains("hunter2"))
    }
}
