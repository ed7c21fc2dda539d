import InMemoryTracing
import Sterna
import SternaTracing
import Testing
import Tracing

@testable import SternaTestSupport

/// A trace of both sides with Hummingbird 2, which `.ci/TracedServer` serves. Skipped where it has not been built by
/// `.ci/extensions --build .ci/TracedServer`; CI builds it.
@Suite(
    "Interop: a trace with Hummingbird",
    .enabled(if: ServerProgram.Name.traced.mayRun, ".ci/TracedServer is not built"), .timeLimit(.minutes(5)))
struct TracingHummingbirdTests {
    @Test("The server's spans are of the caller's trace, each below the span of its request")
    func oneTrace() async throws {
        let server = try await ServerProgram(.traced) { _, ports, _ in ["\(ports[0])"] }
        let count = Counter()
        // Both processes would count from 1.
        let tracer = InMemoryTracer(
            idGenerator: .init(nextTraceID: { "client-trace" }, nextSpanID: { "client-span-\(count.add())" }))
        let api = try Session(baseURL: "http://127.0.0.1:\(server.ports[0])") {
            $0.network.engine = Engine()
            $0.events.trace(by: tracer)
        }
        let seen = try await tracer.withSpan("caller") { _ in
            [try await api.get("span").body.text, try await api.get("span").body.text]
        }
        let requests = tracer.finishedSpans.filter { $0.kind == .client }
        expectEqual(requests.count, 2)
        expectEqual(seen, requests.map { "client-trace \($0.spanID)" })
        expectEqual(Set(requests.map(\.spanID)).count, 2)
    }
}

extension ServerProgram.Name {
    fileprivate static let traced = Self(
        description: "TracedServer", built: "\(ChildProcess.package)/.build/debug/TracedServer")
}
