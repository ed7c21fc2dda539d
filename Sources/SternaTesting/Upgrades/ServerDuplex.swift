public import NIOCore
public import SternaCore
import Synchronization

/// The bytes of a connection, or an HTTP/2 stream, that a route has switched to another protocol.
///
/// Both directions have back-pressure: a slow reader stops the client, and a write waits for the client to read. ``close()`` ends
/// it, as the end of the route's closure does.
public final class ServerDuplex: Sendable {
    private let pipe: ServerBodyPipe?
    private let output: any ServerDuplexOutput
    private let isFinished = Mutex(false)

    init(pipe: ServerBodyPipe?, output: any ServerDuplexOutput) { (self.pipe, self.output) = (pipe, output) }

    /// Returns the next bytes of the client, never empty, or nil after the end of its direction.
    ///
    /// - Throws: `CancellationError` if the connection ended before the client's direction did, if another task is reading, or if
    ///   the Swift task is cancelled, after which nothing more is read.
    public func read() async throws -> Bytes? { try await pipe?.next() }

    /// Whether the client has ended its direction, as far as the connection has been read.
    var clientHasEnded: Bool { pipe?.hasEnded ?? true }

    /// Writes bytes, and returns once they have been written to the socket, or a mock's client has room for them.
    ///
    /// - Throws: A channel error if the connection has ended, or this side has finished.
    public func write(_ bytes: Bytes) async throws { try await put(bytes).get() }

    /// Writes bytes, as the other method does.
    public func write(_ bytes: [UInt8]) async throws { try await write(Bytes(copying: bytes)) }

    /// Writes text in UTF-8.
    public func write(_ text: String) async throws { try await write(Bytes(text: text)) }

    /// Ends this side's direction after the bytes so far; the client's may go on. A second call does nothing.
    public func finish() async throws { try await end()?.get() }

    /// Ends this side's direction, discards what the client still sends, and returns once it has ended its own; after two seconds
    /// the connection is closed without that.
    public func close() async {
        try? await finish()
        await output.close()
    }

    /// Ends both directions at once: by a TCP reset, over HTTP/2 by `RST_STREAM` with `CANCEL`. Unsent bytes are lost.
    public func reset() async { await output.reset(.cancel) }

    /// Writes bytes after those of earlier calls, and returns what completes once they are written.
    func put(_ bytes: Bytes) -> EventLoopFuture<Void> {
        isFinished.withLock { isFinished in
            if isFinished { return output.loop.makeFailedFuture(ChannelError.outputClosed) }
            return bytes.isEmpty ? output.loop.makeSucceededVoidFuture() : output.put(bytes)
        }
    }

    /// Returns what completes once this side has ended; nil if it has been ended before.
    private func end() -> EventLoopFuture<Void>? {
        isFinished.withLock { isFinished in
            if isFinished { return nil }
            isFinished = true
            return output.finish()
        }
    }

    /// Runs a route's closure, and ends the stream after it.
    func serve(_ run: ServerUpgrade.Run) async {
        do {
            try await run(self)
            await close()
        } catch {
            await output.reset(error as? ServerStreamReset ?? .internalError)
        }
    }
}

/// The sending side of a ``ServerDuplex``.
protocol ServerDuplexOutput: Sendable {
    var loop: any EventLoop { get }

    /// Writes bytes in the order of the calls. The result completes at the client's pace.
    func put(_ bytes: Bytes) -> EventLoopFuture<Void>

    /// Ends this direction after the bytes so far; called once.
    func finish() -> EventLoopFuture<Void>

    /// Waits for the client's end, but not for long, and closes. Called after `finish`.
    func close() async

    /// Ends both directions at once.
    func reset(_ reset: ServerStreamReset) async
}
