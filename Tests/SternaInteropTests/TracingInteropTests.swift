import HTTPTypes
import InMemoryTracing
import Sterna
import SternaTesting
import SternaTracing
import Testing
import Tracing

@testable import SternaTestSupport

/// Spans compared with those of OpenTelemetry's instrumentation of httpx, from the environment that `.ci/interop-servers` makes.
///
/// They have the same attributes but for the differences that docs/Tracing.md lists.
@Suite(
    "Interop: OpenTelemetry's spans of httpx",
    .enabled(
        if: InteropPython.has("httpx", "opentelemetry/instrumentation/httpx"),
        "httpx is not there: .ci/interop-servers installs it"),
    .timeLimit(.minutes(5)))
struct TracingInteropTests {
    /// Sends the requests of its arguments, each a method and a URL, and prints the attributes of each span on a line.
    private static let script = """
        import os, sys
        os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "http"
        import httpx
        from opentelemetry.instrumentation.httpx import HTTPXClientInstrumentor
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        HTTPXClientInstrumentor().instrument(tracer_provider=provider)
        with httpx.Client(follow_redirects=True, trust_env=False) as client:
            for method, url in zip(sys.argv[1::2], sys.argv[2::2]):
                try:
                    client.request(method, url)
                except httpx.HTTPError:
                    pass
        for span in exporter.get_finished_spans():
            texts = sorted(f"{name}={value}" for name, value in span.attributes.items())
            print(" ".join([span.name, span.kind.name.lower(), span.status.status_code.name.lower()] + texts))
        """

    private func ours(_ requests: [(method: String, url: String)]) async throws -> [String] {
        let tracer = InMemoryTracer()
        let api = try Session {
            $0.network.engine = Engine()
            $0.retry = .none
            $0.events.trace(by: tracer)
        }
        for (method, url) in requests {
            _ = try? await api.send(RequestDraft(try #require(Request.Method(method)), url))
        }
        return tracer.finishedSpans.map { span in
            var texts: [String] = []
            span.attributes.forEach { name, value in
                switch value {
                case .string(let text): texts.append("\(name)=\(text)")
                case .int64(let number): texts.append("\(name)=\(number)")
                default: texts.append("\(name)=\(value)")
                }
            }
            let status = span.status?.code == .error ? "error" : "unset"
            return ([span.operationName, "\(span.kind)", status] + texts.sorted()).joined(separator: " ")
        }
    }

    private func theirs(_ requests: [(method: String, url: String)]) async throws -> [String] {
        let output = try await ChildProcess.run(
            [InteropPython.path, "-c", Self.script] + requests.flatMap { [$0.method, $0.url] }, input: [])
        return output.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("Successes, errors, redirects and unknown methods have the same attributes")
    func same() async throws {
        try await TestServer.withServer { server in
            server.route("PURGE", "/purged") { _ in .text("a") }
            let requests = [
                ("GET", "get?a=1"), ("HEAD", "get"), ("DELETE", "status/204"), ("GET", "status/404"),
                ("GET", "status/503"),
                ("GET", "redirect/2"), ("PURGE", "purged"),
            ].map { (method: $0.0, url: "\(server.url)/\($0.1)") }
            let ours = try await ours(requests).map { line in
                // The instrumentation counts no resends.
                line.split(separator: " ").filter { !$0.hasPrefix("http.request.resend_count=") }.joined(separator: " ")
            }
            expectEqual(ours, try await theirs(requests))
            expectEqual(ours.count, 9)
        }
    }

    @Test("Secrets are hidden here only, and errors have the names of their libraries")
    func different() async throws {
        let closed = try ClosedPort()
        let base = "http://127.0.0.1:\(closed.port)/?token="
        let (ours, theirs) = (try await ours([("GET", base + "s3cret")]), try await theirs([("GET", base + "s3cret")]))
        let place = "server.address=127.0.0.1 server.port=\(closed.port) url.full=\(base)"
        expectEqual(ours, ["GET client error error.type=connectionFailed http.request.method=GET \(place)***"])
        // It takes the URL's host for the peer, though there was no connection.
        let peer = "network.peer.address=127.0.0.1 network.peer.port=\(closed.port)"
        expectEqual(theirs, ["GET client error error.type=ConnectError http.request.method=GET \(peer) \(place)s3cret"])
    }
}
