import NIOCore
import SternaCore
import SternaPlatform
import SternaRecorder
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// The HAR document of a recorder.
@Suite("Recorder: HAR", .timeLimit(.minutes(5)))
struct RecorderDocumentTests {
    private let scene = RecorderScene()

    /// Records calls of several kinds.
    private func record(_ server: TestServer) async throws {
        server.route("GET", "/old") { _ in .redirect(to: "/new?token=s3cret") }
        server.route("GET", "/new") { _ in .json(["a": 1]) }
        server.route("POST", "/own") { _ in .json(["a": 2]) }
        let api = try scene.session(server.url)
        try await api.get("old")
        try await api.post("own", json: ["name": "tern", "pin": "s3cret"])
        try await api.get("gzip")
        try await api.get("bytes/100000")
        _ = try? await api.get("status/404")
        let closed = try ClosedPort()
        _ = try? await scene.session("http://127.0.0.1:\(closed.port)").get("a")
    }

    @Test("It has the members that HAR 1.2 requires")
    func members() async throws {
        try await TestServer.withServer { server in
            try await record(server)
            let har = await scene.recorder.har()
            expectEqual(
                har.entries.map { "\($0.request.method) \($0.response.status)" },
                [
                    "GET 302", "GET 200", "POST 200", "GET 200", "GET 200", "GET 404", "GET 0",
                ])
            for entry in har.entries {
                let json = entry.json
                #expect(entry.started != nil && json["cache"].object != nil, "\(entry.row)")
                for name in ["method", "url", "httpVersion"] { #expect(json["request"][name].string != nil, "\(name)") }
                for name in ["cookies", "headers", "queryString"] {
                    #expect(json["request"][name].array != nil, "\(name)")
                }
                for name in ["statusText", "httpVersion", "redirectURL"] {
                    #expect(json["response"][name].string != nil, "\(name)")
                }
                for name in ["cookies", "headers"] { #expect(json["response"][name].array != nil, "\(name)") }
                let content = json["response"]["content"]
                #expect((content["size"].int ?? -1) >= 0 && content["mimeType"].string != nil)
                for message in ["request", "response"] {
                    for name in ["headersSize", "bodySize"] {
                        #expect((json[message][name].int ?? -2) >= -1, "\(name)")
                    }
                }
                for name in ["send", "wait", "receive"] {
                    #expect((json["timings"][name].double ?? -1) >= 0, "\(name)")
                }
                for name in ["blocked", "dns", "connect", "ssl"] {
                    let value = json["timings"][name].double ?? -2
                    #expect(value >= 0 || value == -1, "\(name)")
                }
                expectEqual(entry.time, entry.timings.sum)
            }
        }
    }

    @Test("Written and read it is equal, with and without secrets")
    func roundTrip() async throws {
        try await TestServer.withServer { server in
            try await record(server)
            for showsSecrets in [false, true] {
                let har = await scene.recorder.har(includingSecrets: showsSecrets)
                let bytes = try har.serialized(showsSecrets: showsSecrets)
                try expectEqual(HARDocument(parsing: bytes), har)
                expectEqual(String(decoding: bytes, as: UTF8.self).contains("s3cret"), showsSecrets)
            }
        }
    }

    @Test("Each phase is that of the request's metrics")
    func phases() async throws {
        try await TestServer.withServer { server in
            let api = try scene.session(server.url) { $0.events.collectsMetrics = true }
            server.route("GET", "/old") { _ in .redirect(to: "/get") }
            let reply = try await api.get("old")
            let metrics = try #require(reply.response.metrics)
            let exchange = try #require(await scene.recorder.exchanges().first)
            expectEqual(exchange.id, metrics.id)
            expectEqual(exchange.attempts.map(\.metrics), metrics.attempts)
            let entries = await scene.recorder.har().entries
            expectEqual(entries.count, 2)
            for (entry, attempt) in zip(entries, metrics.attempts) {
                let phases: [(Double?, AttemptMetrics.Span?)] = [
                    (entry.timings.blocked, attempt.queue), (entry.timings.dns, attempt.resolve),
                    (entry.timings.connect, attempt.connect), (entry.timings.send, attempt.write),
                    (entry.timings.wait, attempt.wait), (entry.timings.receive, attempt.read),
                ]
                for (index, (shown, span)) in phases.enumerated() {
                    let expected = span.map { ($0.duration / .microseconds(1)).rounded() / 1_000 }
                    // Sending, waiting and receiving are required members.
                    expectEqual(shown, index < 3 ? expected : expected ?? 0, "phase \(index)")
                }
                let start = exchange.started.timeIntervalSince1970 + attempt.whole.start / .seconds(1)
                let shown = try #require(entry.started?.timeIntervalSince1970)
                #expect(abs(shown - start) < 0.002, "\(shown) \(start)")
            }
        }
    }
}
