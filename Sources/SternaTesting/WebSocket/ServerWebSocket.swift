public import NIOCore
public import Sterna
public import SternaCore
import SternaSerialization
import Synchronization

/// The server's side of a WebSocket (RFC 6455): the client's messages in order, and what is sent to it.
///
///     server.route("GET", "/chat") { _ in
///         .webSocket(subprotocols: ["chat.v1"]) { socket in
///             for try await message in socket { try await socket.send(message) }
///         }
///     }
///
/// The iteration answers pings, and answers the client's close frame with the same code, which ends it. It throws a ``Fault``
/// if the client violates the protocol, after closing the socket with the fault's code, and if the connection ends without a close
/// frame. While no task iterates, nothing is read from the client. ``write(_:pieces:pause:)`` and ``duplex`` send anything else.
public final class ServerWebSocket: AsyncSequence, Sendable {
    public typealias Element = WebSocket.Message

    /// The end of a socket by a violation of the protocol, or without a close frame.
    public struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        /// The code with which the server closed the socket; 1006 if the connection ended without a close frame.
        public let code: WebSocket.CloseCode
        /// What the client did.
        public let description: String
    }

    /// Reads the client's messages; only one at a time may wait for a message.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let socket: ServerWebSocket

        /// Returns the next message, or nil after the client's close frame. Throws ``Fault``, and the errors of
        /// ``ServerDuplex/read()``.
        public mutating func next() async throws -> WebSocket.Message? { try await socket.next() }
    }

    private struct Input {
        var reader: WebSocketReader
        var message = Bytes()
        var isOver = false
        var lastPong: Bytes?
        var closeFrame: (code: WebSocket.CloseCode, reason: String)?
    }

    private struct Output {
        var writer: WebSocketWriter
        var isClosed = false
    }

    private enum Step {
        case message(WebSocket.Message)
        case ping(Bytes)
        case closed(UInt16?)
        case fault(WebSocketFault)
        case needsBytes
        case over
    }

    /// How long the client has to answer a close frame.
    private static let closeLimit = Duration.seconds(5)

    /// The connection's bytes, past the protocol.
    ///
    /// Read them only while nothing iterates over the messages.
    public let duplex: ServerDuplex
    /// The subprotocol that was agreed on; nil for none.
    public let subprotocol: String?
    /// Whether permessage-deflate was agreed on.
    public let isCompressed: Bool
    private let input: Mutex<Input>
    private let output: Mutex<Output>

    init(_ duplex: ServerDuplex, _ agreement: ServerWebSocketHandshake.Agreement) {
        self.duplex = duplex
        subprotocol = agreement.subprotocol
        isCompressed = agreement.deflate != nil
        // Above those of a client, so that a test can exceed the client's.
        var limits = WebSocketLimits()
        limits.frameBytes = 64 << 20
        limits.messageBytes = 64 << 20
        limits.fragmentCount = 1 << 24
        limits.controlFrameCount = .max
        input = Mutex(Input(reader: WebSocketReader(.server, limits: limits, deflate: agreement.deflate)))
        output = Mutex(Output(writer: WebSocketWriter(.server, deflate: agreement.deflate)))
    }

    // MARK: Receiving

    /// Iterates over the messages that no other iterator has received.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(socket: self) }

    /// The code of the client's close frame, 1005 for a frame without one; nil before the frame was read.
    public var closeCode: WebSocket.CloseCode? { input.withLock { $0.closeFrame?.code } }

    /// The reason in the client's close frame; empty if there is none.
    public var closeReason: String { input.withLock { $0.closeFrame?.reason ?? "" } }

    /// The payload of the last pong that was read; nil before the first.
    public var lastPong: Bytes? { input.withLock { $0.lastPong } }

    private func next() async throws -> WebSocket.Message? {
        while true {
            switch input.withLock({ Self.step(&$0) }) {
            case .message(let message): return message
            case .ping(let payload):
                try await put { $0.pong(payload) }?.get()
            case .closed(let code):
                // The client may have gone without waiting for the answer.
                try? await put(closes: true) { $0.close(code) }?.get()
                return nil
            case .fault(let fault):
                try? await put(closes: true) { $0.close(fault.code, reason: fault.detail) }?.get()
                throw Fault(code: WebSocket.CloseCode(rawValue: fault.code), description: fault.detail)
            case .needsBytes:
                guard let bytes = try await duplex.read() else {
                    input.withLock { $0.isOver = true }
                    // The client does not wait for a close frame.
                    output.withLock { $0.isClosed = true }
                    throw Fault(
                        code: WebSocket.CloseCode(rawValue: 1006),
                        description: "The connection ended without a close frame.")
                }
                input.withLock { $0.reader.append(bytes) }
            case .over: return nil
            }
        }
    }

    private static func step(_ input: inout Input) -> Step {
        if input.isOver { return .over }
        do {
            while let event = try input.reader.next() {
                switch event {
                case .content(let kind, let bytes, _, let isLast):
                    input.message.join(bytes)
                    guard isLast else { continue }
                    let message = input.message
                    input.message = Bytes()
                    return .message(kind == .text ? .text(message.text) : .binary(message))
                case .ping(let payload): return .ping(payload)
                case .pong(let payload): input.lastPong = payload
                case .close(let code, let reason):
                    input.isOver = true
                    input.closeFrame = (WebSocket.CloseCode(rawValue: code ?? 1005), reason)
                    return .closed(code)
                }
            }
            return .needsBytes
        } catch {
            input.isOver = true
            return .fault(error)
        }
    }

    // MARK: Sending

    /// Sends a message in one frame, and returns once it has been written to the socket.
    ///
    /// - Throws: A channel error if the connection has ended, or the socket was closed.
    public func send(_ message: WebSocket.Message) async throws {
        switch message {
        case .text(let text): try await send(text)
        case .binary(let bytes): try await send(bytes)
        }
    }

    /// Sends a text message, as the other method does.
    public func send(_ text: String) async throws { try await sent { $0.frame(.text, Bytes(text: text)) } }

    /// Sends a binary message, as the other method does.
    public func send(_ bytes: Bytes) async throws { try await sent { $0.frame(.binary, bytes) } }

    /// Sends a part of a message in a frame of its own.
    func send(_ kind: WebSocketKind, _ bytes: Bytes, isFirst: Bool, isLast: Bool) async throws {
        try await sent { $0.frame(kind, bytes, isFirst: isFirst, isLast: isLast) }
    }

    /// Sends a ping with at most 125 bytes; the iteration receives the pong.
    public func ping(_ payload: Bytes = Bytes()) async throws { try await sent { $0.ping(payload) } }

    /// Sends a close frame, after which no more messages and pings are sent. The iteration receives the client's answer, and ends
    /// with it. A second call sends nothing.
    ///
    /// - Parameters:
    ///   - code: any code, also an invalid one; nil for none.
    ///   - reason: at most 123 bytes of it are sent, none without a code.
    public func close(_ code: WebSocket.CloseCode? = .normal, reason: String = "") async throws {
        // The writer sends only codes that are allowed.
        var payload = Bytes()
        if let code {
            payload.writeInteger(code.rawValue)
            payload.writeBytes(reason.utf8.prefix(123))
        }
        let frame = Frame(opcode: 0x8, payload: payload).bytes
        try await put(closes: true) { _ in frame }?.get()
    }

    private func sent(_ make: (inout WebSocketWriter) -> Bytes) async throws {
        guard let written = put(make) else { throw ChannelError.outputClosed }
        try await written.get()
    }

    /// Writes a frame after those of earlier calls; returns nil if the socket was closed.
    private func put(closes: Bool = false, _ make: (inout WebSocketWriter) -> Bytes) -> EventLoopFuture<Void>? {
        output.withLock { output in
            if output.isClosed { return nil }
            output.isClosed = closes
            return duplex.put(make(&output.writer))
        }
    }

    // MARK: The end

    /// Runs a route's closure, and closes the socket after it.
    func serve(_ run: @Sendable (ServerWebSocket) async throws -> Void) async throws {
        var code: UInt16 = 1000
        do {
            try await run(self)
        } catch let reset as ServerStreamReset {
            throw reset
        } catch {
            code = 1011
        }
        // A client that reads nothing, or does not answer, is cut off.
        let limit = Task { [duplex] in
            do { try await Task.sleep(for: Self.closeLimit) } catch { return }
            await duplex.reset()
        }
        defer { limit.cancel() }
        try? await put(closes: true) { $0.close(code) }?.get()
        while !input.withLock({ $0.isOver }) {
            do { _ = try await next() } catch { break }
        }
        await duplex.close()
    }
}
