import Crypto
import NIOCore
import NIOPosix
import SternaCore
import SternaPlatform

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

extension TestProxy {
    /// A proxy's demand for Digest credentials (RFC 7616).
    public struct Digest: Sendable, Hashable {
        /// The hash algorithm.
        public enum Algorithm: String, Sendable, Hashable, CaseIterable {
            case md5 = "MD5"
            case sha256 = "SHA-256"
        }

        /// The hash algorithm, SHA-256 by default.
        public var algorithm: Algorithm
        /// The offered quality (`qop`), `auth` by default; `nil` for none, as in RFC 2069. With `auth-int`, the bodies of requests
        /// have to be empty.
        public var quality: String?
        /// The number of requests that a nonce admits before it is stale; `nil`, the default, for any.
        public var nonceUses: Int?
        /// Whether Basic is also offered, in a field line ahead of Digest, and accepted; false by default.
        public var offersBasic: Bool
        /// Whether a challenge for an old nonce says that it is stale; true by default.
        public var saysStale: Bool

        static let basicChallenge = "Basic realm=\"test proxy\""

        /// Makes a demand.
        public init(
            _ algorithm: Algorithm = .sha256, quality: String? = "auth", nonceUses: Int? = nil,
            offersBasic: Bool = false,
            saysStale: Bool = true
        ) {
            self.algorithm = algorithm
            self.quality = quality
            self.nonceUses = nonceUses
            self.offersBasic = offersBasic
            self.saysStale = saysStale
        }
    }
}

extension TestProxy.Request {
    /// The parameters of Digest in Proxy-Authorization, without quotes, their names in lower case; `nil` for another scheme.
    public var digest: [String: String]? {
        guard let value = headers["Proxy-Authorization"], value.hasPrefix("Digest ") else { return nil }
        var found: [String: String] = [:]
        // The values of the tests hold no commas.
        for part in value.dropFirst(7).split(separator: ",") {
            guard let equals = part.firstIndex(of: "=") else { continue }
            var text = ASCIIText.trimmed(part[part.index(after: equals)...])
            if text.hasPrefix("\""), text.hasSuffix("\""), text.utf8.count > 1 {
                text = String(text.dropFirst().dropLast())
            }
            found[ASCIIText.trimmed(part[..<equals]).lowercased()] = text
        }
        return found
    }
}

/// The nonces that a proxy has given out, with the counts that it has seen.
struct ProxyNonces {
    private var used: [String: Set<String>] = [:]

    /// Returns nil to admit a request, else whether only its nonce is out of date.
    mutating func isStale(
        _ request: TestProxy.Request, _ digest: TestProxy.Digest, username: String, password: String
    ) -> Bool? {
        guard let sent = request.digest, sent["username"] == username, sent["realm"] == "test proxy",
            sent["uri"] == request.target, sent["qop"] == digest.quality,
            sent["algorithm"] == digest.algorithm.rawValue,
            let nonce = sent["nonce"], let response = sent["response"]
        else { return false }
        func hash(_ text: String) -> String {
            let bytes = Array(text.utf8)
            return switch digest.algorithm {
            case .md5: ASCIIText.hex(Array(Insecure.MD5.hash(data: bytes)))
            case .sha256: ASCIIText.hex(Array(SHA256.hash(data: bytes)))
            }
        }
        let secret = hash("\(username):test proxy:\(password)")
        var target = "\(request.method):\(request.target)"
        if digest.quality == "auth-int" { target += ":" + hash("") }
        var middle = ""
        if let quality = digest.quality { middle = ":\(sent["nc"] ?? ""):\(sent["cnonce"] ?? ""):\(quality)" }
        guard response == hash("\(secret):\(nonce)\(middle):\(hash(target))") else { return false }
        guard var counts = used[nonce], digest.nonceUses.map({ counts.count < $0 }) ?? true else { return true }
        // Without a quality, requests carry no count.
        guard counts.insert(sent["nc"] ?? "\(counts.count)").inserted else { return true }
        used[nonce] = counts
        return nil
    }

    /// The value of Proxy-Authenticate, with a new nonce.
    mutating func challenge(_ digest: TestProxy.Digest, isStale: Bool) -> String {
        let nonce = "nonce-\(used.count + 1)"
        used[nonce] = []
        var value =
            "Digest realm=\"test proxy\", nonce=\"\(nonce)\", algorithm=\(digest.algorithm.rawValue), opaque=\"o\\\"p\""
        if let quality = digest.quality { value += ", qop=\"\(quality)\"" }
        if isStale, digest.saysStale { value += ", stale=true" }
        return value
    }

    /// Forgets all nonces, as after a restart.
    mutating func forget() {
        // Renamed, so that new nonces get new numbers.
        used = Dictionary(uniqueKeysWithValues: used.keys.map { ("\($0)-forgotten", []) })
    }
}

extension TestProxy {
    /// A user name and a password.
    public struct Credentials: Sendable, Hashable {
        /// The user name.
        public var username: String
        /// The password.
        public var password: String

        /// Makes credentials of a name and a password.
        public init(_ username: String, _ password: String) {
            self.username = username
            self.password = password
        }
    }

    /// The head of a request that a proxy received.
    public struct Request: Sendable, Hashable {
        /// The method as sent.
        public let method: String
        /// The request target as sent: an absolute URL, or an authority with CONNECT, which in HTTP/2 is `:authority`.
        public let target: String
        /// The protocol version as sent, `HTTP/1.1` for instance; `HTTP/2` for a request on a stream.
        public let version: String
        /// The header fields as sent, without the pseudo-header fields of HTTP/2.
        public let headers: ServerHeaders
        /// The number of the request's connection, 0 for the first one accepted.
        public let connection: Int

        /// The Basic credentials in Proxy-Authorization; `nil` if there are none that can be read.
        public var credentials: Credentials? {
            headers["Proxy-Authorization"].flatMap(ProxyText.basicCredentials)
        }

        /// The lines of the head.
        public var text: String { "\(method) \(target) \(version)\n\(headers)" }
    }

    /// A client's request to a SOCKS proxy.
    public struct SOCKSRequest: Sendable, Hashable {
        /// The form of the destination.
        public enum AddressType: UInt8, Sendable, Hashable {
            /// An IPv4 address.
            case ipv4 = 1
            /// A domain name, which the proxy resolves.
            case name = 3
            /// An IPv6 address.
            case ipv6 = 4
        }

        /// The command: 1 is CONNECT.
        public let command: UInt8
        /// The form of the destination.
        public let addressType: AddressType
        /// The destination: a name as sent, or an address as text without brackets.
        public let host: String
        /// The destination's port.
        public let port: Int
    }

    /// A client's connection to a proxy.
    public struct Connection: Sendable, Hashable {
        /// The connection's number, 0 for the first one accepted.
        public let number: Int
        /// Whether the connection is still open.
        public internal(set) var isOpen = true
        /// Whether the connection uses HTTP/2.
        public internal(set) var isHTTP2 = false
        /// The tunnels requested over HTTP/2, in order.
        public internal(set) var tunnels: [Tunnel] = []
        /// The client's protocol violation that ended the HTTP/2 connection; `nil` if there was none.
        public internal(set) var violation: String?
        /// The heads of the received requests, in order; content of tunnels is not inspected.
        public internal(set) var requests: [Request] = []
        /// The methods of authentication that a SOCKS client offered: 0 none, 2 user name and password.
        public internal(set) var socksMethods: [UInt8] = []
        /// The credentials that a SOCKS client sent.
        public internal(set) var socksCredentials: Credentials?
        /// The request of a SOCKS client.
        public internal(set) var socksRequest: SOCKSRequest?
        /// The number of bytes that the client had sent after its request for a tunnel when the proxy's response was complete.
        public internal(set) var bytesBeforeResponse = 0
        /// The first 64 KiB that the client sent through the tunnel, over HTTP/2 through all of them.
        public internal(set) var tunnelled: [UInt8] = []

        static let tunnelLimit = 64 << 10

        init(number: Int) { self.number = number }

        /// Whether the client sent any credentials to the proxy, readable or not.
        public var showedCredentials: Bool {
            socksCredentials != nil || requests.contains { $0.headers.contains("Proxy-Authorization") }
        }

        /// The number of open HTTP/2 tunnels, answered or not.
        public var openTunnels: Int { tunnels.count { $0.isOpen } }

        /// Whether a text occurs in the recorded bytes of the tunnel, or over HTTP/2 of any tunnel.
        public func tunnelHolds(_ text: String) -> Bool {
            isHTTP2 ? tunnels.contains { $0.holds(text) } : Self.holds(tunnelled, text)
        }

        static func holds(_ bytes: [UInt8], _ text: String) -> Bool {
            let needle = Array(text.utf8)
            guard !needle.isEmpty, needle.count <= bytes.count else { return needle.isEmpty }
            return (0...bytes.count - needle.count).contains { bytes[$0...].starts(with: needle) }
        }
    }

    /// A fault of a proxy.
    ///
    /// A message is a request's head, or with SOCKS a greeting, credentials, or a request. Messages are counted per connection.
    /// Over HTTP/2 a fault that closes nothing affects only the streams of such messages, and the others continue; only after
    /// ``sends(_:after:)`` does the connection send nothing more on any stream.
    public enum Fault: Sendable, Hashable {
        /// Answers each request, CONNECT or not, with a status and a body; 407 always requests Basic credentials.
        case refuses(status: Int, body: String = "")
        /// Answers a SOCKS request with a code other than 0.
        case refusesAddress(code: UInt8)
        /// Answers a SOCKS greeting with 255: no acceptable methods.
        case refusesMethods
        /// Closes a connection as soon as it is accepted.
        case closesAtOnce
        /// Closes the connection at the first message after so many.
        case closes(after: Int = 0)
        /// Holds the connection open but stops answering at the first message after so many.
        case stalls(after: Int = 0)
        /// Sends bytes in place of a response to the first message after so many, and then nothing more.
        case sends([UInt8], after: Int = 0)
        /// Opens the tunnel with this text in place of its response to CONNECT; over HTTP/2 with the statuses and fields of its
        /// heads, as far as HTTP/2 has them and each within 16 KiB.
        case answersConnect(String)
        /// Resets the HTTP/2 stream of each message after so many, in place of a response.
        case resets(code: UInt32, after: Int = 0)
        /// Answers the first HTTP/2 message after so many by a `GOAWAY` that names the last stream before it: that message and
        /// later ones are not answered, and the tunnels before them continue.
        case goesAway(after: Int = 0)
        /// Replaces type, address and port of its reply to a SOCKS request with these bytes, and opens the tunnel.
        case binds([UInt8])

        /// Opens the tunnel with a response to CONNECT whose head has so many bytes.
        public static func longResponse(_ count: Int) -> Fault {
            let (start, end) = ("HTTP/1.1 200 OK\r\nX-Fill: ", "\r\n\r\n")
            let fill = max(0, count - start.utf8.count - end.utf8.count)
            return .answersConnect(start + String(repeating: "f", count: fill) + end)
        }
    }
}

extension TestProxy {
    /// A tunnel that a client requested over HTTP/2.
    public struct Tunnel: Sendable, Hashable {
        /// The number of the tunnel's connection, 0 for the first one accepted.
        public let connection: Int
        /// The identifier of the tunnel's stream.
        public let stream: UInt32
        /// The requested destination: `:authority` as sent.
        public let target: String
        /// Whether the stream is still open, answered or not, in one direction or both.
        public internal(set) var isOpen = true
        /// The status of the last response sent; `nil` if there was none.
        public internal(set) var status: Int?
        /// The error code of the client's reset of the stream; `nil` if there was none.
        public internal(set) var reset: UInt32?
        /// Whether the client ended its half by `END_STREAM`.
        public internal(set) var isEnded = false
        /// The number of bytes that the client sent through the tunnel.
        public internal(set) var bytesFromClient = 0
        /// The number of bytes that the proxy has sent through the tunnel, as far as the client's windows allowed.
        public internal(set) var bytesToClient = 0
        /// The first 64 KiB that the client sent through the tunnel.
        public internal(set) var tunnelled: [UInt8] = []

        init(connection: Int, stream: UInt32, target: String) {
            self.connection = connection
            self.stream = stream
            self.target = target
        }

        /// Whether a text occurs in the recorded bytes of the client.
        public func holds(_ text: String) -> Bool { Connection.holds(tunnelled, text) }
    }
}

// MARK: Log

extension TestProxy {
    /// The number of open HTTP/2 tunnels on all connections, answered or not.
    public var openTunnels: Int { core.openTunnels }

    /// Returns every tunnel requested over HTTP/2, by connection, and per connection in order of arrival.
    public func tunnels() -> [Tunnel] { core.connections.flatMap(\.tunnels) }

    /// Returns when exactly so many HTTP/2 tunnels are open, answered or not.
    ///
    /// - Throws: ``TestServer/TimeoutError`` if that does not happen in time.
    public func waitForOpenTunnels(_ count: Int, within seconds: Double = 60) async throws {
        let core = core
        guard await core.changes.wait(within: seconds, { core.openTunnels == count }) else {
            throw TestServer.TimeoutError(description: "\(openTunnels) tunnels open after \(seconds) s, not \(count)")
        }
    }

    /// Returns when a condition on the HTTP/2 tunnels holds; it is evaluated at every change.
    ///
    /// - Throws: ``TestServer/TimeoutError`` if that does not happen in time.
    public func waitForTunnels(
        within seconds: Double = 60, where isMet: @escaping @Sendable ([Tunnel]) -> Bool
    ) async throws {
        let core = core
        guard await core.changes.wait(within: seconds, { isMet(core.connections.flatMap(\.tunnels)) }) else {
            let shown = tunnels().map { "\($0.connection)/\($0.stream) \($0.target) open: \($0.isOpen)" }
            throw TestServer.TimeoutError(description: "the tunnels after \(seconds) s: \(shown)")
        }
    }
}

// MARK: Commands

extension TestProxy {
    /// Sends a `GOAWAY` that names the last accepted tunnel, on one HTTP/2 connection or on all open ones. The tunnels continue,
    /// further ones are not accepted, and the client should close.
    public func goAway(connection: Int? = nil) async { await core.withStreams(of: connection) { $0.goAway() } }

    /// Resets every open tunnel, on one HTTP/2 connection or on all, with a code (RFC 9113, 7).
    public func resetTunnels(code: UInt32, connection: Int? = nil) async {
        await core.withStreams(of: connection) { $0.resetTunnels(code) }
    }

    /// Ends every open tunnel, on one HTTP/2 connection or on all, by `END_STREAM`, as when its destination closes.
    public func endTunnels(connection: Int? = nil) async { await core.withStreams(of: connection) { $0.endTunnels() } }

    /// Closes a connection or all open ones, without a TLS or HTTP/2 message; new ones are still accepted.
    public func closeConnections(_ connection: Int? = nil, byReset: Bool = false) async {
        await core.closeOpen(connection, byReset: byReset)
    }

    /// Stops reading from the open connections, and therefore every response that depends on their input.
    public func pauseReading() async { await core.read(false) }

    /// Resumes reading, beginning with the bytes that have arrived meanwhile.
    public func resumeReading() async { await core.read(true) }

    /// Stops accepting connections: clients still connect, but their TLS handshakes get no answer.
    public func pauseAccepting() async throws { try await listener.setOption(.autoRead, value: false).get() }

    /// Accepts the waiting connections and further ones.
    public func resumeAccepting() async throws { try await listener.setOption(.autoRead, value: true).get() }
}
