import InMemoryTracing
import Sterna
import SternaTesting
import Testing
import Tracing

@testable import SternaTestSupport

/// Spans of requests to servers over HTTP/2, and to servers that have spans of their own.
@Suite("Traces: servers", .timeLimit(.minutes(5)))
struct TracingServerTests {
    private let scene = TracingScene()

    @Test(
        "Each stream of an HTTP/2 connection has a span of its own: over TLS, and by prior knowledge",
        arguments: [true, false])
    func streams(overTLS: Bool) async throws {
        let count = 8
        let authority = try CertificateAuthority()
        let options = TestServer.Options(
            tls: overTLS ? try authority.issue(hosts: ["localhost"]) : nil,
            http2: overTLS ? .byALPN : .byPriorKnowledge)
        try await TestServer.withServer(options) { server async throws in
            let (arrived, all) = (Counter(), Gate())
            server.route("GET", "/held/{number}") { _ in
                if arrived.add() == count { all.open() }
                await all.wait()
                return .text("a")
            }
            let api = try scene.session(server.url) {
                if overTLS {
                    $0.trust.policy = .authority(pem: authority.pem)
                } else {
                    $0.network.http2 = .priorKnowledge
                }
            }
            // It opens the connection.
            try await api.get("get")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...count { group.addTask { _ = try await api.get("held/\(number)") } }
                try await group.waitForAll()
            }
            expectEqual(server.totalHTTP2Connections, 1)
            expectEqual(server.totalConnections, 1)
            let spans = scene.requests
            expectEqual(Set(spans.map(\.spanID)).count, count + 1)
            let paths = ["get"] + (1...count).map { "held/\($0)" }
            expectEqual(Set(scene.values("url.full")), Set(paths.map { "\(server.url)/\($0)" }))
            for span in spans {
                var texts = span.texts
                texts["url.full"] = nil
                expectEqual(
                    texts,
                    [
                        "http.request.method": "GET", "server.address": overTLS ? "localhost" : "127.0.0.1",
                        "server.port": "\(server.port)", "http.response.status_code": "200",
                        "network.protocol.version": "2", "network.peer.address": "127.0.0.1",
                        "network.peer.port": "\(server.port)",
                    ])
                expectNil(span.status)
            }
            // The server has received the context of each span with its own request.
            let received = server.requests().map { "\($0.target) \($0.headers[InMemoryTracer.spanIDKey] ?? "-")" }
            let sent = spans.map { "\($0.texts["url.full"]?.dropFirst(server.url.count) ?? "-") \($0.spanID)" }
            expectEqual(received.sorted(), sent.sorted())
            #expect(scene.tracer.activeSpans.isEmpty)
        }
    }

    @Test(
        "One trace has the spans of a caller, its request, the server, and the server's own request",
        arguments: [false, true])
    func oneTrace(overHTTP2: Bool) async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            let tracer = scene.tracer
            let api = try scene.session(server.url) { $0.network.http2 = overHTTP2 ? .priorKnowledge : .off }
            for (path, next) in [("orders", "stock"), ("stock", nil)] {
                server.route("GET", "/\(path)") { request in
                    var context = ServiceContext.topLevel
                    tracer.extract(request.headers, into: &context, using: ServerFields())
                    return try await tracer.withSpan(path, context: context, ofKind: .server) { _ in
                        if let next { _ = try await api.get(next) }
                        return .text("a")
                    }
                }
            }
            try await tracer.withSpan("caller") { _ in _ = try await api.get("orders") }
            // A server's span may end after its response was received.
            let isOver = await eventually { tracer.activeSpans.isEmpty }
            #expect(isOver)
            let spans = tracer.finishedSpans
            expectEqual(Set(spans.map(\.traceID)).count, 1)
            var line: [String] = []
            var next = spans.first { $0.parentSpanID == nil }
            while let span = next, line.count <= spans.count {
                line.append("\(span.kind) \(span.kind == .client ? span.texts["url.full"] ?? "-" : span.operationName)")
                next = spans.first { $0.parentSpanID == span.spanID }
            }
            expectEqual(
                line,
                [
                    "internal caller", "client \(server.url)/orders", "server orders", "client \(server.url)/stock",
                    "server stock",
                ])
            expectEqual(spans.count, 5)
        }
    }

    /// Reads a context from the fields of a server's request.
    private struct ServerFields: Extractor {
        func extract(key: String, from fields: ServerHeaders) -> String? { fields[key] }
    }
}
