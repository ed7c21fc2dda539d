import Logging
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The rows about logs of the pages for people who come from elsewhere.
@Suite("Coming from other libraries: logs", .timeLimit(.minutes(5)))
struct MigratingLogTests {
    @Test("The logger of the caller's task")
    func current() async throws {
        let (api, _) = try mocked {
            $0.events.log()
        }
        try await expectEqual(api.get("users").status, 200)
    }

    @Test("A logger, its level, families and bodies")
    func logger() async throws {
        var logger = Logger(label: "com.example.api") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .trace
        let (api, _) = try mocked { [logger] in
            $0.events.log(to: logger)
            $0.events.log(.all, to: logger)
            $0.events.log(to: logger, bodies: 10_000)
            $0.auth.secretHeaders = ["X-Internal"]
        }
        try await expectEqual(api.get("users").status, 200)
        await api.flushEvents()
    }
}
