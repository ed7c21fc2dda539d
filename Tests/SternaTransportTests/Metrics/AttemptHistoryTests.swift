import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Requests of several attempts: redirects, stale connections, and whoever asks again.
@Suite("Metrics of attempts", .timeLimit(.minutes(5)))
struct AttemptHistoryTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private func session(
        _ url: String, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try DialScene.session(url) {
            $0.events.collectsMetrics = true
            configure(&$0)
        }
    }

    @Test("Each redirect is an attempt")
    func redirects() async throws {
        try await TestServer.withServer { server in
            let metrics = try #require(try await session(server.url).get("redirect/2").response.metrics)
            MetricsCheck.expectOrder(metrics)
            expectEqual(metrics.attempts.map(\.reason), [.first, .redirect, .redirect])
            expectEqual(metrics.attempts.map(\.status), [302, 302, 200])
            expectEqual(metrics.attempts.map(\.isReused), [false, true, true])
            expectEqual(
                metrics.attempts.map(\.url), ["/redirect/2", "/redirect/1", "/get"].map { server.url($0) })
            expectEqual(metrics.redirectCount, 2)
            expectEqual(metrics.retryCount, 0)
            expectEqual(metrics.bytesSent, metrics.attempts.reduce(0) { $0 + $1.bytesSent })
            #expect(metrics.attempts.allSatisfy { $0.failure == nil })
        }
    }

    @Test("The discarded body of a redirect does not count for the next attempt", arguments: [100, 900_000])
    func abandonedRedirect(length: Int) async throws {
        let away: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 302 Away\r\nLocation: /b\r\nContent-Length: \(length)\r\n\r\npart"),
            .waitForClose,
        ]
        let there: [ScriptedServer.Step] = [.receiveHead, .pause(milliseconds: 600), .send(Self.ok)]
        try await ScriptedServer.withServer(connections: [away, there]) { server in
            let api = try session(server.url)
            try await api.withResponse(to: .get("a")) { response in
                try await expectEqual(response.body.collect(upTo: 100).text, "ok")
                let metrics = try #require(response.metrics)
                MetricsCheck.expectOrder(metrics)
                expectEqual(metrics.attempts.map(\.status), [302, 200])
                expectNil(metrics.attempts.last?.failure)
                expectEqual(metrics.attempts.last?.bytesReceived, Int64(Self.ok.utf8.count))
            }
        }
    }

    @Test("A stale connection's replacement is an attempt, and the first has its end")
    func stale() async throws {
        let stale: [ScriptedServer.Step] = [
            .receiveHead, .send(Self.ok), .receiveHead, .pause(milliseconds: 50), .close,
        ]
        try await ScriptedServer.withServer(connections: [stale, [.receiveHead, .send(Self.ok)]]) { server in
            let api = try session(server.url)
            try await api.get("first")
            let metrics = try #require(try await api.get("second").response.metrics)
            expectEqual(metrics.attempts.map(\.reason), [.first, .staleConnection])
            expectEqual(metrics.attempts.map(\.isReused), [true, false])
            expectEqual(metrics.attempts.map(\.status), [nil, 200])
            expectEqual(metrics.retryCount, 1)
            #expect(metrics.attempts.last?.connect != nil)
            MetricsCheck.expectOrder(metrics)
        }
    }

    @Test("The attempt after 417 is recorded")
    func expectationRefused() async throws {
        let refusal: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n"), .waitForClose,
        ]
        let next: [ScriptedServer.Step] = [.receiveHead, .receive(atLeast: 5_000), .send(Self.ok)]
        try await ScriptedServer.withServer(connections: [refusal, next]) { server in
            let api = try session(server.url) { $0.limits.continueThreshold = 0 }
            let reply = try await api.post("a", body: .bytes(Bytes(repeating: 1, count: 5_000)))
            let metrics = try #require(reply.response.metrics)
            expectEqual(metrics.attempts.map(\.reason), [.first, .expectationRefused])
            MetricsCheck.expectOrder(metrics)
        }
    }

    private struct AskingTwice: Interceptor {
        func intercept(_ request: Request, next: Chain) async throws -> Response {
            _ = try await next(request)
            return try await next(request)
        }
    }

    @Test("An interceptor that sends again makes another attempt")
    func interceptor() async throws {
        try await TestServer.withServer { server in
            let api = try session(server.url) { $0.networkInterceptors = [AskingTwice()] }
            let metrics = try #require(try await api.get("get").response.metrics)
            expectEqual(metrics.attempts.map(\.reason), [.first, .retry])
            expectEqual(metrics.retryCount, 1)
            MetricsCheck.expectOrder(metrics)
        }
    }
}
