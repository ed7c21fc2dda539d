import NIOCore
import Synchronization

/// Writes a streamed response body. Each write returns once its bytes have been written to the socket, or read from a mock's response,
/// so a slow client slows the writer and only the current piece is buffered.
public struct ServerBodyWriter: Sendable {
    /// Where the pieces go.
    enum Target: Sendable {
        /// The channel of the connection, or of the HTTP/2 stream.
        case channel(any Channel, ConnectionAnchor.Handle, isChunked: Bool)
        case mock(PieceQueue)
    }

    final class Progress: Sendable {
        let written = Mutex(0)
    }

    let target: Target
    let length: Int?
    let progress = Progress()

    init(_ target: Target, length: Int?) { (self.target, self.length) = (target, length) }

    /// The connection; nil in a mock.
    var anchor: ConnectionAnchor.Handle? {
        if case .channel(_, let anchor, _) = target { anchor } else { nil }
    }

    /// Writes one piece, as one chunk if the body is chunked. An empty piece writes nothing.
    ///
    /// - Throws: A channel error if the client has closed, `cancelled` if the rest of a mock's response was discarded,
    ///   `CancellationError` if the Swift task is cancelled before a mock's response was read that far, ``ServerRouteError`` if the
    ///   write would exceed the declared length.
    public func write(_ bytes: [UInt8]) async throws {
        try await write(ByteBuffer(bytes: bytes))
    }

    /// Writes text in UTF-8.
    public func write(_ text: String) async throws {
        try await write(ByteBuffer(string: text))
    }

    func write(_ buffer: ByteBuffer) async throws {
        let count = buffer.readableBytes
        guard count > 0 else { return }
        let total = progress.written.withLock { written in
            written += count
            return written
        }
        if let length, total > length {
            throw ServerRouteError(status: 500, message: "more body than declared")
        }
        switch target {
        case .mock(let queue):
            do {
                try await queue.write(buffer)
            } catch {
                // The piece is not part of the body.
                progress.written.withLock { $0 -= count }
                throw error
            }
        case .channel(let channel, _, isChunked: false): try await channel.writeAndFlush(buffer).get()
        case .channel(let channel, _, isChunked: true):
            let promise = channel.eventLoop.makePromise(of: Void.self)
            channel.eventLoop.execute {
                channel.write(ByteBuffer(string: String(count, radix: 16) + "\r\n"), promise: nil)
                channel.write(buffer, promise: nil)
                channel.writeAndFlush(ByteBuffer(string: "\r\n"), promise: promise)
            }
            try await promise.futureResult.get()
        }
    }

    var isComplete: Bool {
        length.map { length in progress.written.withLock { $0 == length } } ?? true
    }
}

/// A connection that a handler has taken over from HTTP, for responses that break the protocol. Over HTTP/2 it sends no further
/// frames except those written here.
public struct ServerRawConnection: Sendable {
    let channel: any Channel
    let anchor: ConnectionAnchor.Handle
    /// The output over HTTP/2, bypassing its frames.
    var wire: HTTP2Wire.Handle?

    /// Writes bytes unchanged and returns once they have been written to the socket.
    public func write(_ bytes: [UInt8]) async throws {
        try await write(ByteBuffer(bytes: bytes))
    }

    /// Writes text in UTF-8 unchanged.
    public func write(_ text: String) async throws {
        try await write(ByteBuffer(string: text))
    }

    private func write(_ buffer: ByteBuffer) async throws {
        guard let wire else { return try await channel.writeAndFlush(buffer).get() }
        try await wire.write(buffer)
    }

    /// The number of the request's HTTP/2 stream; `nil` over HTTP/1.
    public var stream: UInt32? { wire?.stream }

    /// Closes the connection gracefully: with TLS after `close_notify`.
    public func close() async {
        try? await channel.close().get()
    }

    /// Closes with a TCP reset by a linger time of zero; unsent bytes are lost.
    public func reset() async {
        await anchor.reset()
    }

    /// Returns when either side has closed the connection.
    public func waitForClose() async {
        try? await channel.closeFuture.get()
    }
}
