import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Writes down the attempts of requests, how they fail, and the ends.
private final class History: Sendable {
    private let log = EventLog(.network)

    var observer: EventObserver { log.observer }
    var metrics: [RequestMetrics] { log.metrics }

    /// What happened in the call that began last, once it is delivered.
    func last(of api: Session) async -> [String] {
        await api.flushEvents()
        return log.lastLines { event in
            switch event.kind {
            case .attemptBegan(let reason, _): "attempt \(event.attempt): \(reason)"
            case .responseBegan(let response): "status \(response.status.code)"
            case .attemptFailed(let error): "failed \(event.attempt): \(error.kind)"
            case .requestEnded: "over"
            default: nil
            }
        }
    }
}

/// Attempts on connections that turned out to be closed, whose place others took.
@Suite("Metrics of replaced attempts", .timeLimit(.minutes(5)))
struct ReplacedAttemptTests {
    private static let replaced = [
        "attempt 1: first", "failed 1: connectionClosed", "attempt 2: staleConnection", "status 200", "over",
    ]

    /// A request that went well, of which the first attempt did not.
    @discardableResult
    private func expectReplaced(
        _ reply: Reply, _ history: History, _ api: Session, location: SourceLocation = #_sourceLocation
    ) async throws -> RequestMetrics {
        expectEqual(reply.status, 200, sourceLocation: location)
        let metrics = try #require(reply.response.metrics, sourceLocation: location)
        expectEqual(metrics.attempts.map(\.reason), [.first, .staleConnection], sourceLocation: location)
        expectEqual(metrics.attempts.map(\.failure), [.connectionClosed, nil], sourceLocation: location)
        expectEqual(metrics.attempts.map(\.status), [nil, 200], sourceLocation: location)
        expectEqual(metrics.retryCount, 1, sourceLocation: location)
        let last = await history.last(of: api)
        expectEqual(last, Self.replaced, sourceLocation: location)
        expectEqual(
            history.metrics.last?.attempts.map(\.failure), [.connectionClosed, nil], sourceLocation: location)
        return metrics
    }

    @Test(
        "A stale connection is a failure of its attempt, and its event comes before the next one",
        arguments: [ScriptedServer.Step.close, .reset, .closeAbruptly], [false, true])
    func stale(end: ScriptedServer.Step, secure: Bool) async throws {
        let authority = try CertificateAuthority()
        let bundle = secure ? try authority.issue(hosts: ["localhost"]) : nil
        let connections = [ScriptedServer.Step.stale(end), ScriptedServer.Step.fresh]
        try await ScriptedServer.withServer(tls: bundle, connections: connections) { server in
            let history = History()
            let api = try DialScene.session(server.url, authority: authority) {
                $0.events.observers = [history.observer]
            }
            try await api.get("first")
            let reply = try await api.get("second")
            MetricsCheck.expectOrder(try await expectReplaced(reply, history, api))
            expectEqual(server.acceptedConnections, 2)
        }
    }

    @Test("A stale warm connection is a failure of its attempt")
    func warm() async throws {
        let connections: [[ScriptedServer.Step]] = [[.receiveHead, .close], ScriptedServer.Step.fresh]
        try await ScriptedServer.withServer(connections: connections) { server in
            let history = History()
            let api = try DialScene.session(server.url) { $0.events.observers = [history.observer] }
            try await api.warmUp()
            let reply = try await api.get("row")
            try await expectReplaced(reply, history, api)
        }
    }

    @Test("A stale HTTP/2 connection is a failure of its attempt")
    func http2() async throws {
        try await FramePeer.withPeer { connection in
            if connection.number == 0 {
                try await connection.greet()
                _ = try await connection.request()
                try await connection.close()
            } else {
                try await connection.handshake()
                try await connection.servePaths()
            }
        } body: { peer in
            let history = History()
            let api = try HTTP2Scene.session(peer) { $0.events.observers = [history.observer] }
            try await api.get("first")
            let reply = try await api.get("second")
            MetricsCheck.expectOrder(try await expectReplaced(reply, history, api))
            expectEqual(peer.connectionCount, 2)
        }
    }

    @Test("If the other attempt fails, too, each has failed once")
    func twice() async throws {
        let connections: [[ScriptedServer.Step]] = [ScriptedServer.Step.stale(.close), [.receiveHead, .close]]
        try await ScriptedServer.withServer(connections: connections) { server in
            let history = History()
            let api = try DialScene.session(server.url) { $0.events.observers = [history.observer] }
            try await api.get("first")
            let error = await Wire.failure(.connectionClosed, .wait) { try await api.get("second") }
            expectEqual(error?.attempt, 2)
            expectEqual(error?.metrics?.attempts.map(\.failure), [.connectionClosed, .connectionClosed])
            let last = await history.last(of: api)
            expectEqual(
                last,
                [
                    "attempt 1: first", "failed 1: connectionClosed", "attempt 2: staleConnection",
                    "failed 2: connectionClosed", "over",
                ])
        }
    }
}
