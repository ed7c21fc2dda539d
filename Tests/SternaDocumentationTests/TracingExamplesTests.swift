import Sterna
import SternaTesting
import SternaTracing
import Testing
import Tracing

@testable import SternaTestSupport

/// The examples of docs/Tracing.md.
@Suite("Documentation: traces", .timeLimit(.minutes(5)))
struct TracingExamplesTests {
    @Test("Traces")
    func traces() async throws {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(MockTransport { _ in .json(["n": 1]) })

        let api = try Session(baseURL: "https://api.example.com") { $0.events.trace() }

        try await expectEqual(api.get("users").status, 200)
    }

    @Test("Variants that the text names")
    func variants() async throws {
        let tracer = NoOpTracer()
        let (api, _) = try mocked {
            $0.events.trace(wholeCalls: true)
            $0.events.trace(by: tracer)
        }
        try await expectEqual(api.get("users").status, 200)
    }
}
