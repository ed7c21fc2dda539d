import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Verbs")
struct SessionVerbTests {
    private let formType = "application/x-www-form-urlencoded"

    @Test("Each verb sends its method")
    func methods() async throws {
        let (api, mock) = try mocked()
        try await api.get("a")
        try await api.head("a")
        try await api.post("a")
        try await api.put("a")
        try await api.patch("a")
        try await api.delete("a")
        try await api.options("a")
        try await api.request(try #require(.init("PROPFIND")), "a")
        expectEqual(
            mock.requests.map(\.method.rawValue),
            [
                "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND",
            ])
        #expect(mock.requests.allSatisfy { $0.url.description == "https://api.example.com/v1/a" })
    }

    @Test("GET, HEAD and DELETE encode parameters in the URL")
    func inURL() async throws {
        let (api, mock) = try mocked()
        for session in [api, api.with { $0.requestSerializer = .json }] {
            try await session.get("a", parameters: ["b": 1, "a": ["x", "y"]])
            try await session.head("a", parameters: ["b": 1, "a": ["x", "y"]])
            try await session.delete("a", parameters: ["b": 1, "a": ["x", "y"]])
        }
        expectEqual(mock.requests.count, 6)
        for request in mock.requests {
            expectEqual(request.url.requestTarget, "/v1/a?a%5B%5D=x&a%5B%5D=y&b=1")
            expectNil(request.body)
            expectNil(request.headers[.contentType])
        }
    }

    @Test("The other methods encode them in the body")
    func inBody() async throws {
        let (api, mock) = try mocked()
        try await api.post("a", parameters: ["b": 1, "a": 2])
        try await api.put("a", parameters: ["b": 1, "a": 2])
        try await api.patch("a", parameters: ["b": 1, "a": 2])
        try await api.request(try #require(.init("PROPFIND")), "a", parameters: ["b": 1, "a": 2])
        for request in mock.requests {
            expectEqual(request.url.requestTarget, "/v1/a")
            expectEqual(request.givenText, "a=2&b=1")
            expectEqual(request.headers[.contentType], formType)
        }
    }

    @Test("The session's or the request's serializer encodes them as JSON")
    func json() async throws {
        let (api, mock) = try mocked()
        try await api.with { $0.requestSerializer = .json }.post("a", parameters: ["b": [1, 2]])
        try await api.post("a", parameters: ["b": [1, 2]]) { $0.requestSerializer = .json }
        for request in mock.requests {
            expectEqual(request.givenText, #"{"b":[1,2]}"#)
            expectEqual(request.headers[.contentType], "application/json")
        }
    }

    @Test("A POST without parameters has AFNetworking's empty form, as JSON nothing")
    func empty() async throws {
        let (api, mock) = try mocked()
        try await api.post("a")
        try await api.with { $0.requestSerializer = .json }.post("a")
        try await api.delete("a")
        expectEqual(mock.requests.map(\.givenText), ["", nil, nil])
        expectEqual(mock.requests.map { $0.headers[.contentType] }, [formType, nil, nil])
    }

    @Test("query: always goes into the URL, before parameters and after the reference's own query")
    func query() async throws {
        let (api, mock) = try mocked()
        try await api.get("a?x=0", parameters: ["p": 1], query: ["q": 2])
        try await api.post("a?x=0", parameters: ["p": 1], query: ["q": 2])
        try await api.post("a", query: ["k": Parameters.null, "e": [String]()])
        try await api.get("a", parameters: [:], query: [:])
        expectEqual(mock.requests.map(\.url.requestTarget), ["/v1/a?x=0&q=2&p=1", "/v1/a?x=0&q=2", "/v1/a?k", "/v1/a"])
        expectEqual(mock.requests.map(\.givenText), [nil, "p=1", "", nil])
    }

    @Test("A body takes precedence, and parameters then go into the query")
    func body() async throws {
        let (api, mock) = try mocked()
        try await api.post("a", parameters: ["p": 1], body: .text("hello"))
        try await api.put("a", body: .bytes([1, 2]))
        try await api.put("a", body: try .json(["k": "v"]))
        try await api.delete("a", body: .text("x", mediaType: "a/b"))
        expectEqual(mock.requests.map(\.url.requestTarget), ["/v1/a?p=1", "/v1/a", "/v1/a", "/v1/a"])
        expectEqual(mock.requests.map(\.givenText), ["hello", "\u{1}\u{2}", #"{"k":"v"}"#, "x"])
        expectEqual(
            mock.requests.map { $0.headers[.contentType] },
            [
                "text/plain; charset=utf-8", nil, "application/json", "a/b",
            ])
    }

    @Test(
        "A Content-Type of the caller's takes precedence, the request's over the session's", arguments: [false, true])
    func contentType(json: Bool) async throws {
        let (api, mock) = try mocked { if json { $0.requestSerializer = .json } }
        try await api.post("a", parameters: ["p": 1], headers: ["content-type": "x/y"])
        let session = api.with { $0.headers["Content-Type"] = "s/t" }
        try await session.post("a", parameters: ["p": 1])
        try await session.post("a", body: .text("t"), headers: ["Content-Type": "u/v"])
        expectEqual(mock.requests.map { $0.headers[values: .contentType] }, [["x/y"], ["s/t"], ["u/v"]])
    }

    @Test("Drafts and verbs send the same")
    func drafts() async throws {
        let (api, mock) = try mocked()
        let drafts: [RequestDraft] = [
            .get("a", parameters: ["p": 1]), .head("a"), .post("a", parameters: ["p": 1]), .put("a", body: .text("x")),
            .patch("a", query: ["q": 1]), .delete("a", parameters: ["p": 1]),
        ]
        for draft in drafts { try await api.send(draft) }
        expectEqual(mock.requests.map(\.method.rawValue), ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
        expectEqual(
            mock.requests.map(\.url.requestTarget),
            [
                "/v1/a?p=1", "/v1/a", "/v1/a", "/v1/a", "/v1/a?q=1", "/v1/a?p=1",
            ])
        expectEqual(mock.requests.map(\.givenText), [nil, nil, "p=1", "x", "", nil])
    }

    @Test("Parameters that cannot be encoded fail before anything is sent, with method and URL")
    func unencodable() async throws {
        let (api, mock) = try mocked { $0.requestSerializer = .json }
        let error = await #expect(throws: SternaError.self) {
            try await api.post("a?token=s3cret", parameters: ["n": Double.nan])
        }
        expectEqual(error?.kind, .encodingFailed)
        expectEqual(error?.requestSent, false)
        expectEqual(error?.method, .post)
        #expect(error?.url == "https://api.example.com/v1/a?token=***")
        #expect(mock.requests.isEmpty)
    }

    @Test("Each verb arrives as its method over the network")
    func network() async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }
            let parameters: Parameters = ["name": "Sterna", "phone": ["mobile": "xx"], "families": ["father"]]
            let got = try await api.get("get", parameters: parameters).json()
            expectEqual(got["args"]["phone[mobile]"].string, "xx")
            let posted = try await api.post("post", parameters: parameters).json()
            expectEqual(posted["form"]["families[]"].string, "father")
            let put = try await api.put("put", parameters: parameters) { $0.requestSerializer = .json }.json()
            expectEqual(put["json"]["phone"]["mobile"].string, "xx")
            try await expectEqual(api.delete("delete", parameters: ["a": 1]).json()["args"]["a"].string, "1")
            #expect(try await api.head("get").body.isEmpty)
            let found = try await api.request(try #require(.init("PROPFIND")), "anything", body: .text("x")).json()
            expectEqual(found["method"].string, "PROPFIND")
            expectEqual(found["data"].string, "x")
            let empty = try await api.post("post").json()
            expectEqual(empty["headers"]["Content-Length"].string, "0")
            let methods = server.requests().map(\.method)
            expectEqual(methods, ["GET", "POST", "PUT", "DELETE", "HEAD", "PROPFIND", "POST"])
        }
    }
}
