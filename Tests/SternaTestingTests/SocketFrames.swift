import NIOCore
import NIOHPACK
import NIOHTTP2
import SternaTesting

/// A frame of a WebSocket as it came: its first byte, and its payload as sent.
struct SocketFrame: Sendable, Equatable, CustomStringConvertible {
    var head: UInt8
    var payload: [UInt8]

    init(_ head: UInt8, _ payload: [UInt8]) { (self.head, self.payload) = (head, payload) }
    init(_ head: UInt8, _ text: String) { self.init(head, Array(text.utf8)) }

    /// A close frame.
    static func close(_ code: UInt16, _ reason: String = "") -> SocketFrame {
        SocketFrame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
    }

    /// The code of a close frame; nil for other frames, and without a code.
    var closeCode: Int? { head == 0x88 && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil }

    var description: String { "frame \(head) of \(payload.count) bytes, \(payload.prefix(20))" }

    /// The frame as a client sends it.
    var masked: [UInt8] {
        var frame = ServerWebSocket.Frame(
            opcode: head & 0xF, payload: ByteBuffer(bytes: payload), isFinal: head & 0x80 != 0)
        frame.mask = [0x12, 0xAB, 0x00, 0xFF]
        return Array(frame.bytes.readableBytesView)
    }
}

enum SocketHandshake {
    /// The fields of RFC 6455's example, whose answer is `s3pPLMBiTxaQ9kYGzzhZRbK+xOo=`.
    static let fields: ServerHeaders = [
        "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    ]

    /// The head of a handshake as it is sent.
    static func text(_ target: String, _ more: ServerHeaders = [:]) -> String {
        var text = "GET \(target) HTTP/1.1\r\nHost: example.test\r\n"
        for field in fields.fields + more.fields { text += "\(field.name): \(field.value)\r\n" }
        return text + "\r\n"
    }

    /// An extended CONNECT.
    static func connect(
        _ target: String, to name: String = "websocket",
        _ fields: [(String, String)] = [("sec-websocket-version", "13")]
    ) -> HPACKHeaders {
        HPACKHeaders(
            [
                (":method", "CONNECT"), (":protocol", name), (":scheme", "http"), (":path", target),
                (":authority", "example.test"),
            ] + fields)
    }
}

extension RawClient {
    /// The next frame; nil at the end of the connection.
    func frame() async throws -> SocketFrame? {
        if buffer.isEmpty, try await !fill() { return nil }
        let head = try await bytes(2)
        var length = Int(head[1] & 0x7F)
        if length >= 126 {
            length = try await bytes(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
        }
        return SocketFrame(head[0], try await bytes(length))
    }

    /// The frames up to the end of the connection.
    func frames() async throws -> [SocketFrame] {
        var frames: [SocketFrame] = []
        while let frame = try await frame() { frames.append(frame) }
        return frames
    }

    /// Ends this side's direction.
    func endOutput() async throws { try await channel.close(mode: .output).get() }
}

extension TestServer {
    /// Opens a WebSocket on a connection of its own, and checks that the server has switched.
    func withSocket<R: Sendable>(
        _ target: String, headers: ServerHeaders = [:],
        _ body: @Sendable (RawClient, RawClient.Response) async throws -> R
    ) async throws -> R {
        try await RawClient.with(port: port) { client in
            try await client.send(SocketHandshake.text(target, headers))
            let head = try await client.head()
            guard head.status == 101 else { throw RawClient.Malformed() }
            return try await body(client, head)
        }
    }
}

/// What a stream of HTTP/2 has brought after an extended CONNECT.
struct SwitchedStream {
    typealias Inbound = NIOAsyncChannelInboundStream<HTTP2Frame.FramePayload>.AsyncIterator

    private(set) var head = ServerHeaders()
    private(set) var bytes: [UInt8] = []
    /// Whether the server has ended its direction.
    private(set) var isAtEnd = false
    /// The code of the `RST_STREAM` that ended it.
    private(set) var reset: UInt32?

    var status: String? { head[":status"] }
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Reads one more frame; false after the end.
    private mutating func fill(_ inbound: inout Inbound) async throws -> Bool {
        guard !isAtEnd else { return false }
        do {
            switch try await inbound.next() {
            case nil: isAtEnd = true
            case .headers(let block)?:
                head = ServerHeaders(block.headers.map { .init(name: $0.name, value: $0.value) })
                isAtEnd = block.endStream
            case .data(let data)?:
                if case .byteBuffer(let buffer) = data.data { bytes += buffer.readableBytesView }
                isAtEnd = data.endStream
            default: break
            }
        } catch let error as NIOHTTP2Errors.StreamClosed {
            (isAtEnd, reset) = (true, UInt32(error.errorCode.networkCode))
        }
        return true
    }

    /// Reads the response's head.
    mutating func readHead(_ inbound: inout Inbound) async throws {
        while head.fields.isEmpty, try await fill(&inbound) {}
    }

    /// Reads until so many bytes have come, or to the end.
    mutating func read(_ count: Int = .max, _ inbound: inout Inbound) async throws {
        while bytes.count < count, try await fill(&inbound) {}
    }
}
