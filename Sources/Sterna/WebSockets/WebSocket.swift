public import SternaCore
import SternaSerialization

/// A WebSocket (RFC 6455): messages both ways over one connection.
///
///     let socket = try await api.webSocket("chat")
///     try await socket.send("hello")
///     for try await message in socket {
///         if case .text(let text) = message { print(text) }
///     }
///     try await socket.close()
///
/// The sequence of messages ends after a close with 1000 or 1001, after one without a code, and after one by this side. After any
/// other close and after a lost connection it throws a `SternaError` of kind `webSocketClosed`, whose `underlying` is the
/// ``Closure``. If the server violates the protocol or exceeds a limit, this side closes with the code for it, and the sequence
/// throws `malformedResponse` or `limitExceeded`.
///
/// One loop reads at a time; a second one throws `invalidRequest`. Messages that have arrived wait in a queue of 64 messages or
/// 256 KiB, and a slow reader slows the server down. Pings are answered until the queue is full.
///
/// Releasing the socket and its iterators closes it with 1001.
public final class WebSocket: AsyncSequence, Sendable {
    public typealias Element = Message

    /// The response of the handshake: 101, or over HTTP/2 a 2xx.
    public let response: Response

    /// The subprotocol that the server chose of ``WebSocketSettings/subprotocols``; nil for none.
    public let subprotocol: String?

    let connection: WebSocketConnection

    init(_ connection: WebSocketConnection, response: Response, subprotocol: String? = nil) {
        (self.connection, self.response, self.subprotocol) = (connection, response, subprotocol)
    }

    deinit { connection.abandon() }

    /// How the WebSocket ended; nil while it is open or closing.
    public var closure: Closure? { connection.closure }

    // MARK: Messages

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(socket: self) }

    /// Reads the messages in the order of their arrival.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let socket: WebSocket
        private var claim: WebSocketClaim?

        fileprivate init(socket: WebSocket) { self.socket = socket }

        // Messages come in bunches. Those that have arrived are handed over without a change of executors, which costs more than a
        // message.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Message? {
            let id = try WebSocketClaim.id(&claim, socket.connection, pieces: false)
            return try await socket.connection.next(id)?.message
        }
    }

    /// The messages part by part as they arrive, in place of whole messages; of any size.
    ///
    ///     for try await piece in socket.pieces { try await file.write(piece.bytes) }
    public var pieces: some AsyncSequence<Piece, any Error> & Sendable { WebSocketPieces(socket: self) }

    /// Sends a text. Waits while the peer does not read.
    ///
    /// The messages of several tasks are sent in the order of the calls. A task that is cancelled while it waits throws `cancelled`
    /// and sends nothing. After the end the method throws `webSocketClosed`.
    nonisolated(nonsending) public func send(_ text: String) async throws {
        try await connection.send(.text, Bytes(text: text))
    }

    /// Sends a binary message, as ``send(_:)-(String)`` does.
    nonisolated(nonsending) public func send(_ bytes: Bytes) async throws {
        try await connection.send(.binary, bytes)
    }

    /// Sends a message, as ``send(_:)-(String)`` does.
    nonisolated(nonsending) public func send(_ message: Message) async throws {
        switch message {
        case .text(let text): try await send(text)
        case .binary(let bytes): try await send(bytes)
        }
    }

    /// Sends a binary message in fragments, one for each piece that is not empty, and an empty one at its end.
    ///
    /// Other messages wait until it is complete. If the sequence throws, or the task is cancelled, in the middle of the message, the
    /// WebSocket is closed with 1011, since the message cannot be taken back.
    public func send<S: AsyncSequence>(
        pieces: S, isolation: isolated (any Actor)? = #isolation
    ) async throws where S.Element == Bytes {
        try await connection.send(.binary, pieces: pieces) { $0 }
    }

    /// Sends a text in fragments, as ``send(pieces:isolation:)-(_)`` does a binary message.
    @_disfavoredOverload
    public func send<S: AsyncSequence>(
        pieces: S, isolation: isolated (any Actor)? = #isolation
    ) async throws where S.Element == String {
        try await connection.send(.text, pieces: pieces) { Bytes(text: $0) }
    }

    // MARK: Pings

    /// Sends a ping and returns the time until its answer.
    ///
    /// The answer comes after the messages that the peer has sent before it. If the program does not read them, 1,024 messages or 4 MiB
    /// may wait in the queue until then. Throws `timedOut` if there is no answer within ``WebSocketSettings/pingTimeout``, for example
    /// because more messages are unread; the WebSocket stays open. Throws `webSocketClosed` if it ends.
    nonisolated(nonsending) public func ping() async throws -> Duration { try await connection.ping() }

    /// The time between the last ping that was answered, and its answer; nil before the first.
    public var roundTrip: Duration? { connection.roundTrip }

    // MARK: The end

    /// Closes the WebSocket after the messages that wait to be sent, and waits for the peer's answer, for at most
    /// ``WebSocketSettings/closeTimeout``. Has no effect after the end.
    ///
    /// Messages that arrive meanwhile can still be read. If the task is cancelled, the method throws `cancelled`, and the close goes
    /// on.
    ///
    /// - Parameters:
    ///   - code: 1000 to 1003, 1007 to 1014, or 3000 to 4999; others throw `invalidRequest`.
    ///   - reason: a text of at most 123 bytes of UTF-8; a longer one is cut.
    nonisolated(nonsending) public func close(_ code: CloseCode = .normal, reason: String = "") async throws {
        guard code.isSendable else {
            throw SternaError(
                .invalidRequest, phase: .write,
                "A close frame cannot have the code \(code). Use 1000, or one of the program's own from 4000 to 4999.")
        }
        connection.beginClose(Closure(code, reason: reason, isByPeer: false))
        try await connection.end()
    }

    /// Ends the connection at once, without a close frame.
    public func cancel() { connection.cancel() }
}

/// The right of one reader to the messages of a WebSocket; it ends with the reader's last copy.
final class WebSocketClaim: Sendable {
    private let connection: WebSocketConnection

    private init(_ connection: WebSocketConnection) { self.connection = connection }

    deinit { connection.release(ObjectIdentifier(self)) }

    /// Returns the identifier of a reader's claim, which is made when it reads first.
    static func id(_ claim: inout WebSocketClaim?, _ connection: WebSocketConnection, pieces: Bool) throws
        -> ObjectIdentifier
    {
        if let claim { return ObjectIdentifier(claim) }
        let new = WebSocketClaim(connection)
        try connection.claim(ObjectIdentifier(new), pieces: pieces)
        claim = new
        return ObjectIdentifier(new)
    }
}

/// The pieces of a WebSocket's messages.
struct WebSocketPieces: AsyncSequence, Sendable {
    typealias Element = WebSocket.Piece
    let socket: WebSocket

    func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

    struct Iterator: AsyncIteratorProtocol {
        let socket: WebSocket
        private var claim: WebSocketClaim?

        init(socket: WebSocket) { self.socket = socket }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> WebSocket.Piece? {
            let id = try WebSocketClaim.id(&claim, socket.connection, pieces: true)
            return try await socket.connection.next(id)?.piece
        }
    }
}
