import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Test servers: faulty WebSockets", .timeLimit(.minutes(5)))
struct WebSocketFaultTests {
    typealias Frame = ServerWebSocket.Frame

    @Test("A frame's bytes")
    func frames() {
        var frame = Frame(opcode: 0x1, payload: Bytes(text: "Hello"))
        expectEqual(frame.bytes.array, [0x81, 5] + Array("Hello".utf8))
        frame.mask = [0x37, 0xFA, 0x21, 0x3D]
        // The example of RFC 6455, 5.7.
        expectEqual(frame.bytes.array, [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
        frame.mask = [1]
        expectEqual(Array(frame.bytes.array.dropFirst(2)), [1, 0, 0, 0, 0x49, 0x65, 0x6C, 0x6C, 0x6E])
        frame = Frame(opcode: 0xF2, isFinal: false)
        frame.reservedBits = 0xF
        expectEqual(frame.bytes.array, [0x72, 0])
        frame = Frame(opcode: 0x2, payload: Bytes(copying: [7]))
        frame.declaredLength = 300
        expectEqual(frame.bytes.array, [0x82, 126, 1, 44, 7])
        frame.lengthBytes = 0
        expectEqual(frame.bytes.array, [0x82, 44, 7])
        frame.lengthBytes = 8
        frame.declaredLength = nil
        expectEqual(frame.bytes.array, [0x82, 127, 0, 0, 0, 0, 0, 0, 0, 1, 7])
        frame = Frame(opcode: 0x2, payload: Bytes(copying: Array(repeating: 0, count: 65_536)))
        expectEqual(Array(frame.bytes.array.prefix(10)), [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0])
        expectEqual(frame.bytes.count, 65_546)
    }

    static let starts: [(String, [UInt8])] = [
        ("half-frame", [0x81, 5, 0x68]), ("half-head", [0x81]), ("masked", [0x81, 0x8A, 1, 2, 3, 4]),
        ("length-beyond", [0x81, 127, 0x80, 0, 0, 0, 0, 0, 0, 5]),
        ("length-huge", [0x81, 127, 0x40, 0, 0, 0, 0, 0, 0, 0]),
        ("length-padded", [0x81, 127, 0, 0, 0, 0, 0, 0, 0, 10]), ("length-short", [0x81, 2, 0x74, 0x65, 0x6E]),
        ("reserved-bits", [0xA1, 10]), ("compressed-bit", [0xC1, 10]), ("reserved-opcode", [0x83, 10]),
        ("lone-continuation", [0x80, 10]), ("interleaved", [0x01, 3, 0x6F, 0x6E, 0x65, 0x81, 3]),
        ("invalid-text", [0x01, 4, 0x68, 0x69, 0xC3, 0x28, 0x80, 4]), ("long-ping", [0x89, 126, 0, 126]),
        ("fragmented-ping", [0x09, 1, 0x61]), ("short-close", [0x88, 1, 3]), ("slow?pause=0", [0x81, 4, 0x73]),
        ("ping-flood", [0x89, 5, 0x66, 0x6C, 0x6F, 0x6F, 0x64, 0x89, 5]),
        ("empty-fragments", [0x01, 0, 0x00, 0, 0x00, 0, 0x00, 0]), ("endless", [0x01, 126, 0x80, 0, 0x61]),
        ("bomb", [0x88, 26, 0x03, 0xF2]),
        ("close-in-message", [0x01, 11] + Array("half a mess".utf8) + [0x88, 9, 0x03, 0xE9]),
        ("after-close", [0x88, 2, 0x03, 0xE8, 0x81, 4] + Array("late".utf8)),
    ]

    @Test("What a fault begins with", arguments: starts)
    func start(fault: String, bytes: [UInt8]) async throws {
        try await TestServer.withServer { server in
            try await server.withSocket("/ws/fault/\(fault)") { client, head in
                expectEqual(head.headers["Sec-WebSocket-Accept"], "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
                try await expectEqual(client.bytes(bytes.count), bytes)
            }
            // The client has left.
            try await server.waitForOpenConnections(0)
        }
    }

    @Test(
        "Faults of the handshake",
        arguments: [
            ("wrong-accept", "Sec-WebSocket-Accept", "c3Rlcm5hIGRvZXMgbm90IG1hdGNo"),
            ("missing-accept", "Sec-WebSocket-Accept", nil),
            ("unasked-subprotocol", "Sec-WebSocket-Protocol", "unasked.example"),
            ("unasked-extension", "Sec-WebSocket-Extensions", "x-unasked"),
        ] as [(String, String, String?)])
    func handshake(fault: String, name: String, value: String?) async throws {
        try await TestServer.withServer { server in
            try await server.withSocket("/ws/fault/\(fault)") { _, head in expectEqual(head.headers[name], value) }
        }
    }

    @Test("A cut ends the connection in mid-message")
    func cut() async throws {
        try await TestServer.withServer { server in
            try await server.withSocket("/ws/fault/cut") { client, _ in
                try await expectEqual(client.frames(), [SocketFrame(0x01, "half a mess")])
            }
        }
    }

    @Test("A reset reaches the client")
    func reset() async throws {
        try await TestServer.withServer { server in
            await #expect(throws: (any Error).self) {
                try await server.withSocket("/ws/fault/reset") { client, _ in try await client.frames() }
            }
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("Nothing is read from a client until it leaves")
    func noRead() async throws {
        try await TestServer.withServer { server in
            let sentAll = Gate()
            try await server.withSocket("/ws/fault/no-read") { client, _ in
                let channel = client.channel
                let sending = Task {
                    try await channel.writeAndFlush(ByteBuffer(repeating: 1, count: 64 << 20)).get()
                    sentAll.open()
                }
                for _ in 0..<50 { try await expectEqual(server.ask("GET", "/1k").status, 200) }
                #expect(!sentAll.isOpen)
                await server.resetConnection(0)
                await #expect(throws: (any Error).self) { try await sending.value }
            }
            try await server.withSocket("/ws/fault/no-read") { _, _ in }
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("A close frame without an answer, and a client that ends its direction")
    func noClose() async throws {
        try await TestServer.withServer { server in
            try await server.withSocket("/ws/fault/no-close") { client, _ in
                try await client.send(SocketFrame.close(1000).masked + SocketFrame(0x89, "?").masked)
                try await client.endOutput()
                try await expectEqual(client.frames(), [])
            }
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("A slow message is whole, and a close follows")
    func slow() async throws {
        try await TestServer.withServer { server in
            try await server.withSocket("/ws/fault/slow?pause=0.001") { client, _ in
                try await expectEqual(client.frame(), SocketFrame(0x81, "slow"))
                try await expectEqual(client.frame(), .close(1000))
            }
        }
    }

    @Test("A bomb is one compressed message")
    func bomb() async throws {
        let offer: ServerHeaders = ["Sec-WebSocket-Extensions": "permessage-deflate"]
        try await TestServer.withServer { server in
            try await server.withSocket("/ws/fault/bomb?size=3000000", headers: offer) { client, _ in
                var frames: [SocketFrame] = []
                while let frame = try await client.frame(), frame.closeCode == nil { frames.append(frame) }
                expectEqual(frames.map { $0.head }, [0x42, 0x00, 0x80])
                #expect(frames.reduce(0) { $0 + $1.payload.count } < 100_000)
            }
        }
    }
}
