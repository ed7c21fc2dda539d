import NIOCore

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
