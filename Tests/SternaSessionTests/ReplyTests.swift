import HTTPTypes
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Values of a reply")
struct ReplyTests {
    private struct User: Codable, Sendable, Equatable {
        struct Tag: Codable, Sendable, Equatable { var id: Int }
        var name: String
        var tags: [Tag]
    }

    private func reply(
        _ body: [UInt8], type: String? = "application/json", status: Int = 200,
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) async throws -> Reply {
        var headers = ServerHeaders()
        if let type { headers[.contentType] = type }
        let answer = ServerResponse(status: status, headers: headers, body: ResponseBody(Bytes(copying: body)))
        return try await mocked(by: MockTransport { _ in answer }, configure).api.get("a?token=s3cret")
    }

    private func reply(_ body: String, type: String? = "application/json") async throws -> Reply {
        try await reply(Array(body.utf8), type: type)
    }

    @Test("A reply has the parts of its response")
    func parts() async throws {
        let reply = try await reply(Array(#"{"a":1}"#.utf8), status: 201)
        expectEqual(reply.status, 201)
        expectEqual(reply.headers[.contentType], "application/json")
        expectEqual(reply.body.text, #"{"a":1}"#)
        try expectEqual(reply.data(), Data(#"{"a":1}"#.utf8))
        expectEqual(reply.url.path, "/v1/a")
        expectEqual(reply.response.body.whole?.text, #"{"a":1}"#)
        try await expectEqual(reply.response.body.collect(upTo: 100).text, #"{"a":1}"#)
    }

    @Test("One reply can be decoded in every way, repeatedly")
    func every() async throws {
        let reply = try await reply(#"{"name":"Sterna","tags":[{"id":1}]}"#)
        for _ in 0..<2 {
            try await expectEqual(reply.json()["tags"][0]["id"].int, 1)
            #expect(try await reply.text().hasPrefix("{"))
            try await expectEqual(reply.decode(User.self), User(name: "Sterna", tags: [.init(id: 1)]))
            let user: User = try await reply.decode()
            expectEqual(user.name, "Sterna")
        }
    }

    @Test("A custom JSONDecoder is used")
    func decoder() async throws {
        struct Event: Decodable { var when: Date }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let event: Event = try await reply(#"{"when":5}"#).decode(decoder: decoder)
        expectEqual(event.when, Date(timeIntervalSince1970: 5))
    }

    @Test("An empty body, or Rails's single space, is null, no text, and no value", arguments: ["", " "])
    func empty(body: String) async throws {
        let reply = try await reply(body)
        try await expectEqual(reply.json(), .null)
        try await expectEqual(reply.text(), body)
        let error = await #expect(throws: SternaError.self) { try await reply.decode(User.self) }
        expectEqual(error?.kind, .decodingFailed)
    }

    @Test("An empty body may have any media type", arguments: [nil, "text/html"])
    func emptyOfAnyType(type: String?) async throws {
        try await expectEqual(reply("", type: type).json(), .null)
    }

    static let texts: [([UInt8], String?, String?)] = [
        (Array("é".utf8), "text/plain", "é"), (Array("é".utf8), nil, "é"),
        ([0xE9], "text/plain; charset=ISO-8859-1", "é"),
        ([0xE9], "text/plain; charset=\"iso-8859-1\"", "é"), ([0x61, 0], "text/plain;charset=utf-16le", "a"),
        ([0xE9], "text/plain", nil), ([0xE9], "text/plain; charset=utf-8", nil),
        ([0x61], "text/plain; charset=klingon", nil),
    ]

    @Test("Text is decoded by its character set, or as UTF-8 if none is named", arguments: texts)
    func text(body: [UInt8], type: String?, expected: String?) async throws {
        let reply = try await reply(body, type: type)
        guard let expected else {
            let error = await #expect(throws: SternaError.self) { try await reply.text() }
            expectEqual(error?.kind, .decodingFailed)
            expectEqual(error?.body?.array, body)
            return
        }
        try await expectEqual(reply.text(), expected)
    }

    @Test("JSON of another media type is refused, with the response and body kept")
    func unacceptable() async throws {
        let reply = try await reply("<html>", type: "text/html; charset=utf-8")
        let tree = await #expect(throws: SternaError.self) { try await reply.json() }
        let value = await #expect(throws: SternaError.self) { try await reply.decode(User.self) }
        for error in [tree, value] {
            expectEqual(error?.kind, .unacceptableMediaType)
            expectEqual(error?.phase, .decode)
            expectEqual(error?.status, 200)
            expectEqual(error?.body?.text, "<html>")
            expectEqual(error?.requestSent, true)
            #expect(error?.url == "https://api.example.com/v1/a?token=***")
            expectEqual(error?.description.contains("text/html"), true)
        }
        try await expectEqual(reply.text(), "<html>")
    }

    @Test("The session's media types apply to json and decode")
    func ownTypes() async throws {
        let configure: (inout SessionSettings) -> Void = {
            $0.responseSerializer = JSONResponseSerializer(
                validation: ResponseValidation(mediaTypes: ["application/vnd.own+json"]))
        }
        try await expectEqual(reply(Array("[1]".utf8), type: "application/vnd.own+json", configure).json()[0].int, 1)
        let other = try await reply(Array("[1]".utf8), type: "application/json", configure)
        await #expect(throws: SternaError.self) { try await other.json() }
    }

    static let broken: [(String, [String])] = [
        (#"{"name":5,"tags":[]}"#, ["name"]),
        (#"{"name":"x"}"#, ["tags"]),
        (#"{"name":"x","tags":[{"id":1},{"id":"two"}]}"#, ["tags[1].id"]),
        (#"{"name":"x","tags":[{"id":1},{}]}"#, ["tags[1]", "id"]),
        (#"{"name":null,"tags":[]}"#, ["name"]),
        (#"[]"#, []),
        (#"{"name":"#, []),
    ]

    @Test("An error of decoding names the member that did not fit", arguments: broken)
    func member(body: String, places: [String]) async throws {
        let reply = try await reply(body)
        let error = try #require(await #expect(throws: SternaError.self) { try await reply.decode(User.self) })
        expectEqual(error.kind, .decodingFailed)
        expectEqual(error.phase, .decode)
        for place in places { #expect(error.detail.contains(place)) }
        #expect(error.underlying is DecodingError || error.underlying is JSON.ParseError)
        expectEqual(error.body?.text, body)
        expectEqual(error.status, 200)
        #expect(error.url == "https://api.example.com/v1/a?token=***")
        #expect(!error.description.contains { $0.isNewline })
    }

    @Test("A member's name in an error stays on its line and short")
    func memberName() async throws {
        let name = #"a\nb\u2028"# + String(repeating: "x", count: 500)
        let reply = try await reply(#"{"\#(name)":"text"}"#)
        let error = try #require(await #expect(throws: SternaError.self) { try await reply.decode([String: Int].self) })
        #expect(!error.description.contains { $0.isNewline })
        #expect(error.detail.count < 400)
    }

    @Test("Text that is not JSON is an error that keeps the body", arguments: ["{", "nul", "{}x", "'a'"])
    func notJSON(body: String) async throws {
        let reply = try await reply(body)
        let error = await #expect(throws: SternaError.self) { try await reply.json() }
        expectEqual(error?.kind, .decodingFailed)
        expectEqual(error?.body?.text, body)
        #expect(error?.response != nil)
    }

    @Test("A custom serializer makes the value, and its errors become SternaErrors")
    func ownSerializer() async throws {
        struct Count: ResponseSerializer {
            var validation = ResponseValidation(mediaTypes: ["text/x"])
            func value(of response: Response, body: Bytes) throws -> Int {
                guard body.count > 2 else { throw CountError() }
                return body.count
            }
        }
        struct CountError: Error {}
        try await expectEqual(reply("abc", type: "text/x").value(by: Count()), 3)
        let short = try await reply("a", type: "text/x")
        let error = await #expect(throws: SternaError.self) { try await short.value(by: Count()) }
        expectEqual(error?.kind, .decodingFailed)
        #expect(error?.underlying is CountError)
        let other = try await reply("abc", type: "text/y")
        let refused = await #expect(throws: SternaError.self) { try await other.value(by: Count()) }
        expectEqual(refused?.kind, .unacceptableMediaType)
    }

    @Test("A body above the limit on collected bytes is rejected", arguments: [(9, false), (10, true)])
    func limit(limit: Int, fits: Bool) async throws {
        let body = Array("0123456789".utf8)
        if fits {
            try await expectEqual(reply(body, type: nil) { $0.limits.collectedBytes = limit }.body.count, 10)
        } else {
            let error = await #expect(throws: SternaError.self) {
                try await reply(body, type: nil) { $0.limits.collectedBytes = limit }
            }
            expectEqual(error?.kind, .limitExceeded)
            #expect(error?.url == "https://api.example.com/v1/a?token=***")
            expectEqual(error?.requestSent, true)
        }
    }
}
