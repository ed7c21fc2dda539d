import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// A redirect does not begin the time of a request anew.
@Suite("Redirects and time", .timeLimit(.minutes(5)))
struct RedirectTimeTests {
    @Test("The total time-out goes on over redirects")
    func total() async throws {
        try await TestServer.withServer { server in
            let time = TestClock()
            var options = EngineOptions()
            options.clock = time.clock
            let engine = Engine(options: options)
            server.route("GET", "/first") { _ in
                await time.advance(by: .seconds(6))
                return .redirect(to: "/second")
            }
            server.route("GET", "/second") { _ in
                await time.advance(by: .seconds(6))
                return .text("late")
            }
            let api = try Session(baseURL: server.url) {
                $0.network.engine = engine
                $0.timeouts.total = .seconds(10)
            }
            let error = await #expect(throws: SternaError.self) { try await api.get("first") }
            expectEqual(error?.kind, .timedOut)
            expectEqual(error?.redirects.map(\.url.path), ["/first"])
        }
    }
}
