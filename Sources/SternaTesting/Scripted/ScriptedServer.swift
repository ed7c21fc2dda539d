import NIOCore
import NIOPosix
import NIOSSL
import SternaCore

/// A peer that sends exactly the bytes that a test scripts, HTTP or not, for cases that no conforming server produces.
public final class ScriptedServer: Sendable {
    /// One step of the server's script on a connection. Steps run one after the other.
    ///
    /// A step that fails, or that waits for bytes after the peer has closed its sending side, ends the script and closes the
    /// connection like ``closeAbruptly``.
    public enum Step: Sendable {
        /// Waits for a blank line (CR LF CR LF) after the bytes taken by earlier steps, and takes the bytes up to its end.
        case receiveHead
        /// Waits for so many further bytes, and takes them.
        case receive(atLeast: Int)
        /// Sends text in UTF-8.
        case send(String)
        /// Sends bytes.
        case sendBytes([UInt8])
        /// Sends bytes so many times at the peer's pace; `nil` until the peer closes.
        case sendRepeating([UInt8], count: Int?)
        /// Sends bytes in pieces of that size, each in a separate write.
        case sendSplit([UInt8], pieceSize: Int)
        /// Waits.
        case pause(milliseconds: Int)
        /// Closes gracefully, with TLS after `close_notify`.
        case close
        /// Closes the sending side only and continues to receive.
        case closeOutput
        /// Closes by FIN without TLS's `close_notify`; without TLS like ``close``.
        case closeAbruptly
        /// Closes by a TCP reset.
        case reset
        /// Does nothing more and holds the connection open until the server stops, even after the peer closes.
        case hang
        /// Waits until the peer has closed its sending side.
        case waitForClose
    }

    private let state: ScriptedState
    private let listener: any Channel
    private let isTLS: Bool

    /// The port on 127.0.0.1 that the server listens on.
    public let port: Int

    private init(state: ScriptedState, listener: any Channel, isTLS: Bool) {
        self.state = state
        self.listener = listener
        self.isTLS = isTLS
        self.port = listener.localAddress?.port ?? 0
    }

    /// Starts a server on 127.0.0.1 at any free port.
    ///
    /// - Parameters:
    ///   - tls: A certificate for TLS; `nil` for none.
    ///   - tlsSettings: Versions, ALPN and client authentication, used with TLS only.
    ///   - connections: The n-th accepted connection plays the n-th script, later ones the last. After its last step a
    ///     connection stays open until the peer closes. Without scripts every connection does only that.
    /// - Throws: The socket's error, or NIOSSL's when the certificate is unusable.
    public static func start(
        tls: CertificateBundle? = nil, tlsSettings: ServerTLSSettings = ServerTLSSettings(), connections: [[Step]]
    ) async throws -> ScriptedServer {
        let context = try tls.map { try tlsSettings.makeContext($0) }
        let state = ScriptedState()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { channel.setCloseOnExec() }
            }
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    channel.setCloseOnExec()
                    let anchor = ConnectionAnchor()
                    let handle = ConnectionAnchor.Handle(
                        anchor: NIOLoopBound(anchor, eventLoop: channel.eventLoop), channel: channel)
                    let connection = ScriptedConnection(channel: channel, anchor: handle)
                    guard let number = state.accepted(connection) else {
                        channel.close(promise: nil)
                        return
                    }
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(anchor)
                    if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
                    let script = connections.isEmpty ? [] : connections[min(number, connections.count - 1)]
                    try pipeline.addHandler(ScriptedHandler(connection: connection))
                    connection.play(script)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return ScriptedServer(state: state, listener: listener, isTLS: context != nil)
    }

    /// Starts a server, passes it to the closure, and stops it afterwards, also if the closure throws.
    @discardableResult
    public static func withServer<R>(
        tls: CertificateBundle? = nil, connections: [[Step]], isolation: isolated (any Actor)? = #isolation,
        _ body: (ScriptedServer) async throws -> R
    ) async throws -> R {
        let server = try await start(tls: tls, connections: connections)
        let result: R
        do {
            result = try await body(server)
        } catch {
            try? await server.stop()
            throw error
        }
        try await server.stop()
        return result
    }

    /// The server's root without a closing slash: `http://127.0.0.1:PORT`, with TLS `https://localhost:PORT`.
    public var url: String {
        isTLS ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)"
    }

    /// Returns the URL of a path, which should begin with a slash.
    public func url(_ path: String) -> String {
        url + path
    }

    /// Closes the listening socket and every connection, and returns when they are closed.
    public func stop() async throws {
        if listener.isActive { try await listener.close().get() }
        for connection in state.stop() { await connection.abort() }
    }

    /// The number of accepted connections.
    public var acceptedConnections: Int { state.count }

    /// Returns the bytes that a connection has received so far, at most the first 16 MiB; with TLS the decrypted ones.
    /// Connections are numbered from 0; for an unknown number the result is empty.
    public func received(connection: Int) -> [UInt8] {
        state.connection(connection)?.received ?? []
    }

    /// Returns true once so many connections have been accepted, or false if the time elapses first.
    public func waitForConnections(_ count: Int, within seconds: Double = 60) async -> Bool {
        await state.changes.wait(within: seconds) { self.state.count >= count }
    }

    /// Returns true once the peer has closed its sending side or the connection is closed, or false if the time elapses first. It
    /// also waits for a connection that is not yet open.
    public func waitForClose(connection: Int, within seconds: Double = 60) async throws -> Bool {
        await wait(for: connection, within: seconds) { $0.peerClosed }
    }

    /// Returns true once a connection has received so many bytes, at most 16 MiB, or false if the time elapses first.
    public func waitForReceived(_ count: Int, connection: Int, within seconds: Double = 60) async -> Bool {
        await wait(for: connection, within: seconds) { $0.received.count >= count }
    }

    /// Waits for a connection, and in the rest of the time for a condition on it.
    private func wait(
        for connection: Int, within seconds: Double, _ isMet: @escaping @Sendable (ScriptedConnection) -> Bool
    ) async -> Bool {
        let start = ContinuousClock.now
        guard await waitForConnections(connection + 1, within: seconds), let found = state.connection(connection)
        else { return false }
        let left = ChangeSignal.duration(seconds) - (ContinuousClock.now - start)
        return await found.changes.wait(within: left / .seconds(1)) { isMet(found) }
    }
}
