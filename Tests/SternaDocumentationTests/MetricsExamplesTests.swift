import Metrics
import Sterna
import SternaMetrics
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The examples of docs/Metrics.md.
@Suite("Documentation: metrics", .timeLimit(.minutes(5)))
struct MetricsExamplesTests {
    @Test("Metrics")
    func metrics() async throws {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(MockTransport { _ in .json(["n": 1]) })

        let api = try Session(baseURL: "https://api.example.com") { $0.events.measure() }

        try await expectEqual(api.get("users").status, 200)
    }

    @Test("Variants that the text names")
    func variants() async throws {
        let factory = NOOPMetricsHandler.instance
        let (api, _) = try mocked {
            $0.events.measure(by: factory)
            $0.events.measure(hosts: 10)
            $0.events.measure(every: .seconds(60))
            $0.events.measure(engine: "imports")
        }
        try await expectEqual(api.get("users").status, 200)
    }

    @Test("The figures of an engine")
    func figures() async throws {
        let engine = Engine()

        let figures = await engine.statistics()
        print(figures.idle, figures.busy, figures.waiting, figures.dialling)
        for origin in figures.origins { print(origin.origin, origin.open, origin.waiting) }

        expectEqual(figures.openConnections, 0)
    }
}
