import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The styles as a server sees them.
@Suite("Request styles in a session")
struct RequestStyleTests {
    private static let parameters: Parameters = ["b": ["x y", "/?"], "a": ["k": true]]

    /// The style, the query, the form's type.
    static let styles: [(RequestStyle, String, String)] = [
        (
            .afnetworking4, "a%5Bk%5D=1&b%5B%5D=x%20y&b%5B%5D=/?", "application/x-www-form-urlencoded"
        ),
        (
            .afnetworking2, "a[k]=1&b[]=x%20y&b[]=%2F%3F", "application/x-www-form-urlencoded; charset=utf-8"
        ),
        (
            .whatwgForm, "b%5B%5D=x+y&b%5B%5D=%2F%3F&a%5Bk%5D=1", "application/x-www-form-urlencoded"
        ),
    ]

    @Test("Query, form and type on the network", arguments: styles.indices)
    func network(index: Int) async throws {
        let (style, text, type) = Self.styles[index]
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.requestSerializer = HTTPRequestSerializer(style: style)
            }
            try await api.get("anything", parameters: Self.parameters)
            try await api.post("anything", parameters: Self.parameters)
            try await api.post("anything")
            let requests = server.requests()
            expectEqual(requests.map(\.target).first?.hasSuffix("/anything?\(text)"), true)
            expectNil(requests.first?.headers["Content-Type"])
            expectNil(requests.first?.headers["Content-Length"])
            let form = try #require(requests.dropFirst().first)
            expectEqual(form.headers.all("Content-Type"), [type])
            expectEqual(form.headers["Content-Length"], "\(text.utf8.count)")
            let empty = try #require(requests.last)
            expectEqual(empty.headers["Content-Length"], "0")
            expectEqual(empty.headers["Content-Type"], (style.sendsEmptyForm ? type : nil))
        }
    }

    @Test("Query, parameters and a body together")
    func together() async throws {
        let (api, mock) = try mocked { $0.requestSerializer = HTTPRequestSerializer(style: .afnetworking2) }
        try await api.post("a?x=1", parameters: ["p": [1]], query: ["q": [2]])
        try await api.post("a", parameters: ["p": [1]], query: ["q": [2]], body: .text("own", mediaType: "x/y"))
        try await api.get("a", parameters: ["p": [1]], query: ["q": [2]])
        expectEqual(mock.requests.map(\.url.query), ["x=1&q[]=2", "q[]=2&p[]=1", "q[]=2&p[]=1"])
        expectEqual(mock.requests.map(\.givenText), ["p[]=1", "own", nil])
        expectEqual(mock.requests[1].headers[values: .contentType], ["x/y"])
    }

    @Test("JSON for every verb that has a body, the style's query for the others")
    func json() async throws {
        var serializer = JSONRequestSerializer(options: .sortedKeys)
        serializer.style = .afnetworking2
        let (api, mock) = try mocked { $0.requestSerializer = serializer }
        let methods: [Request.Method] = [.get, .head, .delete, .post, .put, .patch, .options]
        for method in methods { try await api.request(method, "a", parameters: ["b": [1], "a": Parameters.null]) }
        expectEqual(mock.requests.map(\.url.query), ["a&b[]=1", "a&b[]=1", "a&b[]=1", nil, nil, nil, nil])
        let text = "{\"a\":null,\"b\":[1]}"
        expectEqual(mock.requests.map(\.givenText), [nil, nil, nil, text, text, text, text])
        expectEqual(
            mock.requests.map { $0.headers[.contentType] },
            [nil, nil, nil] + Array(repeating: "application/json; charset=utf-8", count: 4))
    }

    @Test("The destination of parameters applies to a session's requests")
    func destination() async throws {
        var serializer = HTTPRequestSerializer()
        serializer.destination = .url
        let (api, mock) = try mocked { $0.requestSerializer = serializer }
        try await api.post("a", parameters: ["p": 1])
        serializer.destination = .body
        try await api.get("a", parameters: ["p": 1]) { [serializer] in $0.requestSerializer = serializer }
        expectEqual(mock.requests.map(\.url.query), ["p=1", nil])
        expectEqual(mock.requests.map(\.givenText), [nil, "p=1"])
    }
}
