import NIOCore

extension TestProxy {
    /// A tunnel that a client asked for over HTTP/2.
    public struct Tunnel: Sendable, Hashable {
        /// The number of the connection it was asked for on, 0 for the first one accepted.
        public let connection: Int
        /// The identifier of its stream.
        public let stream: UInt32
        /// Where it was to lead: `:authority` as sent.
        public let target: String
        /// Whether its stream is open still, answered or not, in one direction or both.
        public internal(set) var isOpen = true
        /// The status of the last answer sent; `nil` where there was none.
        public internal(set) var status: Int?
        /// The code that the client reset the stream with; `nil` where it did not.
        public internal(set) var reset: UInt32?
        /// Whether the client ended its half by `END_STREAM`.
        public internal(set) var isEnded = false
        /// How many bytes the client sent through it.
        public internal(set) var bytesFromClient = 0
        /// How many bytes the proxy could send through it, as far as the client's windows let them.
        public internal(set) var bytesToClient = 0
        /// The first 64 KiB that the client sent through it.
        public internal(set) var tunnelled: [UInt8] = []

        init(connection: Int, stream: UInt32, target: String) {
            self.connection = connection
            self.stream = stream
            self.target = target
        }

        /// Whether a text stands in what the client sent through it, as far as it was kept.
        public func holds(_ text: String) -> Bool { Connection.holds(tunnelled, text) }
    }
}

// MARK: What it saw

extension TestProxy {
    /// How many tunnels of HTTP/2 are open now on all connections, answered or not.
    public var openTunnels: Int { core.openTunnels }

    /// Every tunnel that was asked for over HTTP/2, in the order of their connections and on each in order of arrival.
    public func tunnels() -> [Tunnel] { core.connections.flatMap(\.tunnels) }

    /// Returns when exactly so many tunnels of HTTP/2 are open, answered or not.
    ///
    /// - Throws: ``TestServer/TimeoutError`` when that did not happen within the seconds.
    public func waitForOpenTunnels(_ count: Int, within seconds: Double = 5) async throws {
        let core = core
        guard await core.changes.wait(within: seconds, { core.openTunnels == count }) else {
            throw TestServer.TimeoutError(description: "\(openTunnels) tunnels open after \(seconds) s, not \(count)")
        }
    }

    /// Returns when something holds of the tunnels of HTTP/2, which are asked again at every change.
    ///
    /// - Throws: ``TestServer/TimeoutError`` when that did not happen within the seconds.
    public func waitForTunnels(
        within seconds: Double = 5, where isMet: @escaping @Sendable ([Tunnel]) -> Bool
    ) async throws {
        let core = core
        guard await core.changes.wait(within: seconds, { isMet(core.connections.flatMap(\.tunnels)) }) else {
            let shown = tunnels().map { "\($0.connection)/\($0.stream) \($0.target) open: \($0.isOpen)" }
            throw TestServer.TimeoutError(description: "the tunnels after \(seconds) s: \(shown)")
        }
    }
}

// MARK: What it does to order

extension TestProxy {
    /// Sends a `GOAWAY` that names the last tunnel taken, on a connection of HTTP/2 or on all that are open. The tunnels go
    /// on, further ones are not taken, and the client is to close.
    public func goAway(connection: Int? = nil) async { await core.withStreams(of: connection) { $0.goAway() } }

    /// Resets every tunnel that is open, on a connection of HTTP/2 or on all, with a code (RFC 9113, 7).
    public func resetTunnels(code: UInt32, connection: Int? = nil) async {
        await core.withStreams(of: connection) { $0.resetTunnels(code) }
    }

    /// Ends every tunnel that is open, on a connection of HTTP/2 or on all, by `END_STREAM`, as where its destination has
    /// closed.
    public func endTunnels(connection: Int? = nil) async { await core.withStreams(of: connection) { $0.endTunnels() } }

    /// Closes a connection or all that are open, without a word of TLS or HTTP/2, and takes new ones.
    public func closeConnections(_ connection: Int? = nil, byReset: Bool = false) async {
        await core.closeOpen(connection, byReset: byReset)
    }

    /// Takes nothing more from the connections that are open, nor sends anything on them that waits for what they say.
    public func pauseReading() async { await core.read(false) }

    /// Takes what has come meanwhile, and goes on.
    public func resumeReading() async { await core.read(true) }

    /// Leaves further connections waiting: they are connected, and their handshake with TLS is not answered.
    public func pauseAccepting() async throws { try await listener.setOption(.autoRead, value: false).get() }

    /// Takes those that wait, and further ones as they come.
    public func resumeAccepting() async throws { try await listener.setOption(.autoRead, value: true).get() }
}
