import NIOCore
import Synchronization

/// Writes a streamed response body; each write returns once the bytes have left for the socket, so that a slow
/// client slows the writer and nothing is buffered beyond the piece in hand.
public struct ServerBodyWriter: Sendable {
    final class Progress: Sendable {
        let written = Mutex(0)
    }

    /// The connection's channel, or that of the HTTP/2 stream.
    let channel: any Channel
    let anchor: ConnectionAnchor.Handle
    let chunked: Bool
    let length: Int?
    let progress = Progress()

    /// Writes one piece: its own chunk where the body is chunked. An empty piece writes nothing.
    ///
    /// - Throws: A channel error when the client is gone, ``ServerRouteError`` when more than the declared length
    ///   would be written.
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
        guard chunked else { return try await channel.writeAndFlush(buffer).get() }
        let promise = channel.eventLoop.makePromise(of: Void.self)
        let channel = self.channel
        channel.eventLoop.execute {
            channel.write(ByteBuffer(string: String(count, radix: 16) + "\r\n"), promise: nil)
            channel.write(buffer, promise: nil)
            channel.writeAndFlush(ByteBuffer(string: "\r\n"), promise: promise)
        }
        try await promise.futureResult.get()
    }

    var isComplete: Bool {
        length.map { length in progress.written.withLock { $0 == length } } ?? true
    }
}

/// A connection a handler has taken out of HTTP's hands, for answers that break the protocol. One of HTTP/2 sends no
/// frames any more but those written here.
public struct ServerRawConnection: Sendable {
    let channel: any Channel
    let anchor: ConnectionAnchor.Handle
    /// Where the bytes go over HTTP/2, past its frames.
    var wire: HTTP2Wire.Handle?

    /// Writes bytes as they are and returns once they have left for the socket.
    public func write(_ bytes: [UInt8]) async throws {
        try await write(ByteBuffer(bytes: bytes))
    }

    /// Writes text in UTF-8 as it is.
    public func write(_ text: String) async throws {
        try await write(ByteBuffer(string: text))
    }

    private func write(_ buffer: ByteBuffer) async throws {
        guard let wire else { return try await channel.writeAndFlush(buffer).get() }
        try await wire.write(buffer)
    }

    /// The number of the HTTP/2 stream to be answered; `nil` over HTTP/1.
    public var stream: UInt32? { wire?.stream }

    /// Closes the connection in order: after TLS's `close_notify` where there is TLS.
    public func close() async {
        try? await channel.close().get()
    }

    /// Closes with a TCP reset by a linger time of zero; what is still unsent is lost.
    public func reset() async {
        await anchor.reset()
    }

    /// Returns when the connection is closed by whichever side.
    public func waitForClose() async {
        try? await channel.closeFuture.get()
    }
}
