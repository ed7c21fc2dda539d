import Dispatch
import HTTPTypes
import Sterna
import SternaPlatform
import SternaPropertyList
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Verbs: values as JSON and as forms, and dictionaries in variables")
struct GivenContentTests {
    private struct Filter: Encodable {
        var name = "Ada"
        var page: Int? = 2
        var cursor: String?
    }

    private struct Order: Encodable {
        var id = 7
        var placed = Date(timeIntervalSince1970: 0)
        var total = Decimal(string: "12.10") ?? 0
        var lines = [Filter()]
    }

    /// Returns the body and the media type of what a draft becomes.
    private func sent(_ draft: RequestDraft, _ configure: (inout SessionSettings) -> Void = { _ in }) throws -> [String]
    {
        let request = try mocked { configure(&$0) }.api.request(for: draft)
        return [request.givenText ?? "", request.headers["Content-Type"] ?? ""]
    }

    private let json = "application/json"
    private let form = "application/x-www-form-urlencoded"

    @Test("JSON: a literal keeps its order; dictionaries, arrays, trees and Encodable values")
    func values() throws {
        let name = "Ada"
        expectEqual(
            try sent(
                .post("p", json: ["user": name, "n": 1, "tags": ["a"], "nested": ["z": 1, "a": true] as Parameters])),
            [#"{"user":"Ada","n":1,"tags":["a"],"nested":{"z":1,"a":true}}"#, json])
        let ages = ["b": 2, "a": 1]
        expectEqual(try sent(.put("p", json: ages)), [#"{"a":1,"b":2}"#, json])
        expectEqual(try sent(.patch("p", json: [1, 2, 3])), ["[1,2,3]", json])
        expectEqual(try sent(.delete("p", json: [:])), ["{}", json])
        let tree = try JSON(parsing: #"{"n":1.00,"big":123456789012345678901234567890}"#)
        expectEqual(try sent(.post("p", json: tree)), [try tree.serializedString(), json])
        expectEqual(try sent(.post("p", json: Filter())), [#"{"name":"Ada","page":2}"#, json])
        expectEqual(
            try sent(.post("p", json: Order())),
            [#"{"id":7,"placed":"1970-01-01T00:00:00Z","total":12.1,"lines":[{"name":"Ada","page":2}]}"#, json])
    }

    @Test("Forms: a literal, a dictionary or an Encodable value; a list fails")
    func forms() throws {
        expectEqual(
            try sent(.post("p", form: ["user": "a b", "tags": ["x", "y"]])),
            ["tags%5B%5D=x&tags%5B%5D=y&user=a%20b", form])
        let ages = ["b": 2, "a": 1]
        expectEqual(try sent(.post("p", form: ages)), ["a=1&b=2", form])
        expectEqual(try sent(.post("p", form: Filter())), ["name=Ada&page=2", form])
        expectEqual(try sent(.post("p", form: [:])), ["", form])
        let error = #expect(throws: SternaError.self) { try sent(.post("p", form: [1, 2])) }
        expectEqual(error?.kind, .encodingFailed)
        #expect(error?.message.contains("json:") == true)
    }

    @Test("The format does not depend on the session's serializer, but uses its encoder's options")
    func serializers() throws {
        let draft = RequestDraft(.post, "p", json: Filter())
        for serializer: any RequestSerializer in [HTTPRequestSerializer(), PropertyListRequestSerializer()] {
            expectEqual(try sent(draft) { $0.requestSerializer = serializer }, [#"{"name":"Ada","page":2}"#, json])
        }
        let keeping = HTTPRequestSerializer(encoder: QueryEncoder(nulls: .literal, keepsNilMembers: true))
        expectEqual(
            try sent(draft) { $0.requestSerializer = keeping }, [#"{"name":"Ada","page":2,"cursor":null}"#, json])
        expectEqual(
            try sent(.post("p", form: Filter())) { $0.requestSerializer = keeping },
            ["cursor=null&name=Ada&page=2", form])
        expectEqual(
            try sent(.post("p", json: ["b": 1, "a": 2])) {
                $0.requestSerializer = JSONRequestSerializer(options: .sortedKeys)
            }, [#"{"a":2,"b":1}"#, json])
        expectEqual(
            try sent(.post("p", form: ["a": 1])) { $0.requestSerializer = JSONRequestSerializer() }, ["a=1", form])
    }

    @Test("A value that cannot be encoded fails the request when it is sent")
    func failures() async throws {
        struct Broken: Encodable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(1, .init(codingPath: [], debugDescription: "no way"))
            }
        }
        let (api, mock) = try mocked { $0.callbacks = .queue(DispatchQueue(label: "test")) }
        let error = await #expect(throws: SternaError.self) { try await api.post("p", json: Broken()) }
        expectEqual(error?.kind, .encodingFailed)
        expectEqual(error?.method, .post)
        let number = await #expect(throws: SternaError.self) { try await api.post("p", json: ["n": Double.nan]) }
        expectEqual(number?.kind, .encodingFailed)
        let log = CallbackLog<JSON>()
        let task = api.post("p", json: Broken(), success: log.onSuccess, failure: log.onFailure)
        await log.wait(ends: 1)
        expectNil(task)
        expectEqual(log.errors.first?.kind, .encodingFailed)
        expectEqual(mock.requests.count, 0)
    }

    @Test("A body that is set later replaces the value")
    func replaced() throws {
        var draft = RequestDraft(.post, "p", json: ["a": 1])
        draft.body = .text("b")
        expectEqual(try sent(draft), ["b", "text/plain; charset=utf-8"])
    }

    @Test("Variables of dictionaries, in ascending order of their keys")
    func variables() async throws {
        let (api, mock) = try mocked()
        let (parameters, headers) = (["b": "2", "a": "1"], ["X-B": "2", "X-A": "1"])
        try await api.get("p", parameters: Parameters(parameters), headers: Headers(headers))
        let request = try #require(mock.requests.first)
        expectEqual(request.url.query, "a=1&b=2")
        expectEqual(request.headers["X-B"], "2")
        expectEqual(Headers(headers).lines.map(\.name), ["X-A", "X-B"])
    }

    @Test("A literal keeps its order and its repeated names")
    func literals() async throws {
        let (api, mock) = try mocked { $0.requestSerializer = JSONRequestSerializer() }
        try await api.post("p", parameters: ["z": 1, "a": "x"], headers: ["X-A": "1", "X-A": "2"])
        let request = try #require(mock.requests.first)
        expectEqual(request.givenText, #"{"z":1,"a":"x"}"#)
        expectEqual(request.headers[values: try #require(.init("X-A"))], ["1", "2"])
    }
}
