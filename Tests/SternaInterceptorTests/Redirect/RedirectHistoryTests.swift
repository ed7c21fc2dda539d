import HTTPTypes
import Sterna
import SternaTesting
import Testing

/// Where a request had been led before it failed.
@Suite("Redirect history on errors", .timeLimit(.minutes(5)))
struct RedirectHistoryTests {
    private func session(
        _ server: TestServer, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Session(baseURL: server.url) {
            $0.engine = Engine()
            $0.retry = .none
            configure(&$0)
        }
    }

    /// The steps that an error has, as paths.
    private func paths(_ error: SternaError?) -> [String]? { error?.response?.redirects.map(\.url.path) }

    @Test("Too many: those that were followed, collected and streamed", arguments: [1, 3])
    func tooMany(limit: Int) async throws {
        try await TestServer.withServer { server in
            let api = try session(server) { $0.redirects.limit = limit }
            let followed = (0..<limit).map { "/redirect/\(9 - $0)" }
            let collected = await #expect(throws: SternaError.self) { try await api.get("redirect/9") }
            let streamed = await #expect(throws: SternaError.self) {
                try await api.withResponse(to: .get("redirect/9")) { _ in }
            }
            for error in [collected, streamed] {
                #expect(error?.kind == .tooManyRedirects)
                #expect(paths(error) == followed)
                #expect(error?.response?.redirects.allSatisfy { $0.status == 302 } == true)
                // The one that was not followed is the answer itself.
                #expect(error?.status == 302)
                #expect(error?.response?.url.path == "/redirect/\(9 - limit)")
                #expect(error?.url == server.url("/redirect/\(9 - limit)"))
            }
            #expect(server.requestCount == 2 * (limit + 1))
        }
    }

    @Test("A circle: as many as the limit")
    func circle() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/circle") { _ in .redirect(to: "/circle", status: 307) }
            let api = try session(server)
            let error = await #expect(throws: SternaError.self) { try await api.get("circle") }
            #expect(error?.kind == .tooManyRedirects)
            #expect(paths(error) == Array(repeating: "/circle", count: 20))
            #expect(error?.response?.redirects.last?.status == 307)
        }
    }

    @Test("One that is refused behind others", arguments: ["ftp://other.test/", "http://["])
    func refused(target: String) async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/one") { _ in .redirect(to: "/two", status: 301) }
            server.route("GET", "/two") { _ in .redirect(to: target) }
            let api = try session(server)
            let error = await #expect(throws: SternaError.self) { try await api.get("one") }
            #expect(error?.kind == .redirectRefused)
            #expect(paths(error) == ["/one"])
            #expect(error?.response?.redirects.map(\.status) == [301])
            #expect(error?.url == server.url("/two"))
        }
    }

    @Test("A server that cannot be reached behind others")
    func unreachable() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/one") { _ in .redirect(to: "/two", status: 301) }
            server.route("GET", "/two") { _ in .redirect(to: "http://127.0.0.1:1/gone") }
            let api = try session(server)
            let error = await #expect(throws: SternaError.self) { try await api.get("one") }
            #expect(error?.kind == .connectionFailed)
            #expect(error?.response == nil)
            #expect(error?.redirects.map(\.url.path) == ["/one", "/two"])
            #expect(error?.redirects.map(\.status) == [301, 302])
        }
    }
}
