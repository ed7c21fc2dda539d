import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Where a request had been led before it failed.
@Suite("Redirect history on errors", .timeLimit(.minutes(5)))
struct RedirectHistoryTests {
    private func session(
        _ server: TestServer, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Session(baseURL: server.url) {
            $0.network.engine = Engine()
            $0.retry = .none
            configure(&$0)
        }
    }

    /// The steps that an error has, as paths.
    private func paths(_ error: SternaError?) -> [String]? { error?.response?.redirects.map(\.url.path) }

    @Test("The error of too many redirects lists the followed ones, collected and streamed", arguments: [1, 3])
    func tooMany(limit: Int) async throws {
        try await TestServer.withServer { server in
            let api = try session(server) { $0.redirects.limit = limit }
            let followed = (0..<limit).map { "/redirect/\(9 - $0)" }
            let collected = await #expect(throws: SternaError.self) { try await api.get("redirect/9") }
            let streamed = await #expect(throws: SternaError.self) {
                try await api.withResponse(to: .get("redirect/9")) { _ in }
            }
            for error in [collected, streamed] {
                expectEqual(error?.kind, .tooManyRedirects)
                expectEqual(paths(error), followed)
                expectEqual(error?.response?.redirects.allSatisfy { $0.status == 302 }, true)
                // The one that was not followed is the answer itself.
                expectEqual(error?.status, 302)
                expectEqual(error?.response?.url.path, "/redirect/\(9 - limit)")
                expectEqual(error?.url, server.url("/redirect/\(9 - limit)"))
            }
            expectEqual(server.requestCount, 2 * (limit + 1))
        }
    }

    @Test("A circle: as many as the limit")
    func circle() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/circle") { _ in .redirect(to: "/circle", status: 307) }
            let api = try session(server)
            let error = await #expect(throws: SternaError.self) { try await api.get("circle") }
            expectEqual(error?.kind, .tooManyRedirects)
            expectEqual(paths(error), Array(repeating: "/circle", count: 20))
            expectEqual(error?.response?.redirects.last?.status, 307)
        }
    }

    @Test("The error of a refused redirect lists the followed ones", arguments: ["ftp://other.test/", "http://["])
    func refused(target: String) async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/one") { _ in .redirect(to: "/two", status: 301) }
            server.route("GET", "/two") { _ in .redirect(to: target) }
            let api = try session(server)
            let error = await #expect(throws: SternaError.self) { try await api.get("one") }
            expectEqual(error?.kind, .redirectRefused)
            expectEqual(paths(error), ["/one"])
            expectEqual(error?.response?.redirects.map(\.status), [301])
            expectEqual(error?.url, server.url("/two"))
        }
    }

    @Test("A server that cannot be reached behind others")
    func unreachable() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/one") { _ in .redirect(to: "/two", status: 301) }
            server.route("GET", "/two") { _ in .redirect(to: "http://127.0.0.1:1/gone") }
            let api = try session(server)
            let error = await #expect(throws: SternaError.self) { try await api.get("one") }
            expectEqual(error?.kind, .connectionFailed)
            expectNil(error?.response)
            expectEqual(error?.redirects.map(\.url.path), ["/one", "/two"])
            expectEqual(error?.redirects.map(\.status), [301, 302])
        }
    }
}
