import NIOCore
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Messages of random sizes, of random kinds, and of content that compresses or does not.
enum WebSocketMessages {
    /// Returns messages whose sizes have a random order of magnitude, up to 256 KiB.
    static func random(_ count: Int, seed: UInt64) -> [WebSocket.Message] {
        var random = SeededRandom(seed: seed)
        let words = ["tern", "Küste", "海", "🐟", "\n", "0", " "]
        return (0..<count).map { _ in
            let magnitude = Int.random(in: 0...18, using: &random)
            let size = Int.random(in: 0...(1 << magnitude), using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                var text = ""
                while text.utf8.count < size { text += words.randomElement(using: &random) ?? "" }
                return .text(text)
            case 1: return .binary(Bytes(repeating: UInt8.random(in: 0...255, using: &random), count: size))
            default: return .binary(Bytes(bytes: noise(size, seed: UInt64.random(in: 1..<1 << 32, using: &random))))
            }
        }
    }

    /// Sends messages to an echo, and reads as many at the same time.
    static func exchange(_ messages: [WebSocket.Message], over socket: WebSocket) async throws -> [WebSocket.Message] {
        async let sending: Void = {
            for message in messages {
                switch message {
                case .text(let text): try await socket.send(text)
                case .binary(let bytes): try await socket.send(bytes)
                }
            }
        }()
        var received: [WebSocket.Message] = []
        if !messages.isEmpty {
            for try await message in socket {
                received.append(message)
                if received.count == messages.count { break }
            }
        }
        try await sending
        return received
    }

    /// The place of the first difference, and the number of messages received; nil if all are equal. The messages are too long to
    /// print.
    static func difference(_ received: [WebSocket.Message], _ sent: [WebSocket.Message]) -> String? {
        guard received != sent else { return nil }
        let first = zip(received, sent).enumerated().first { $1.0 != $1.1 }?.offset
        return "\(received.count) of \(sent.count); the first other one is \(first.map(String.init) ?? "none")"
    }
}

/// Against servers of PyPI. Skipped where `.ci/interop-servers` has not run; CI runs it.
@Suite(
    "Interop: WebSockets",
    .enabled(if: WebSocketServers.areThere, "the servers are not there: .ci/interop-servers installs them"),
    .webSocketServers, .serialized, .timeLimit(.minutes(30)))
struct WebSocketInteropTests {
    private static let count = LongTests.choose(150, inFull: 10_000)

    @Test(
        "Messages of random sizes come back identical and in order, with compression and without",
        arguments: WebSocketServers.Way.present, [true, false])
    func identical(way: WebSocketServers.Way, compresses: Bool) async throws {
        let servers = try #require(WebSocketServers.current)
        let seed = LongTests.seed
        let messages = WebSocketMessages.random(Self.count, seed: seed)
        let api = try servers.session(way)
        try await api.withWebSocket("/", { $0.compresses = compresses }) { socket in
            expectEqual(socket.response.version, way.isHTTP2 ? .http2 : .http11)
            let extensions = socket.response.headers["Sec-WebSocket-Extensions"]
            expectEqual(extensions?.hasPrefix("permessage-deflate") ?? false, compresses, "\(extensions ?? "none")")
            let received = try await WebSocketMessages.exchange(messages, over: socket)
            expectNil(WebSocketMessages.difference(received, messages), "seed \(seed)")
            #expect(try await socket.ping() > .zero)
            try await socket.close()
            expectEqual(socket.closure?.code, .normal)
        }
    }

    @Test("Sockets that are open at the same time keep their messages apart", arguments: WebSocketServers.Way.present)
    func several(way: WebSocketServers.Way) async throws {
        let servers = try #require(WebSocketServers.current)
        let api = try servers.session(way)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<10 {
                group.addTask {
                    let messages = (0..<20).map { WebSocket.Message.text("\(number)-\($0)") }
                    try await api.withWebSocket("/") { socket in
                        let received = try await WebSocketMessages.exchange(messages, over: socket)
                        expectNil(WebSocketMessages.difference(received, messages))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Proxies of others, and the programs that they need.
    enum Way: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case squid
        case squidTLS = "squid behind TLS"
        case tinyproxy
        case microsocks = "microsocks, SOCKS 5"

        var testDescription: String { rawValue }

        var programs: [ServerProgram.Name] {
            switch self {
            case .squid: [ProxyServers.squid]
            case .squidTLS: [ProxyServers.squid, Haproxy.program]
            case .tinyproxy: [ProxyServers.tinyproxy]
            case .microsocks: [ProxyServers.microsocks]
            }
        }

        static var present: [Way] { allCases.filter { $0.programs.allSatisfy(\.mayRun) } }
    }

    @Test("Through proxies, to servers with TLS and without", arguments: Way.present)
    func proxied(proxy way: Way) async throws {
        let servers = try #require(WebSocketServers.current)
        let server =
            switch way {
            case .squid, .squidTLS: try await ProxyServers.startSquid()
            case .tinyproxy: try await ProxyServers.startTinyproxy()
            case .microsocks: try await ProxyServers.startMicrosocks()
            }
        let front = way == .squidTLS ? try await Self.startTLS(before: server.ports[0], servers.authority) : nil
        let kind: Proxy.Kind =
            switch way {
            case .squid, .tinyproxy: .http
            case .squidTLS: .https
            case .microsocks: .socks5
            }
        let proxy = try Proxy(
            kind, host: front == nil ? "127.0.0.1" : "localhost", port: (front ?? server).ports[0],
            username: ProxyServers.username, password: ProxyServers.password)
        // microsocks 1.0.3 may stall, also between other programs, so that each message waits for its echo.
        let batch = way == .microsocks ? 1 : .max
        for target in [WebSocketServers.Way.websockets, .websocketsTLS, .hypercornHTTP2] {
            let messages = WebSocketMessages.random(LongTests.choose(40, inFull: 10_000), seed: LongTests.seed)
            let api = try servers.session(target) { $0.network.proxies = .proxy(proxy) }
            try await api.withWebSocket("/") { socket in
                var received: [WebSocket.Message] = []
                while received.count < messages.count {
                    let next = Array(messages.dropFirst(received.count).prefix(batch))
                    received += try await WebSocketMessages.exchange(next, over: socket)
                }
                expectNil(WebSocketMessages.difference(received, messages), "\(target), seed \(LongTests.seed)")
            }
        }
        let wrong = try Proxy(
            kind, host: front == nil ? "127.0.0.1" : "localhost", port: (front ?? server).ports[0],
            username: ProxyServers.username, password: "wrong")
        let api = try servers.session(.websockets) { $0.network.proxies = .proxy(wrong) }
        let error = await #expect(throws: SternaError.self) { try await api.withWebSocket("/") { _ in } }
        expectEqual(error?.kind, .proxyFailed)
        withExtendedLifetime((server, front)) {}
    }

    /// Starts an haproxy that speaks TLS, and passes what is in it to a port of 127.0.0.1.
    private static func startTLS(before port: Int, _ authority: CertificateAuthority) async throws -> ServerProgram {
        try await ServerProgram(Haproxy.program) { folder, ports, _ in
            let bundle = try authority.issue(hosts: ["localhost"])
            try ServerProgram.write(bundle.certificateChainPEM + bundle.privateKeyPEM, to: "\(folder)/both.pem")
            let configuration = """
                global
                    maxconn 256
                defaults
                    mode tcp
                    timeout connect 10s
                    timeout client 600s
                    timeout server 600s
                listen proxy
                    bind 127.0.0.1:\(ports[0]) ssl crt \(folder)/both.pem
                    server one 127.0.0.1:\(port)

                """
            try ServerProgram.write(configuration, to: "\(folder)/haproxy.cfg")
            return ["-db", "-f", "\(folder)/haproxy.cfg"]
        }
    }
}
