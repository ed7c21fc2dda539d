import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// WebSockets, in docs/Migrating and docs/Migration.md.
@Suite("Migration: WebSocket", .timeLimit(.minutes(5)))
struct MigratingWebSocketTests {
    private static func session(_ run: @escaping @Sendable (ServerWebSocket) async throws -> Void) throws -> Session {
        try mocked(by: MockTransport { _ in .webSocket(subprotocols: ["chat.v1"], run) }).api
    }

    @Test("Opening, messages and the end")
    func conversation() async throws {
        let api = try Self.session { socket in
            for try await message in socket {
                try await socket.send(message)
                return try await socket.close(.normal, reason: "done")
            }
        }
        let socket = try await api.webSocket("chat") { $0.subprotocols = ["chat.v1"] }
        print(socket.subprotocol ?? "none")
        expectEqual(socket.subprotocol, "chat.v1")
        try await socket.send("hello")
        for try await message in socket { print(message) }
        print(socket.closure?.code ?? .lost, socket.closure?.reason ?? "")
        expectEqual(socket.closure, WebSocket.Closure(.normal, reason: "done", isByPeer: true))
    }

    @Test("Pings and closing")
    func closing() async throws {
        let code = Counter()
        let api = try Self.session { socket in
            for try await _ in socket {}
            code.add(socket.closeCode == .goingAway ? 1 : 0)
        }
        let socket = try await api.webSocket("chat")
        let time = try await socket.ping()
        #expect(time > .zero)
        try await socket.close(.goingAway, reason: "bye")
        expectEqual(socket.closure?.code, .goingAway)
        let isSeen = await eventually { code.value == 1 }
        #expect(isSeen)
    }

    @Test("The size of a message, and the time between pings")
    func settings() async throws {
        let api = try Self.session { socket in
            try await socket.send(String(repeating: "a", count: (1 << 20) + 1))
            for try await _ in socket {}
        }
        let socket = try await api.webSocket("chat") {
            $0.messageBytes = 1 << 20
            $0.pingInterval = .seconds(10)
        }
        let error = await #expect(throws: SternaError.self) {
            for try await message in socket { print(message) }
        }
        expectEqual(error?.kind, .limitExceeded)
    }

    @Test("Closing, cancelling and reconnecting by other names")
    func others() async throws {
        let api = try Self.session { socket in
            try await socket.send("1.25")
            try await socket.close()
        }
        let first = try await api.webSocket("chat")
        try await first.close(.normal, reason: "done")
        let socket = try await api.webSocket("chat") { $0.compresses = false }
        socket.cancel()
        for try await update in api.reconnectingWebSocket("prices") {
            if case .message(let message) = update { expectEqual(message, .text("1.25")) }
        }
    }
}
