import NIOCore
import NIOPosix
import SternaCore

/// An HTTP server inside the test's process, with httpbin's routes, routes for faults, and routes of the test's own.
///
/// It supports HTTP/1.1, and HTTP/2 if ``Options/http2`` enables it; every route answers over both. `GET /` lists the built-in
/// routes. Every response body is sent at the client's pace, and request bodies are read at the handler's.
public final class TestServer: Sendable {
    /// The options of a server.
    public struct Options: Sendable {
        /// The address to listen on, `127.0.0.1` by default; an IPv6 address without brackets.
        public var host: String
        /// The port; 0, the default, for any free one.
        public var port: Int
        /// The certificate for TLS; `nil`, the default, serves in the clear.
        public var tls: CertificateBundle?
        /// Versions, ALPN and client authentication, used with TLS only.
        public var tlsSettings = ServerTLSSettings()
        /// The client's signs that make the server use HTTP/2; none by default.
        public var http2: ServerHTTP2
        /// The HTTP/2 settings of the server.
        public var http2Settings = ServerHTTP2Settings()
        /// How long a connection may be without a request before the server closes it, over HTTP/2 with a `GOAWAY`; `nil` for no
        /// limit. 60 s by default.
        public var idleTimeout: Duration?
        /// The number of requests that ``TestServer/requests()`` keeps, 1000 by default.
        public var recordedRequests: Int
        /// The number of bytes of each request's body that ``TestServer/requests()`` keeps, 16 KiB by default.
        public var recordedBodyBytes = 16 << 10

        /// Options with the defaults above.
        public init(
            host: String = "127.0.0.1", port: Int = 0, tls: CertificateBundle? = nil, http2: ServerHTTP2 = [],
            idleTimeout: Duration? = .seconds(60), recordedRequests: Int = 1000
        ) {
            self.host = host
            self.port = port
            self.tls = tls
            self.http2 = http2
            self.idleTimeout = idleTimeout
            self.recordedRequests = recordedRequests
        }
    }

    /// A request that the server received.
    public struct RecordedRequest: Sendable, Hashable {
        /// The method as sent.
        public let method: String
        /// The request target as sent.
        public let target: String
        /// The header fields as sent.
        public let headers: ServerHeaders
        /// The bytes of the body without its transfer coding; 0 until the body is complete.
        public internal(set) var bodySize: Int
        /// The beginning of the body, at most ``Options/recordedBodyBytes``; empty until the body is complete.
        public internal(set) var body: [UInt8] = []
        /// The number of the request's connection, 0 for the first one accepted.
        public let connection: Int
        /// The HTTP version of the request. Over HTTP/2 the names of header fields are in lower case, and they include
        /// `:authority` as `host`.
        public let version: ServerHTTPVersion

        /// The body as UTF-8 text, empty until the body is complete; nil if it is longer than ``Options/recordedBodyBytes``.
        /// Invalid bytes become U+FFFD.
        ///
        /// A route that does not read its request's body may answer before the body is complete.
        public var bodyText: String? { body.count == bodySize ? String(decoding: body, as: UTF8.self) : nil }
    }

    /// A condition that was not met in time.
    public struct TimeoutError: Error, Sendable, CustomStringConvertible {
        /// The condition, and its state at the end.
        public let description: String
    }

    private let core: ServerCore
    private let listener: any Channel
    private let host: String

    /// The port that the server listens on.
    public let port: Int

    private init(core: ServerCore, listener: any Channel, host: String) {
        self.core = core
        self.listener = listener
        self.port = listener.localAddress?.port ?? 0
        self.host = host
    }

    /// Starts a server on the process-wide event loops.
    ///
    /// - Throws: The socket's error when the address cannot be bound, NIOSSL's when the certificate is unusable.
    public static func start(_ options: Options = Options()) async throws -> TestServer {
        try await start(options, group: MultiThreadedEventLoopGroup.singleton)
    }

    static func start(_ options: Options, group: any EventLoopGroup) async throws -> TestServer {
        let core = ServerCore(
            scheme: options.tls == nil ? "http" : "https", idleTimeout: options.idleTimeout,
            recordLimit: options.recordedRequests, bodyRecordLimit: options.recordedBodyBytes)
        let pipeline = try ServerPipeline(options, core: core)
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
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
            .bind(host: options.host, port: options.port).get()
        var host = options.host.contains(":") ? "[\(options.host)]" : options.host
        if options.tls != nil && options.host == "127.0.0.1" { host = "localhost" }
        return TestServer(core: core, listener: listener, host: host)
    }

    /// Starts a server, passes it to the closure, and stops it afterwards, also if the closure throws.
    @discardableResult
    public static func withServer<R>(
        _ options: Options = Options(), isolation: isolated (any Actor)? = #isolation,
        _ body: (TestServer) async throws -> R
    ) async throws -> R {
        let server = try await start(options)
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
        "\(core.scheme)://\(host):\(port)"
    }

    /// Returns the URL of a path, which should begin with a slash.
    public func url(_ path: String) -> String {
        url + path
    }

    /// Closes the listening socket and every open connection, and returns when they are closed. A second call does
    /// nothing.
    public func stop() async throws {
        if listener.isActive { try await listener.close().get() }
        await core.closeAll()
    }

    /// Resets a client connection, for instance within a route, before the server reads on; has no effect if it is closed.
    ///
    /// - Parameter number: that of ``ServerRequest/connection``.
    public func resetConnection(_ number: Int) async { await core.reset(number) }

    /// The number of open client connections.
    public var openConnections: Int { core.openConnections }

    /// The number of accepted connections.
    public var totalConnections: Int { core.totalConnections }

    /// The number of accepted connections that use HTTP/2.
    public var totalHTTP2Connections: Int { core.totalHTTP2Connections }

    /// The number of open HTTP/2 streams on all connections.
    public var openStreams: Int { core.openStreams }

    /// The number of received request heads.
    public var requestCount: Int { core.requestCount }

    /// Returns the number of request heads received in a version of HTTP.
    public func requestCount(over version: ServerHTTPVersion) -> Int {
        core.requestCount(over: version)
    }

    /// Returns the last requests in the order in which their heads were received, at most ``Options/recordedRequests`` of them.
    public func requests() -> [RecordedRequest] { core.records }

    /// Adds a route, which takes precedence over the built-in ones and over earlier ones of the same path.
    ///
    /// - Parameters:
    ///   - method: The method in upper case, `nil` for all. `GET` also answers `HEAD`, without the body.
    ///   - path: A path; a segment `{name}` matches any one segment and is in ``ServerRequest/parameters``, a last segment `*`
    ///     matches the rest.
    ///   - handler: Answers a request. A ``ServerRouteError`` becomes its status, a ``ServerStreamReset`` resets the stream, and
    ///     any other error becomes status 500. Its task is cancelled when the client closes.
    public func route(
        _ method: String?, _ path: String,
        _ handler: @escaping @Sendable (ServerRequest) async throws -> ServerResponse
    ) {
        core.add(ServerRoute(method.map { [$0] }, path, .suspending(handler)))
    }

    /// Returns when exactly so many client connections are open.
    ///
    /// - Throws: ``TimeoutError`` if that does not happen in time.
    public func waitForOpenConnections(_ count: Int, within seconds: Double = 60) async throws {
        guard await core.changes.wait(within: seconds, { [core] in core.openConnections == count }) else {
            throw TimeoutError(
                description: "\(openConnections) connections open after \(seconds) s, not \(count)")
        }
    }

    /// Returns when exactly so many HTTP/2 streams are open.
    ///
    /// - Throws: ``TimeoutError`` if that does not happen in time.
    public func waitForOpenStreams(_ count: Int, within seconds: Double = 60) async throws {
        guard await core.changes.wait(within: seconds, { [core] in core.openStreams == count }) else {
            throw TimeoutError(description: "\(openStreams) streams open after \(seconds) s, not \(count)")
        }
    }

    /// Returns when the server has received at least so many request heads.
    ///
    /// - Throws: ``TimeoutError`` if that does not happen in time.
    public func waitForRequests(_ count: Int, within seconds: Double = 60) async throws {
        guard await core.changes.wait(within: seconds, { [core] in core.requestCount >= count }) else {
            throw TimeoutError(description: "\(requestCount) requests after \(seconds) s, not \(count)")
        }
    }
}
