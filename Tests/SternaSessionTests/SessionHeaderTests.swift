import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Header fields of sessions and requests")
struct SessionHeaderTests {
    @Test("Defaults are sent, and can be replaced")
    func defaults() async throws {
        let (api, mock) = try mocked { $0.headers = ["X-Session": "1", "Accept-Language": "de"] }
        try await api.get("a")
        try await api.get("a", headers: ["user-agent": "own", "ACCEPT": "text/csv", "x-session": "2"])
        let first = try #require(mock.requests.first).headers
        expectEqual(first[.userAgent]?.hasPrefix("Sterna/"), true)
        expectEqual(first[.accept], "*/*")
        expectEqual(first[.acceptLanguage], "de")
        let second = try #require(mock.requests.last).headers
        expectEqual(second[values: .userAgent], ["own"])
        expectEqual(second[values: .accept], ["text/csv"])
        expectEqual(second[values: try #require(.init("X-Session"))], ["2"])
        expectEqual(second[.acceptLanguage], "de")
    }

    @Test("The shared session sends them, too")
    func shared() async throws {
        try await TestServer.withServer { server in
            try await Session.shared.get(server.url("/headers"))
            let headers = try #require(server.requests().first).headers
            expectEqual(headers["User-Agent"]?.hasPrefix("Sterna/"), true)
            expectEqual(headers["Accept"], "*/*")
        }
    }

    @Test("A repeated name is sent as a field line of its own")
    func repeated() async throws {
        let (api, mock) = try mocked()
        try await api.get("a", headers: ["X-One": "1", "X-One": "2"])
        expectEqual(mock.requests.first?.headers[values: try #require(.init("X-One"))], ["1", "2"])
    }

    static let bad: [(String, String)] = [
        ("X-Key", "s3cret\r\nX-Evil: 1"), ("X-Key", "s3cret\n"), ("X-Key", "s3cret\u{0}"), ("X-Key", "\rs3cret"),
        ("X-Key", "s3cret\u{7F}"), ("X Key", "s3cret"), ("X-Key:", "s3cret"), ("", "s3cret"), ("X\r\nEvil", "s3cret"),
        ("Schlüssel", "s3cret"), ("X-Key\u{0}", "s3cret"),
    ]

    @Test("A request's field that cannot be sent is refused before connecting, and not shown", arguments: bad)
    func request(name: String, value: String) async throws {
        let (api, mock) = try mocked()
        let error = await #expect(throws: SternaError.self) {
            try await api.get("a", headers: Headers([(name, value)]))
        }
        try check(error)
        #expect(error?.url == "https://api.example.com/v1/a")
        #expect(mock.requests.isEmpty)
    }

    @Test("A session's field that cannot be sent is refused when the session is made", arguments: bad)
    func session(name: String, value: String) throws {
        let error = #expect(throws: SternaError.self) { try Session { $0.headers = Headers([(name, value)]) } }
        try check(error)
    }

    private func check(_ error: SternaError?) throws {
        let error = try #require(error)
        expectEqual(error.kind, .invalidHeader)
        expectEqual(error.phase, .prepare)
        #expect(!error.requestSent)
        #expect(!"\(error)".contains("s3cret"))
        #expect(!dumped(error).contains("s3cret"))
        #expect(!error.description.contains { $0.isNewline })
    }

    @Test("Too many header fields are rejected")
    func many() async throws {
        let (api, mock) = try mocked()
        let headers = Headers((0..<5_000).map { ("X-\($0)", "v") })
        let error = await #expect(throws: SternaError.self) { try await api.get("a", headers: headers) }
        expectEqual(error?.kind, .invalidHeader)
        #expect(mock.requests.isEmpty)
    }

    @Test("A method that is not a token cannot be created", arguments: ["", "GET /", "G\r\nX: 1", "G T"])
    func method(name: String) {
        expectNil(Request.Method(name))
    }

    @Test("The server receives the fields over the network")
    func network() async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.headers = ["X-Trace": "é \t x"]
            }
            try await api.get("headers", headers: ["Empty": ""])
            let headers = try #require(server.requests().first).headers
            expectEqual(headers["X-Trace"], "é \t x")
            expectEqual(headers["Empty"], "")
            expectEqual(headers.all("Host"), ["127.0.0.1:\(server.port)"])
            expectEqual(headers.all("User-Agent").count, 1)
        }
    }
}
