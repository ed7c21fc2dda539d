import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Which header field is sent where session, serializer and request have one of the name.
@Suite("Request serializers: precedence of header fields")
struct SerializerPrecedenceTests {
    private func name(_ text: String) throws -> HTTPField.Name { try #require(HTTPField.Name(text)) }

    private func serializer(_ headers: Headers) -> HTTPRequestSerializer {
        var serializer = HTTPRequestSerializer()
        serializer.headers = headers
        return serializer
    }

    /// The serializer's, the session's, the request's, and what is sent.
    static let levels: [(Headers, Headers, Headers, [String])] = [
        (["X-A": "serializer"], [:], [:], ["serializer"]),
        (["X-A": "serializer"], ["x-a": "session"], [:], ["session"]),
        (["X-A": "serializer"], [:], ["x-A": "request"], ["request"]),
        (["X-A": "serializer"], ["x-a": "session"], ["X-a": "request"], ["request"]),
        (["X-A": "1", "x-a": "2"], [:], [:], ["1", "2"]),
        (["X-A": "1", "x-a": "2"], ["X-A": "session"], [:], ["session"]),
        (["X-A": "serializer"], ["X-A": "1", "X-A": "2"], [:], ["1", "2"]),
        (["X-A": "serializer"], ["X-A": ""], [:], [""]),
        (["X-A": "serializer"], [:], ["X-A": ""], [""]),
    ]

    @Test("The request's fields replace the session's, which replace the serializer's", arguments: levels.indices)
    func order(index: Int) async throws {
        let (own, session, request, expected) = Self.levels[index]
        let (api, mock) = try mocked {
            $0.requestSerializer = serializer(own)
            $0.headers = session
        }
        try await api.get("a", headers: request)
        try await api.post("a", parameters: ["k": 1], headers: request)
        for sent in mock.requests { expectEqual(sent.headers[values: try name("X-A")], expected) }
        expectEqual(mock.requests.count, 2)
    }

    @Test("A Content-Type of the session, the serializer or the request is kept")
    func contentType() async throws {
        let own = serializer(["Content-Type": "x/serializer"])
        let levels: [(HTTPRequestSerializer, Headers, Headers, String)] = [
            (serializer([:]), [:], [:], "application/x-www-form-urlencoded"),
            (own, [:], [:], "x/serializer"),
            (own, ["content-type": "x/session"], [:], "x/session"),
            (own, ["content-type": "x/session"], ["CONTENT-TYPE": "x/request"], "x/request"),
        ]
        for (form, session, request, expected) in levels {
            let (api, mock) = try mocked {
                $0.requestSerializer = form
                $0.headers = session
            }
            try await api.post("a", parameters: ["k": 1], headers: request)
            expectEqual(mock.requests.first?.headers[values: .contentType], [expected])
        }
    }

    @Test("User-Agent and Accept-Language can be removed or replaced")
    func standard() async throws {
        let (api, mock) = try mocked { $0.requestSerializer = serializer(["User-Agent": "own/1"]) }
        try await api.get("a")
        try await api.get("a", headers: ["user-agent": "request/1"])
        expectEqual(mock.requests.map { $0.headers[values: .userAgent] }, [["own/1"], ["request/1"]])
        expectNil(mock.requests.first?.headers[.acceptLanguage])
    }

    @Test("A request's own serializer replaces the session's, its fields and its defaults")
    func perRequest() async throws {
        var json = JSONRequestSerializer()
        json.headers = ["X-B": "json"]
        let (api, mock) = try mocked {
            $0.requestSerializer = serializer(["X-A": "session's", "Accept-Language": "de", "Accept-Encoding": "br"])
            $0.headers = ["X-C": "session"]
        }
        try await api.post("a", parameters: ["k": 1]) { $0.requestSerializer = json }
        try await api.post("a", parameters: ["k": 1])
        let first = try #require(mock.requests.first)
        expectNil(first.headers[try name("X-A")])
        expectNil(first.headers[.acceptLanguage])
        #expect(first.headers[.acceptEncoding] != "br")
        expectEqual(first.headers[values: try name("X-B")], ["json"])
        expectEqual(first.headers[values: try name("X-C")], ["session"])
        expectEqual(first.headers[values: .contentType], ["application/json"])
        expectEqual(first.headers[values: .userAgent].count, 1)
        expectEqual(first.givenText, "{\"k\":1}")
        let second = try #require(mock.requests.last)
        expectEqual(second.headers[values: try name("X-A")], ["session's"])
        expectNil(second.headers[try name("X-B")])
        expectEqual(second.givenText, "k=1")
    }

    private struct Own: RequestSerializer {
        func prepare(_ request: inout Request) throws {
            if let name = HTTPField.Name("X-Own") { request.headers[name] = "1" }
        }

        func serialize(_ parameters: Parameters?, into request: inout Request) throws {
            guard let parameters else { return }
            request.body = .text(parameters.keys.joined(separator: "|"), mediaType: "x/own")
        }
    }

    @Test("A custom serializer, as the session's and as a request's")
    func custom() async throws {
        let (api, mock) = try mocked { $0.requestSerializer = Own() }
        try await api.post("a", parameters: ["k": 1, "l": 2], query: ["q": [1]])
        let (other, otherMock) = try mocked { $0.requestSerializer = serializer(["X-A": "1"]) }
        try await other.post("a", parameters: ["k": 1, "l": 2], query: ["q": [1]]) { $0.requestSerializer = Own() }
        for request in [try #require(mock.requests.first), try #require(otherMock.requests.first)] {
            expectEqual(request.givenText, "k|l")
            expectEqual(request.url.query, "q%5B%5D=1")
            expectEqual(request.headers[values: .contentType], ["x/own"])
            expectEqual(request.headers[try name("X-Own")], "1")
            expectNil(request.headers[try name("X-A")])
            #expect(request.headers[.userAgent] != nil)
        }
    }
}
