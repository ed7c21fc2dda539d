import Dispatch
import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Verbs: dictionaries in variables, and Encodable values")
struct DictionaryVerbTests {
    private struct Filter: Encodable {
        var name = "Ada"
        var page: Int? = 2
        var cursor: String?
    }

    private let headers = ["X-B": "2", "X-A": "1"]
    private let parameters = ["b": "2", "a": "1"]
    private let numbers = ["n": 1]

    @Test("Every verb takes them, alone and together")
    func verbs() async throws {
        let (api, mock) = try mocked()
        try await api.get("p", headers: headers)
        try await api.get("p", parameters: parameters)
        try await api.get("p", parameters: parameters, headers: headers)
        try await api.head("p", parameters: numbers, query: parameters, headers: headers)
        try await api.post("p", parameters: parameters, headers: headers)
        try await api.put("p", parameters: ["c": 1] as Parameters, headers: headers)
        try await api.patch("p", parameters: numbers, headers: ["X-A": "1"] as Headers) { $0.priority = .high }
        try await api.delete("p", query: parameters, headers: headers)
        try await api.options("p", headers: headers)
        try await api.request(.post, "p", parameters: parameters, headers: headers)
        let requests = mock.requests
        expectEqual(
            requests.map { $0.url.query ?? $0.bodyText },
            [
                nil, "a=1&b=2", "a=1&b=2", "a=1&b=2&n=1", "a=1&b=2", "c=1", "n=1", "a=1&b=2", nil, "a=1&b=2",
            ])
        for (index, request) in requests.enumerated() where index != 1 {
            expectEqual(request.headers[try #require(.init("X-A"))], "1")
        }
        expectEqual(requests[6].priority, .high)
    }

    @Test("Drafts, uploads and the verbs with callbacks take them, too")
    func others() async throws {
        let (api, mock) = try mocked { $0.callbacks = .queue(DispatchQueue(label: "test")) }
        try await api.withResponse(to: .get("p", parameters: parameters, headers: headers)) { _ in }
        try await api.withResponse(to: RequestDraft(.post, "p", parameters: numbers, headers: headers)) { _ in }
        try await api.upload(.text("t"), to: "p", headers: headers)
        try await api.upload("p", parameters: parameters, headers: headers, multipart: { $0.boundary = "B" })
        let log = CallbackLog<JSON>()
        api.post("p", parameters: parameters, headers: headers, success: log.onSuccess, failure: log.onFailure)
        api.post(
            "p", parameters: numbers, headers: headers, as: JSONResponseSerializer(), success: log.onSuccess,
            failure: log.onFailure)
        api.upload(.text("t"), to: "p", headers: headers, success: log.onSuccess, failure: log.onFailure)
        await log.wait(ends: 3)
        expectEqual(log.values.count, 3)
        expectEqual(mock.requests.count, 7)
        for request in mock.requests { expectEqual(request.headers[try #require(.init("X-B"))], "2") }
        expectEqual(mock.requests[0].url.query, "a=1&b=2")
        expectEqual(mock.requests[1].bodyText, "n=1")
        expectEqual(mock.requests[3].bodyText?.contains("name=\"a\"\r\n\r\n1\r\n--B"), true)
    }

    @Test("A literal keeps its order and its repeated names")
    func literals() async throws {
        let (api, mock) = try mocked { $0.requestSerializer = JSONRequestSerializer() }
        try await api.post("p", parameters: ["z": 1, "a": "x"], headers: ["X-A": "1", "X-A": "2"])
        let request = try #require(mock.requests.first)
        expectEqual(request.bodyText, #"{"z":1,"a":"x"}"#)
        expectEqual(request.headers[values: try #require(.init("X-A"))], ["1", "2"])
        expectEqual(Headers(headers).lines.map(\.name), ["X-A", "X-B"])
    }

    @Test("An Encodable value goes where parameters go, by the serializer's encoder")
    func encodable() async throws {
        let (api, mock) = try mocked { $0.callbacks = .queue(DispatchQueue(label: "test")) }
        try await api.get("p", encoding: Filter(), query: ["q": 1], headers: ["X-A": "1"])
        try await api.post("p", encoding: Filter()) { $0.requestSerializer = JSONRequestSerializer() }
        try await api.put("p", encoding: Filter()) {
            $0.requestSerializer = HTTPRequestSerializer(encoder: QueryEncoder(nulls: .literal, keepsNilMembers: true))
        }
        try await api.post("p", encoding: ["a": [1, 2]])
        let log = CallbackLog<JSON>()
        api.post("p", encoding: Filter(), success: log.onSuccess, failure: log.onFailure)
        api.patch("p", encoding: [1], success: log.onSuccess, failure: log.onFailure)
        await log.wait(ends: 2)
        try await api.with {
            $0.requestSerializer = HTTPRequestSerializer(encoder: QueryEncoder(keepsNilMembers: true))
        }.withResponse(to: RequestDraft(.post, "p", encoding: Filter(page: nil))) { _ in }
        expectEqual(
            Set(mock.requests.map { $0.url.query ?? $0.bodyText }),
            [
                "q=1&name=Ada&page=2", #"{"name":"Ada","page":2}"#, "cursor=null&name=Ada&page=2",
                "a%5B%5D=1&a%5B%5D=2",
                "name=Ada&page=2", "cursor&name=Ada&page",
            ])
        expectEqual(log.errors.first?.kind, .encodingFailed)
        for value in [[1], [2]] {
            let error = await #expect(throws: SternaError.self) { try await api.post("p", encoding: value) }
            expectEqual(error?.kind, .encodingFailed)
        }
        expectEqual(mock.requests.count, 6)
    }
}
