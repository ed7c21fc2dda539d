import NIOCore
import Sterna
import SternaCore
import SternaTesting
import Testing

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

    @Test("A server that reads no faster than it can send back holds the sender back; all messages come in order")
    func backPressure() async throws {
        try await Self.with { api in
            let socket = try await api.webSocket("ws/echo")
            let count = 300
            let sender = Task {
                for number in 0..<count {
                    var bytes = Bytes(copying: [UInt8](repeating: 7, count: 20_000))
                    bytes.setInteger(UInt32(number), at: bytes.readerIndex)
                    try await socket.send(bytes)
                }
            }
            var numbers: [UInt32] = []
            var messages = socket.makeAsyncIterator()
            while numbers.count < count, case .binary(let bytes) = try await messages.next(isolation: nil) {
                numbers.append(bytes.getInteger(at: bytes.readerIndex) ?? .max)
            }
            try await sender.value
            expectEqual(numbers, (0..<UInt32(count)).map { $0 })
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
        try await Self.with { api in
            let socket = try await api.webSocket("ws/fault/reset")
            let error = await socketError { for try await _ in socket {} }
            expectEqual(error?.kind, .webSocketClosed)
            expectEqual(socket.closure, WebSocket.Closure(.lost, isByPeer: true))
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
