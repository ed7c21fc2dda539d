import Logging
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The examples of docs/Observability.md.
@Suite("Documentation: logs, traces, metrics", .timeLimit(.minutes(5)))
struct ObservabilityExamplesTests {
    @Test("A log by the logger of the caller's task")
    func log() async throws {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(MockTransport { _ in .json(["n": 1]) })

        let api = try Session(baseURL: "https://api.example.com") { settings in
            settings.events.log()
        }
        try await withLogger(mergingMetadata: ["request-id": "7f3a"]) { logger in
            let reply = try await api.get("users/1")
            logger.info("Found", metadata: ["status": "\(reply.status)"])
        }
    }

    @Test("A log with a logger of its own")
    func ownLogger() async throws {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(MockTransport { _ in .json(["n": 1]) })

        var logger = Logger(label: "com.example.api")
        logger.logLevel = .trace
        let api = try Session(baseURL: "https://api.example.com") { settings in
            settings.events.log(.all, to: logger, bodies: 10_000)
        }
        _ = try await api.get("users/1")
        await api.flushEvents()
    }
}
