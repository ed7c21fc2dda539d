import NIOCore
import NIOPosix
import SternaCore

/// A proxy inside the test's process, on a free port of 127.0.0.1. It forwards HTTP, opens tunnels, speaks SOCKS, records its
/// connections, and fails on request.
///
/// It resolves no names: ``Options/routes`` maps them to ports, and otherwise it reaches only the loopback. It stops when it is
/// released.
public final class TestProxy: Sendable {
    /// The protocol of a proxy.
    public enum Kind: Sendable {
        /// HTTP in the clear: requests in absolute form (RFC 9112, 3.2.2), and CONNECT (RFC 9110, 9.3.6).
        case http
        /// HTTP over TLS with this certificate.
        case https(CertificateBundle)
        /// SOCKS version 5 (RFC 1928), with user names and passwords (RFC 1929).
        case socks5
    }

    /// The options of a proxy.
    public struct Options: Sendable {
        /// The protocol of the proxy; HTTP by default.
        public var kind: Kind
        /// The required user name, together with ``password``; `nil` admits every client.
        public var username: String?
        /// The required password if there is a user name; `nil` for an empty one.
        public var password: String?
        /// The demand for Digest in place of Basic, of a proxy with a user name; `nil`, the default, for Basic.
        public var digest: Digest?
        /// Ports of 127.0.0.1 by authority, such as `origin.test:443`, the host in lower case and without brackets.
        public var routes: [String: Int]
        /// The fault of the proxy; none by default.
        public var fault: Fault?
        /// The number of connections with the fault, from the first one on; `nil`, the default, for all.
        public var faultyConnections: Int?
        /// Whether the proxy sends its own responses byte by byte, about a millisecond apart; this affects neither relayed bytes
        /// nor HTTP/2. False by default.
        public var drips: Bool
        /// Whether a proxy behind TLS offers `h2` by ALPN, ahead of `http/1.1`; false by default. Over HTTP/2 it opens tunnels
        /// only, one per stream (RFC 9113, 8.5).
        public var http2 = false
        /// The number of tunnels a client may have on an HTTP/2 connection, `SETTINGS_MAX_CONCURRENT_STREAMS`; `nil`, the
        /// default, leaves the setting out. A client that has acknowledged the setting and opens more loses the connection.
        public var maximumStreams: Int?
        /// The number of bytes clients may send over HTTP/2, per tunnel and in all, before a window update; `nil` for 65,535.
        public var window: Int?

        /// Options of those parts.
        public init(
            _ kind: Kind = .http, username: String? = nil, password: String? = nil, routes: [String: Int] = [:],
            fault: Fault? = nil, faultyConnections: Int? = nil, drips: Bool = false, http2: Bool = false,
            maximumStreams: Int? = nil, window: Int? = nil, digest: Digest? = nil
        ) {
            self.digest = digest
            self.kind = kind
            self.username = username
            self.password = password
            self.routes = routes
            self.fault = fault
            self.faultyConnections = faultyConnections
            self.drips = drips
            self.http2 = http2
            self.maximumStreams = maximumStreams
            self.window = window
        }
    }

    let core: ProxyCore
    let listener: any Channel

    /// The port on 127.0.0.1 that the proxy listens on.
    public let port: Int

    private init(core: ProxyCore, listener: any Channel) {
        self.core = core
        self.listener = listener
        self.port = listener.localAddress?.port ?? 0
    }

    deinit {
        listener.close(promise: nil)
        core.abandon()
    }

    /// Starts a proxy.
    ///
    /// - Throws: The socket's error, or NIOSSL's when the certificate is unusable.
    public static func start(_ options: Options = Options()) async throws -> TestProxy {
        let core = ProxyCore(options)
        let pipeline = try ProxyPipeline(core)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { channel.setCloseOnExec() }
            }
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    channel.setCloseOnExec()
                    try pipeline.configure(channel)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return TestProxy(core: core, listener: listener)
    }

    /// Starts a proxy, passes it to the closure, and stops it afterwards, also if the closure throws.
    @discardableResult
    public static func withProxy<R>(
        _ options: Options = Options(), isolation: isolated (any Actor)? = #isolation,
        _ body: (TestProxy) async throws -> R
    ) async throws -> R {
        let proxy = try await start(options)
        let result: R
        do {
            result = try await body(proxy)
        } catch {
            try? await proxy.stop()
            throw error
        }
        try await proxy.stop()
        return result
    }

    /// Closes the listening socket and every connection, and returns when they are closed. A second call does nothing.
    public func stop() async throws {
        if listener.isActive { try await listener.close().get() }
        await core.closeAll()
    }

    /// The proxy's URL without credentials: `http://127.0.0.1:PORT`, `https://localhost:PORT` or
    /// `socks5h://127.0.0.1:PORT`.
    public var url: String { url(userinfo: "") }

    /// The proxy's URL with the required credentials, percent-encoded.
    public var urlWithCredentials: String {
        url(username: core.options.username ?? "", password: core.options.password ?? "")
    }

    /// Returns the proxy's URL with the given credentials, percent-encoded.
    public func url(username: String, password: String) -> String {
        url(userinfo: "\(ProxyText.percentEncoded(username)):\(ProxyText.percentEncoded(password))@")
    }

    private func url(userinfo: String) -> String {
        switch core.options.kind {
        case .http: "http://\(userinfo)127.0.0.1:\(port)"
        case .https: "https://\(userinfo)localhost:\(port)"
        case .socks5: "socks5h://\(userinfo)127.0.0.1:\(port)"
        }
    }
}

extension TestProxy {
    /// Forgets the nonces that it has given out, like a proxy that was restarted.
    public func forgetNonces() { core.forgetNonces() }
}

// MARK: Log

extension TestProxy {
    /// The number of open client connections.
    public var openConnections: Int { core.openConnections }

    /// The number of accepted connections.
    public var totalConnections: Int { core.connections.count }

    /// Returns every accepted connection, in order of acceptance, in its current state.
    public func connections() -> [Connection] { core.connections }

    /// Returns the heads of the received requests, by connection, and per connection in order of arrival.
    public func requests() -> [Request] { core.connections.flatMap(\.requests) }

    /// Returns when exactly so many client connections are open.
    ///
    /// - Throws: ``TestServer/TimeoutError`` if that does not happen in time.
    public func waitForOpenConnections(_ count: Int, within seconds: Double = 60) async throws {
        let core = core
        guard await core.changes.wait(within: seconds, { core.openConnections == count }) else {
            throw TestServer.TimeoutError(
                description: "\(openConnections) connections to the proxy open after \(seconds) s, not \(count)")
        }
    }

    /// Returns when the proxy has received at least so many messages that it answers or forwards: heads of requests; with SOCKS
    /// greetings, credentials and requests.
    ///
    /// - Throws: ``TestServer/TimeoutError`` if that does not happen in time.
    public func waitForMessages(_ count: Int, within seconds: Double = 60) async throws {
        let core = core
        guard await core.changes.wait(within: seconds, { core.messageCount >= count }) else {
            throw TestServer.TimeoutError(
                description: "\(core.messageCount) messages to the proxy after \(seconds) s, not \(count)")
        }
    }

    /// Returns when the proxy has received at least so many bytes, at most 64 KiB, through the tunnel of a connection.
    ///
    /// - Throws: ``TestServer/TimeoutError`` if that does not happen in time.
    public func waitForTunnel(_ count: Int, connection: Int, within seconds: Double = 60) async throws {
        let core = core
        let isThere: @Sendable () -> Bool = {
            let connections = core.connections
            return connections.indices.contains(connection) && connections[connection].tunnelled.count >= count
        }
        guard await core.changes.wait(within: seconds, isThere) else {
            throw TestServer.TimeoutError(description: "no \(count) bytes in tunnel \(connection) after \(seconds) s")
        }
    }
}
