import NIOCore
import SternaCore
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// WebSockets over real connections, to the routes below `/ws` of the test server.
@Suite("WebSocket: over the wire", .timeLimit(.minutes(5)))
struct WebSocketWireTests {
    private static func with<R>(_ use: (Session) async throws -> R) async throws -> R {
        try await TestServer.withServer { server in try await use(try Session(baseURL: server.url)) }
    }

    @Test("Messages of many sizes come back, with and without compression", arguments: [true, false])
    func echo(_ compresses: Bool) async throws {
        try await Self.with { api in
            try await api.withWebSocket("ws/echo") {
                $0.compresses = compresses
            } _: { socket in
                var messages = socket.makeAsyncIterator()
                for size in [0, 1, 125, 126, 127, 65_535, 65_536, 300_000] {
                    let text = String(repeating: "ä", count: size)
                    try await socket.send(text)
                    let answer = try await messages.next(isolation: nil)
                    #expect(answer == .text(text))
                    let bytes = Bytes(copying: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
                    try await socket.send(bytes)
                    let binary = try await messages.next(isolation: nil)
                    #expect(binary == .binary(bytes))
                }
                let trip = try await socket.ping()
                #expect(trip > .zero)
            }
        }
    }

    @Test("A server that does not read holds the sender back; once it reads, all messages come in order")
    func backPressure() async throws {
        try await TestServer.withServer { server in
            let (isReading, sent) = (Gate(), Counter())
            server.route("GET", "/late") { _ in
                .webSocket(compresses: false) { socket in
                    await isReading.pass()
                    for try await message in socket {
                        guard case .binary(let bytes) = message else { continue }
                        try await socket.send(bytes.getSlice(at: bytes.readerIndex, length: 4) ?? bytes)
                    }
                }
            }
            // Far more than what the buffers of both sides hold.
            let (count, size) = (1_000, 64 << 10)
            let engine = Engine()
            let api = try Session(baseURL: server.url) {
                $0.network.engine = engine
                // A busy machine may not write for long.
                $0.timeouts.write = .seconds(3_600)
            }
            let socket = try await api.webSocket("late") { $0.pingInterval = nil }
            let sender = Task {
                var bytes = Bytes(repeating: 7, count: size)
                for number in 0..<UInt32(count) {
                    bytes.setInteger(number, at: bytes.readerIndex)
                    try await socket.send(bytes)
                    sent.add()
                }
            }
            let still = Mutex((count: 0, checks: 0))
            let isHeldBack = await eventually {
                await engine.settle()
                let count = sent.value
                return still.withLock { still in
                    still = count > 0 && count == still.count ? (count, still.checks + 1) : (count, 0)
                    return still.checks == 20
                }
            }
            #expect(isHeldBack)
            #expect(sent.value < count)
            isReading.open()
            var messages = socket.makeAsyncIterator()
            var next: UInt32 = 0
            while next < count, case .binary(let bytes) = try await messages.next(isolation: nil) {
                expectEqual(bytes.getInteger(at: bytes.readerIndex), next)
                next += 1
            }
            expectEqual(next, UInt32(count))
            try await sender.value
            expectEqual(sent.value, count)
            try await socket.close()
            expectEqual(socket.closure, WebSocket.Closure(.normal, isByPeer: false))
        }
    }

    @Test("A subprotocol is agreed on")
    func subprotocol() async throws {
        try await Self.with { api in
            let socket = try await api.webSocket("ws/echo?subprotocols=v1,v2") { $0.subprotocols = ["v2"] }
            expectEqual(socket.subprotocol, "v2")
            try await socket.close(.goingAway)
        }
    }

    @Test("A route without WebSockets refuses with its status")
    func refused() async throws {
        try await Self.with { api in
            let error = await socketError { _ = try await api.webSocket("status/404") }
            expectEqual(error?.kind, .unacceptableStatus)
            expectEqual(error?.status, 404)
        }
    }

    @Test("A failed handshake with the wrong scheme advises the other one", arguments: [true, false])
    func wrongScheme(isSecure: Bool) async throws {
        let tls = isSecure ? try CertificateAuthority().issue(hosts: ["localhost"]) : nil
        try await TestServer.withServer(.init(tls: tls)) { server in
            let scheme = isSecure ? "ws" : "wss"
            let api = try Session { $0.trust.policy = .insecure }
            let error = await socketError {
                _ = try await api.webSocket("\(scheme)://localhost:\(server.port)/ws/echo")
            }
            #expect(
                error?.advice?.contains(isSecure ? " wss://" : " ws://") == true, "\(error.map { "\($0)" } ?? "none")")
        }
    }

    private static let faultRows: [(String, SternaError.Kind, Int)] = [
        ("masked", .malformedResponse, 1002), ("length-beyond", .malformedResponse, 1002),
        ("length-huge", .limitExceeded, 1009), ("length-padded", .malformedResponse, 1002),
        ("reserved-bits", .malformedResponse, 1002), ("compressed-bit", .malformedResponse, 1002),
        ("reserved-opcode", .malformedResponse, 1002), ("lone-continuation", .malformedResponse, 1002),
        ("interleaved", .malformedResponse, 1002), ("invalid-text", .malformedResponse, 1007),
        ("long-ping", .malformedResponse, 1002), ("fragmented-ping", .malformedResponse, 1002),
        ("short-close", .malformedResponse, 1002), ("empty-fragments", .limitExceeded, 1008),
        ("endless", .limitExceeded, 1009), ("cut", .webSocketClosed, 1006),
    ]

    @Test(
        "Faults of the server are named, and closed with their code",
        arguments: faultRows)
    func faults(_ name: String, _ kind: SternaError.Kind, _ code: Int) async throws {
        try await Self.with { api in
            // The server writes frame by frame, which takes long on a busy machine; so the limits are low.
            let socket = try await api.webSocket("ws/fault/\(name)") {
                $0.fragmentCount = 500
                $0.messageBytes = 1 << 20
            }
            let error = await socketError { for try await _ in socket {} }
            expectEqual(error?.kind, kind)
            expectEqual(socket.closure.map { Int($0.code.rawValue) }, code)
            expectEqual(error?.underlying as? WebSocket.Closure, socket.closure)
        }
    }

    @Test(
        "Invalid handshakes are named",
        arguments: ["wrong-accept", "missing-accept", "unasked-subprotocol", "unasked-extension"])
    func handshakes(_ name: String) async throws {
        try await Self.with { api in
            let error = await socketError { _ = try await api.webSocket("ws/fault/\(name)") }
            expectEqual(error?.kind, .malformedResponse)
        }
    }

    @Test("A compressed bomb ends at the limit of a message")
    func bomb() async throws {
        try await Self.with { api in
            let socket = try await api.webSocket("ws/fault/bomb")
            let error = await socketError { for try await _ in socket {} }
            expectEqual(error?.kind, .limitExceeded)
            expectEqual(socket.closure?.code, .messageTooBig)
        }
    }

    @Test("A server that does not answer the close is left after the time-out")
    func unansweredClose() async throws {
        try await Self.with { api in
            let socket = try await api.webSocket("ws/fault/no-close") { $0.closeTimeout = .milliseconds(50) }
            try await socket.close()
            expectEqual(socket.closure, WebSocket.Closure(.normal, isByPeer: false))
        }
    }

    @Test("A reset connection is lost, after its messages")
    func reset() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/reset") { _ in
                .webSocket { socket in
                    for number in 1...3 { try await socket.send("\(number)") }
                    for try await _ in socket { break }
                    await socket.duplex.reset()
                }
            }
            let socket = try await Session(baseURL: server.url).webSocket("reset")
            // The pong comes behind the messages, so they have arrived, too.
            _ = try await socket.ping()
            try await socket.send("go")
            #expect(await eventually { socket.closure != nil })
            expectEqual(socket.closure, WebSocket.Closure(.lost, isByPeer: true))
            var messages: [WebSocket.Message] = []
            let error = await socketError { for try await message in socket { messages.append(message) } }
            expectEqual(messages, [.text("1"), .text("2"), .text("3")])
            expectEqual(error?.kind, .webSocketClosed)
            expectEqual(error?.underlying as? WebSocket.Closure, socket.closure)
        }
    }

    @Test("A flood of pings from a server that reads no answer ends at a limit, which the error names, and is closed")
    func pingFlood() async throws {
        try await TestServer.withServer { server in
            let written = Counter()
            server.route("GET", "/flood") { _ in
                .webSocket { socket in
                    var pings = Bytes()
                    for _ in 0..<1_000 { pings.writeImmutableBuffer(Frame.ping("flood").bytes) }
                    while true {
                        try await socket.duplex.write(pings)
                        written.add()
                    }
                }
            }
            let socket = try await Session(baseURL: server.url).webSocket("flood") { $0.pingInterval = nil }
            let error = await socketError { for try await _ in socket {} }
            expectEqual(error?.kind, .limitExceeded)
            #expect(error?.detail.contains("10000 control frames") == true, "\(error?.detail ?? "none")")
            expectEqual(socket.closure?.code, .policyViolation)
            expectEqual(socket.closure?.isByPeer, false)
            // The server's writes fail then.
            try await server.waitForOpenConnections(0)
            #expect(written.value >= 10)
        }
    }

    @Test("Cancelling the session's requests ends the reader")
    func cancelAll() async throws {
        try await Self.with { api in
            let socket = try await api.webSocket("ws/echo")
            let reader = Task { for try await _ in socket {} }
            try await socket.send("x")
            await api.cancelAllTasks()
            await expectEqual(failure(of: reader), .cancelled)
            #expect(socket.closure != nil)
        }
    }
}
