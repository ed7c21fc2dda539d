import NIOCore
import Sterna
import SternaCore

extension BuiltInRoutes {
    /// WebSockets that break the protocol, or try the client's patience, under `/ws/fault/`. The connection then stays open, and
    /// what the client sends is dropped, until the client closes it.
    ///
    /// | route | what the server sends |
    /// |---|---|
    /// | `half-frame` | the first half of a text frame |
    /// | `half-head` | one byte of a frame |
    /// | `masked` | a masked text frame |
    /// | `length-beyond` | a frame whose length has the highest bit set |
    /// | `length-huge` | a frame that declares 2^62 bytes, with ten of them |
    /// | `length-padded` | a length below 126 in eight bytes |
    /// | `length-short` | a frame that declares two of its ten bytes, so that the rest is read as a frame |
    /// | `reserved-bits` | a text frame with RSV2 |
    /// | `compressed-bit` | a text frame with RSV1, though no compression was agreed on |
    /// | `reserved-opcode` | a frame with the opcode 3 |
    /// | `lone-continuation` | a continuation frame without a message |
    /// | `interleaved` | a text frame within a fragmented message |
    /// | `invalid-text` | a text that is not UTF-8, its fault in the first of two fragments |
    /// | `long-ping` | a ping with 126 bytes |
    /// | `fragmented-ping` | a ping without FIN |
    /// | `short-close` | a close frame with one byte |
    /// | `slow` | a valid message byte by byte, `?pause=` seconds apart (0.05 by default), then close 1000 |
    /// | `ping-flood` | pings without end |
    /// | `empty-fragments` | fragments without content and without end |
    /// | `endless` | a message in fragments without end |
    /// | `bomb` | zeros as one compressed message, `?size=` bytes (256 MiB by default); close 1010 without compression |
    /// | `cut` | a part of a message, then the end of the connection |
    /// | `close-in-message` | a part of a message, then close 1001 |
    /// | `after-close` | a close frame, then a text frame |
    /// | `no-close` | nothing, not even an answer to a close frame |
    /// | `no-read` | nothing; it also reads nothing, so that the client's writes stop |
    /// | `reset` | resets the connection after one message |
    /// | `wrong-accept` | a Sec-WebSocket-Accept that belongs to another key |
    /// | `missing-accept` | no Sec-WebSocket-Accept |
    /// | `unasked-subprotocol` | a subprotocol that the client has not offered |
    /// | `unasked-extension` | an extension that the client has not offered |
    static let webSocketFaults: [ServerRoute] =
        [
            socketFault("half-frame") { socket in
                let bytes = text("hello").bytes
                try await socket.duplex.write(bytes.getSlice(at: bytes.readerIndex, length: bytes.count / 2) ?? bytes)
            },
            socketFault("half-head") { socket in try await socket.duplex.write([0x81]) },
            frameFault("masked") { $0.mask = [1, 2, 3, 4] },
            frameFault("length-beyond") { $0.declaredLength = 1 << 63 | 5 },
            frameFault("length-huge") { $0.declaredLength = 1 << 62 },
            frameFault("length-padded") { $0.lengthBytes = 8 },
            frameFault("length-short") { $0.declaredLength = 2 },
            frameFault("reserved-bits") { $0.reservedBits = 2 },
            frameFault("compressed-bit") { $0.reservedBits = 4 },
            frameFault("reserved-opcode") { $0.opcode = 3 },
            frameFault("lone-continuation") { $0.opcode = 0 },
            socketFault("interleaved") { socket in
                try await socket.write(text("one", isFinal: false))
                try await socket.write(text("two"))
            },
            socketFault("invalid-text") { socket in
                let invalid = Bytes(copying: [0x68, 0x69, 0xC3, 0x28])
                try await socket.write(ServerWebSocket.Frame(opcode: 0x1, payload: invalid, isFinal: false))
                try await socket.write(ServerWebSocket.Frame(opcode: 0x0, payload: Bytes(text: "rest")))
            },
            socketFault("long-ping") { socket in
                let payload = Bytes(copying: Array(repeating: 0x61, count: 126))
                try await socket.write(ServerWebSocket.Frame(opcode: 0x9, payload: payload))
            },
            socketFault("fragmented-ping") { socket in
                try await socket.write(ServerWebSocket.Frame(opcode: 0x9, payload: Bytes(text: "a"), isFinal: false))
            },
            socketFault("short-close") { socket in
                try await socket.write(ServerWebSocket.Frame(opcode: 0x8, payload: Bytes(copying: [0x03])))
            },
            now(["GET"], "/ws/fault/slow") { request in
                let pause = try seconds(request.query("pause"), default: 0.05, atMost: 60)
                return .webSocket(compresses: false) { socket in
                    try await socket.write(text("slow"), pieces: 1, pause: .seconds(pause))
                }
            },
            socketFault("ping-flood") { socket in
                let ping = ServerWebSocket.Frame(opcode: 0x9, payload: Bytes(text: "flood"))
                while true { try await socket.write(ping) }
            },
            socketFault("empty-fragments") { socket in
                try await socket.write(text("", isFinal: false))
                while true { try await socket.write(ServerWebSocket.Frame(opcode: 0x0, isFinal: false)) }
            },
            socketFault("endless") { socket in
                let part = Bytes(copying: Array(repeating: 0x61, count: 32 << 10))
                try await socket.write(ServerWebSocket.Frame(opcode: 0x1, payload: part, isFinal: false))
                while true { try await socket.write(ServerWebSocket.Frame(opcode: 0x0, payload: part, isFinal: false)) }
            },
            now(["GET"], "/ws/fault/bomb") { request in
                let size = try number(query: "size", of: request, default: 256 << 20, in: 1...bytesLimit)
                return .webSocket { try await bomb($0, size: size) }
            },
            socketFault("cut") { socket in
                try await socket.write(text("half a mess", isFinal: false))
                await socket.duplex.close()
            },
            socketFault("close-in-message") { socket in
                try await socket.write(text("half a mess", isFinal: false))
                try await socket.close(WebSocket.CloseCode(rawValue: 1001), reason: "restart")
            },
            socketFault("after-close") { socket in
                try await socket.close()
                try await socket.write(text("late"))
            },
            socketFault("no-close") { _ in },
            socketFault("no-read") { socket in
                while !socket.duplex.clientHasEnded { try await Task.sleep(for: .milliseconds(50)) }
            },
            socketFault("reset") { socket in
                try await socket.send("hello")
                await socket.duplex.reset()
            },
            handshakeFault("wrong-accept", ["Sec-WebSocket-Accept": "c3Rlcm5hIGRvZXMgbm90IG1hdGNo"]),
            ServerRoute(
                ["GET"], "/ws/fault/missing-accept",
                .immediate { _ in
                    .webSocket(ServerWebSocketHandshake(compresses: false, omitsAccept: true)) { await discard($0) }
                }),
            handshakeFault("unasked-subprotocol", ["Sec-WebSocket-Protocol": "unasked.example"]),
            handshakeFault("unasked-extension", ["Sec-WebSocket-Extensions": "x-unasked"]),
        ]

    /// Makes the route of a fault after a successful handshake.
    private static func socketFault(
        _ name: String, _ play: @escaping @Sendable (ServerWebSocket) async throws -> Void
    ) -> ServerRoute {
        now(["GET"], "/ws/fault/\(name)") { _ in
            .webSocket(compresses: false) { socket in
                try await play(socket)
                await discard(socket)
            }
        }
    }

    /// Makes the route of a text frame with ten bytes that is changed before it is sent.
    private static func frameFault(
        _ name: String, _ change: @escaping @Sendable (inout ServerWebSocket.Frame) -> Void
    ) -> ServerRoute {
        socketFault(name) { socket in
            var frame = text("ten bytes.")
            change(&frame)
            try await socket.write(frame)
        }
    }

    /// Makes the route of a wrong handshake.
    private static func handshakeFault(_ name: String, _ headers: ServerHeaders) -> ServerRoute {
        now(["GET"], "/ws/fault/\(name)") { _ in
            .webSocket(compresses: false, headers: headers) { await discard($0) }
        }
    }

    private static func text(_ text: String, isFinal: Bool = true) -> ServerWebSocket.Frame {
        ServerWebSocket.Frame(opcode: 0x1, payload: Bytes(text: text), isFinal: isFinal)
    }

    /// Drops what the client sends until it closes the connection, and answers nothing.
    private static func discard(_ socket: ServerWebSocket) async {
        do {
            while try await socket.duplex.read() != nil {}
        } catch {
            // The connection has ended.
        }
        await socket.duplex.close()
    }

    private static func bomb(_ socket: ServerWebSocket, size: Int) async throws {
        guard socket.isCompressed else {
            return try await socket.close(WebSocket.CloseCode(rawValue: 1010), reason: "offer permessage-deflate")
        }
        var rest = size
        while rest > 0 {
            let part = min(rest, 1 << 20)
            let zeros = Bytes(copying: repeatElement(0, count: part))
            try await socket.send(.binary, zeros, isFirst: rest == size, isLast: rest == part)
            rest -= part
        }
    }
}
