import NIOCore
import NIOPosix
import NIOSSL
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// A server of HTTP/2 on 127.0.0.1 that follows a script frame by frame, right or wrong.
final class FramePeer: Sendable {
    private struct State {
        var connections: [PeerConnection] = []
        /// The errors of scripts, by the connection's number.
        var failures: [Int: any Error] = [:]
        var bodyHasEnded = false
    }

    let port: Int
    private let isTLS: Bool
    private let patience: Duration
    private let listener: any Channel
    private let accepted: Accepted

    /// Takes the connections from the listener.
    private final class Accepted: Sendable {
        let state = Mutex(State())
        let changes: PeerSignal
        let stream: AsyncStream<PeerConnection>
        let continuation: AsyncStream<PeerConnection>.Continuation

        init(loop: any EventLoop) {
            changes = PeerSignal(loop: loop)
            (stream, continuation) = AsyncStream.makeStream()
        }

        func add(_ make: (_ number: Int) -> PeerConnection) -> PeerConnection? {
            let connection = state.withLock { state -> PeerConnection? in
                guard !state.bodyHasEnded else { return nil }
                let connection = make(state.connections.count)
                state.connections.append(connection)
                return connection
            }
            changes.changed()
            return connection
        }
    }

    private init(port: Int, isTLS: Bool, patience: Duration, listener: any Channel, accepted: Accepted) {
        self.port = port
        self.isTLS = isTLS
        self.patience = patience
        self.listener = listener
        self.accepted = accepted
    }

    /// The root without a closing slash: `http://127.0.0.1:PORT`, with TLS `https://localhost:PORT`.
    var url: String { isTLS ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)" }

    /// The number of accepted connections.
    var connectionCount: Int { connections.count }

    /// The number of requests that began on all connections, whether or not scripts have taken them.
    var totalRequests: Int { connections.reduce(0) { $0 + $1.requestCount } }

    /// The connections accepted so far.
    var connections: [PeerConnection] { accepted.state.withLock { $0.connections } }

    /// A connection by its number; waits until it was accepted.
    func connection(_ number: Int) async throws -> PeerConnection {
        let deadline = NIODeadline.now() + TimeAmount(patience)
        while true {
            let version = accepted.changes.version
            let connections = self.connections
            if connections.indices.contains(number) { return connections[number] }
            guard await !accepted.changes.change(since: version, by: deadline) else { continue }
            try Task.checkCancellation()
            throw PeerError(.timeout, "no connection \(number) within \(patience), but \(connections.count)")
        }
    }

    /// Waits until the scripts of all connections accepted so far have ended.
    ///
    /// - Throws: The error that ended a script early, even if it is not an issue otherwise.
    func waitForScripts() async throws {
        for connection in connections {
            try await connection.waitForScript()
            if let failure = accepted.state.withLock({ $0.failures[connection.number] }) { throw failure }
        }
    }

    /// Starts a peer, hands it to the body, and closes everything when the body has ended.
    ///
    /// The script plays once for each connection, from the moment it is accepted, as a child task beside the body. A
    /// connection whose script has ended stays open until the client closes. What a script throws is recorded as an
    /// issue and closes its connection, except where the client closed while ``PeerConnection/request()`` waited, or
    /// where the body has ended and with it the connection; ``waitForScripts()`` at the end of a body throws in these
    /// pass.
    ///
    /// - Parameters:
    ///   - tls: A certificate to speak TLS with; `nil` for none.
    ///   - alpn: The names offered by ALPN where there is TLS; empty for no ALPN.
    ///   - answersPings: Whether each PING is acknowledged at once, unless the script says otherwise.
    ///   - patience: The longest wait for anything.
    static func withPeer<R>(
        tls: CertificateBundle? = nil, alpn: [String] = ["h2"], answersPings: Bool = true,
        patience: Duration = .seconds(100), location: SourceLocation = #_sourceLocation,
        isolation: isolated (any Actor)? = #isolation,
        _ script: @escaping @Sendable (PeerConnection) async throws -> Void, body: (FramePeer) async throws -> R
    ) async throws -> R {
        let peer = try await start(
            context: tls.map { try makeContext($0, alpn: alpn) }, answersPings: answersPings, patience: patience)
        return try await withThrowingTaskGroup(of: Void.self, isolation: isolation) { group in
            group.addTask { await peer.play(script, location: location) }
            let result: Result<R, any Error>
            do {
                result = .success(try await body(peer))
            } catch {
                result = .failure(error)
            }
            // Set before scripts are cancelled, so that their cancellation is not an issue.
            peer.accepted.state.withLock { $0.bodyHasEnded = true }
            group.cancelAll()
            await peer.stop()
            return try result.get()
        }
    }

    private static func start(
        context: NIOSSLContext?, answersPings: Bool, patience: Duration
    ) async throws -> FramePeer {
        let group = MultiThreadedEventLoopGroup.singleton
        let accepted = Accepted(loop: group.next())
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let socket = SocketHandler()
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(socket)
                    if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
                    let bound = NIOLoopBound(socket, eventLoop: channel.eventLoop)
                    let connection = accepted.add { number in
                        PeerConnection(
                            number: number, channel: channel, socket: bound, patience: patience,
                            answersPings: answersPings)
                    }
                    guard let connection else { return channel.close(promise: nil) }
                    try pipeline.addHandler(PeerHandler(connection: connection))
                    accepted.continuation.yield(connection)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return FramePeer(
            port: listener.localAddress?.port ?? 0, isTLS: context != nil, patience: patience, listener: listener,
            accepted: accepted)
    }

    private static func makeContext(_ bundle: CertificateBundle, alpn: [String]) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(bundle.certificateChainPEM.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(bundle.privateKeyPEM.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.applicationProtocols = alpn
        configuration.shutdownTimeout = .seconds(1)
        return try NIOSSLContext(configuration: configuration)
    }

    private func play(
        _ script: @escaping @Sendable (PeerConnection) async throws -> Void, location: SourceLocation
    ) async {
        await withDiscardingTaskGroup { group in
            for await connection in accepted.stream {
                group.addTask { await self.play(script, on: connection, location: location) }
            }
        }
    }

    private func play(
        _ script: @Sendable (PeerConnection) async throws -> Void, on connection: PeerConnection,
        location: SourceLocation
    ) async {
        do {
            try await script(connection)
        } catch {
            fail(connection, error, location)
            connection.scriptEnded()
            return await connection.abort()
        }
        connection.scriptEnded()
        await connection.hang()
        try? await connection.close()
    }

    private func fail(_ connection: PeerConnection, _ error: any Error, _ location: SourceLocation) {
        let bodyHasEnded = accepted.state.withLock { state in
            state.failures[connection.number] = error
            return state.bodyHasEnded
        }
        switch error {
        // The expectation has recorded its issue.
        case is ExpectationFailedError: return
        case let error as PeerError where error.kind == .noFurtherRequest: return
        case let error as PeerError where error.kind == .closed && bodyHasEnded: return
        case is CancellationError where bodyHasEnded: return
        default: Issue.record(error, "in the script of connection \(connection.number)", sourceLocation: location)
        }
    }

    private func stop() async {
        accepted.continuation.finish()
        try? await listener.close().get()
        for connection in connections { await connection.abort() }
    }
}
