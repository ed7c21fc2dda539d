import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The examples of docs/WebSocket.md.
@Suite("Examples: WebSocket", .timeLimit(.minutes(5)))
struct WebSocketExamplesTests {
    /// A server that echoes messages on every path, and has what the examples ask for.
    private static func withServer(_ use: (TestServer, Session) async throws -> Void) async throws {
        try await TestServer.withServer { server in
            for path in ["/chat", "/quiz", "/secrets"] {
                server.route("GET", path) { _ in
                    .webSocket(subprotocols: ["chat.v1"]) { socket in
                        for try await message in socket { try await socket.send(message) }
                    }
                }
            }
            server.route("GET", "/prices") { _ in
                .webSocket { socket in
                    for _ in 1...3 { try await socket.send("1.25") }
                    try await socket.close()
                }
            }
            server.route("GET", "/private") { _ in .json(["message": "No"], status: 403) }
            try await use(server, Session(baseURL: server.url))
        }
    }

    @Test("Messages")
    func messages() async throws {
        try await Self.withServer { server, api in
            server.route("GET", "/chat") { _ in
                .webSocket { socket in
                    for try await message in socket {
                        try await socket.send(message)
                        return try await socket.close()
                    }
                }
            }
            let socket = try await api.webSocket("chat")
            try await socket.send("hello")
            for try await message in socket {
                switch message {
                case .text(let text): print(text)
                case .binary(let bytes): print(bytes.count, "bytes")
                }
            }
        }
    }

    @Test("A scope")
    func scope() async throws {
        try await Self.withServer { _, api in
            let answer = try await api.withWebSocket("quiz") { socket in
                try await socket.send("question")
                for try await message in socket {
                    if case .text(let text) = message { return text }
                }
                return ""
            }
            expectEqual(answer, "question")
        }
    }

    @Test("Opening")
    func opening() async throws {
        try await Self.withServer { server, api in
            func subprotocol() async throws -> String? {
                let socket = try await api.webSocket("chat", headers: ["X-Room": "terns"]) {
                    $0.subprotocols = ["chat.v2", "chat.v1"]  // the preferred one first
                    $0.origin = "https://www.example.com"  // for servers that ask which page it is
                }
                print(socket.subprotocol ?? "none", socket.response.version)
                return socket.subprotocol
            }
            try await expectEqual(subprotocol(), "chat.v1")
            let request = server.requests().first
            expectEqual(request?.headers["X-Room"], "terns")
            expectEqual(request?.headers["Origin"], "https://www.example.com")
            func drafted() async throws {
                let socket = try await api.webSocket(
                    of: .get("chat", query: ["room": 7]) { $0.timeouts.total = .seconds(5) })
                try await socket.close()
            }
            try await drafted()
            expectEqual(server.requests().last?.target, "/chat?room=7")
        }
    }

    @Test("A refusal")
    func refusal() async throws {
        try await Self.withServer { _, api in
            do {
                let socket = try await api.webSocket("private")
                try await socket.send("hello")
            } catch let error as SternaError where error.kind == .unacceptableStatus {
                print(error.status, error.message)
            }
            let error = await #expect(throws: SternaError.self) { try await api.webSocket("private") }
            expectEqual(error?.status, 403)
        }
    }

    @Test("Several tasks send, and the end")
    func tasks() async throws {
        try await Self.withServer { _, api in
            let socket = try await api.webSocket("chat")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for number in 1...3 { try await socket.send("a\(number)") } }
                group.addTask { for number in 1...3 { try await socket.send("b\(number)") } }
                try await group.waitForAll()
            }
            var received: [WebSocket.Message] = []
            for try await message in socket {
                received.append(message)
                if received.count == 6 { break }
            }
            for letter in ["a", "b"] {
                expectEqual(
                    received.filter { if case .text(let text) = $0 { text.hasPrefix(letter) } else { false } },
                    (1...3).map { .text("\(letter)\($0)") })
            }
            try await socket.close(.normal, reason: "done")
            print(socket.closure?.code == .normal)
            expectEqual(socket.closure?.code, .normal)
        }
    }

    @Test("Another end")
    func ends() async throws {
        try await Self.withServer { server, api in
            server.route("GET", "/chat") { _ in
                .webSocket { try await $0.close(WebSocket.CloseCode(rawValue: 4001), reason: "full") }
            }
            let socket = try await api.webSocket("chat")
            do {
                for try await message in socket { print(message) }
            } catch let error as SternaError {
                guard let closure = error.underlying as? WebSocket.Closure else { throw error }
                print(closure.code, closure.reason, closure.isByPeer)
            }
            expectEqual(socket.closure, WebSocket.Closure(.init(rawValue: 4001), reason: "full", isByPeer: true))
        }
    }

    @Test("Keep-alive and compression")
    func keepAlive() async throws {
        try await Self.withServer { server, api in
            func pinged() async throws {
                let socket = try await api.webSocket("prices") { $0.pingInterval = .seconds(10) }  // nil for none
                let time = try await socket.ping()
                print("the server answered after", time, socket.roundTrip ?? time)
            }
            server.route("GET", "/prices") { _ in .webSocket { for try await _ in $0 {} } }
            try await pinged()
            func plain() async throws {
                let socket = try await api.webSocket("secrets") { $0.compresses = false }
                expectNil(socket.response.headers["Sec-WebSocket-Extensions"])
            }
            try await plain()
        }
    }

    @Test("A message in pieces")
    func pieces() async throws {
        try await Self.withServer { _, api in
            let recording = AsyncStream { continuation in
                for _ in 0..<10 { continuation.yield(Bytes(text: String(repeating: "a", count: 1_000))) }
                continuation.finish()
            }
            let socket = try await api.webSocket("chat")
            try await socket.send(pieces: recording)
            var length = 0
            for try await piece in socket.pieces {
                length += piece.bytes.count
                if piece.isLast { break }
            }
            expectEqual(length, 10_000)
        }
    }

    @Test("Reconnecting")
    func reconnecting() async throws {
        try await Self.withServer { _, api in
            let prices = api.reconnectingWebSocket("prices", { $0.failureLimit = 10 }) { socket in
                try await socket.send("subscribe STN")
            }
            for try await update in prices {
                switch update {
                case .opened(let socket): print("connected", socket.response.version)
                case .message(let message): print(message)
                case .reconnecting(let wait, let error): print(error.message, "- again in \(wait)")
                }
            }
        }
    }

    @Test("Servers and mocks")
    func testing() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/chat") { _ in
                .webSocket(subprotocols: ["chat.v1"]) { socket in
                    for try await message in socket { try await socket.send(message) }
                    print(socket.closeCode ?? .lost)
                }
            }
            let mock = MockTransport { _ in .webSocket { socket in try await socket.send("hello") } }
            for api in [
                try Session(baseURL: server.url),
                try Session(baseURL: "https://a.example") { $0.network.transport = mock },
            ] {
                let message = try await api.withWebSocket("chat") { socket in
                    try? await socket.send("hello")
                    for try await message in socket { return message }
                    return .text("")
                }
                expectEqual(message, .text("hello"))
            }
        }
    }

    @Test("Another protocol")
    func upgrade() async throws {
        try await Self.withServer { server, api in
            server.route("GET", "/containers/1/attach") { _ in
                .upgrade(to: "tcp") { duplex in
                    while let bytes = try await duplex.read() { try await duplex.write(bytes) }
                    try await duplex.finish()
                }
            }
            let stream = try await api.upgrade("containers/1/attach", to: "tcp")
            try await stream.write(Bytes(text: "ls\n"))
            stream.finish()
            for try await bytes in stream { print(bytes.text) }
        }
    }
}
