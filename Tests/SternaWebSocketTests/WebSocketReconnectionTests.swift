import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("WebSocket: reconnection", .timeLimit(.minutes(5)))
struct WebSocketReconnectionTests {
    private typealias Decision = WebSocketReconnectionRule.Decision

    private static func closed(_ code: Int, isByPeer: Bool = true) -> SternaError {
        WebSocket.Closure(.init(rawValue: UInt16(code)), isByPeer: isByPeer).error(phase: .read)
    }

    private static func refused(_ status: Int) throws -> SternaError {
        var error = SternaError(.unacceptableStatus, phase: .decode, "refused")
        error.response = Response(status: .init(code: status), url: try HTTPURL("http://a.example/"))
        return error
    }

    private static func decide(
        _ error: SternaError, failures: Int = 1, _ configure: (inout WebSocketSettings) -> Void = { _ in }
    ) -> Decision {
        var settings = WebSocketSettings()
        settings.backoff.isJittered = false
        configure(&settings)
        return WebSocketReconnectionRule.decide(error, settings, failures: failures, random: 0.5)
    }

    @Test("Which ends are followed by another connection")
    func ends() throws {
        let again = Decision.connect(after: .seconds(1))
        let rows: [(SternaError, Decision)] = [
            (Self.closed(1000), .finish), (Self.closed(4000, isByPeer: false), .finish),
            (Self.closed(1006, isByPeer: false), .finish), (Self.closed(1001), again), (Self.closed(1005), again),
            (Self.closed(1006), again), (Self.closed(1011), again), (Self.closed(1012), again),
            (Self.closed(1013), again),
            (Self.closed(1002), .fail), (Self.closed(1008), .fail), (Self.closed(4000), .fail),
            (try Self.refused(503), again), (try Self.refused(429), again), (try Self.refused(404), .fail),
            (try Self.refused(401), .fail), (SternaError(.connectionFailed, phase: .connect, ""), again),
            (SternaError(.timedOut, phase: .wait, ""), again), (SternaError(.timedOut, phase: .prepare, ""), .fail),
            (SternaError(.malformedResponse, phase: .read, ""), .fail), (.cancelled(phase: .read), .fail),
            (SternaError(.certificateRejected, phase: .tls, ""), .fail),
        ]
        for (error, expected) in rows { expectEqual(Self.decide(error), expected, "\(error)") }
        expectEqual(Self.decide(Self.closed(4000)) { $0.retriedCodes.insert(.init(rawValue: 4000)) }, again)
    }

    @Test("Waits grow with the failures, up to a limit of their number")
    func waits() {
        let seconds = (1...8).map { number in Self.decide(Self.closed(1006), failures: number) }
        expectEqual(seconds, [1, 2, 4, 8, 16, 32, 60, 60].map { .connect(after: .seconds($0)) })
        expectEqual(Self.decide(Self.closed(1006), failures: 2) { $0.failureLimit = 3 }, .connect(after: .seconds(2)))
        expectEqual(Self.decide(Self.closed(1006), failures: 3) { $0.failureLimit = 3 }, .fail)
    }

    private static func line(_ update: ReconnectingWebSocket.Update) -> String {
        switch update {
        case .opened: "opened"
        case .message(.text(let text)): text
        case .message(.binary(let bytes)): "\(bytes.count) bytes"
        case .reconnecting(_, let error): "again: \((error.underlying as? WebSocket.Closure)?.code.rawValue ?? 0)"
        }
    }

    @Test("Messages of several connections; the hook runs with each before its messages")
    func updates() async throws {
        let ends: [Frame] = [.close(1001), .close(1012), .close(1000)]
        let server = SwitchingTransport(serving: { number, stream in
            stream.receive(.text("message \(number)"), ends[min(number, 2)])
        })
        let api = try Session(baseURL: "https://a.example") { $0.network.transport = server }
        let updates = api.reconnectingWebSocket("x") {
            $0.backoff = .constant(.zero)
        } opened: { socket in
            try? await socket.send("subscribe")
        }
        var lines: [String] = []
        for try await update in updates { lines.append(Self.line(update)) }
        expectEqual(
            lines,
            [
                "opened", "message 0", "again: 1001", "opened", "message 1", "again: 1012", "opened", "message 2",
            ])
        expectEqual(server.requests.count, 3)
    }

    private struct Broken: Error {}

    @Test("An error of the hook passes unchanged, and closes the connection")
    func failingHook() async throws {
        let server = SwitchingTransport(serving: { _, stream in stream.answersCloses() })
        let api = try Session(baseURL: "https://a.example") { $0.network.transport = server }
        let updates = api.reconnectingWebSocket("x", opened: { _ in throw Broken() })
        await #expect(throws: Broken.self) { for try await _ in updates {} }
        expectEqual(server.streams.first?.takeSent().map(\.code), [1001])
    }
}
