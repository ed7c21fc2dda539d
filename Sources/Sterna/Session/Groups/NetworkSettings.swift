public import SternaCore
public import SternaTransport

extension SessionSettings {
    /// How requests use the network, and the engine that carries them.
    public struct Network: Sendable {
        /// Which requests use which proxy; by default those of the environment.
        public var proxies = ProxySettings.environment

        /// When HTTP/2 is used; by default with servers that choose it in the TLS handshake.
        public var http2 = HTTP2Mode.negotiated

        /// Which addresses may be connected to; all by default. Use ``DialPolicy/publicOnly`` for URLs from untrusted sources.
        public var dialPolicy = DialPolicy.all

        /// The path of a Unix domain socket that receives all requests, whatever their hosts; none by default.
        public var unixSocket: String?

        /// Whether an absolute URL may lead to an origin other than the base URL's; no by default: such a URL fails with
        /// `originRefused`. The session's credentials are not sent there.
        public var allowsOtherOrigins = false

        /// Whether requests wait while the network is unreachable, until it returns or their deadline passes; false by default. The
        /// counterpart of URLSession's `waitsForConnectivity`.
        ///
        ///     let api = try Session(baseURL: "https://api.example.com") { $0.network.waitsForConnectivity = true }
        ///
        /// Idempotent requests and requests with an Idempotency-Key wait: before they are sent, if no network is reachable, and
        /// again if they fail while the default route is lost and their body can be read again. ``Timeouts/total`` and the deadline
        /// limit the wait. When the network returns, waits between retries end, too; when it is lost, idle connections are closed.
        /// Requests to this machine do not wait, nor do those of a session with a Unix domain socket.
        public var waitsForConnectivity = false

        /// The network that requests wait for, if ``waitsForConnectivity`` is on; nil stands for the system's. The property
        /// `reachability` of SternaReachability sets it.
        package var watchedNetwork: (any WatchedNetwork)?

        /// Whether identical GET and HEAD requests of the session that are in flight together share one transfer; no by default.
        ///
        ///     let api = try Session(baseURL: "https://api.example.com") { $0.network.coalescesRequests = true }
        ///
        /// Requests are identical if method, URL, header fields, cookies, identity and options are. Each keeps its own deadline,
        /// cancellation and pace. A response that must not serve several requests, such as one with Set-Cookie or `no-store`,
        /// goes to one of them, and the others are sent separately.
        public var coalescesRequests = false

        /// Sends copies of requests while their responses are late; nil, the default, sends none.
        public var hedging: HedgingPolicy?

        /// Whether the engine resends a POST or PATCH after a redirect, a challenge or a retry on a new connection, if the server
        /// closes the kept connection within 100 ms of its previous response and before the first byte of the next; true by
        /// default.
        ///
        /// A server that closes a connection right after a response has usually not read the next request. If it has, it may
        /// process the request twice.
        public var resendsNonIdempotentRequests = true

        /// The engine that carries the requests; the shared one by default.
        public var engine = Engine.shared

        /// A transport that replaces the engine's, for example in tests.
        public var transport: (any Transport)?

        /// Adds what a request may replace.
        func add(to options: inout RequestOptions) {
            if waitsForConnectivity { options[WaitsForConnectivityKey.self] = true }
            if coalescesRequests { options[CoalescingUseKey.self] = true }
            if let hedging { options[HedgingKey.self] = hedging }
            if !resendsNonIdempotentRequests { options[ResendsNonIdempotentKey.self] = false }
        }
    }
}

extension RequestSettings {
    /// How one request uses the network.
    public struct Network: SettingsGroup, Sendable {
        var settings: RequestSettings

        /// Whether this request waits while the network is unreachable; the session's setting by default. In a session whose
        /// requests do not wait, true fails the request with `invalidRequest`.
        public var waitsForConnectivity: Bool {
            get { settings.options[WaitsForConnectivityKey.self] }
            set { settings.options[WaitsForConnectivityKey.self] = newValue }
        }

        /// Whether this request shares its transfer with identical ones of the session; the session's setting by default.
        public var coalescesRequests: Bool {
            get { settings.options[CoalescingUseKey.self] }
            set { settings.options[CoalescingUseKey.self] = newValue }
        }

        /// How this request is hedged; the session's policy by default. Nil, like ``HedgingPolicy/off``, sends no copies.
        public var hedging: HedgingPolicy? {
            get { settings.options[HedgingKey.self] }
            set { settings.options[HedgingKey.self] = newValue }
        }

        /// Whether the engine resends this request as described at ``SessionSettings/Network/resendsNonIdempotentRequests``; the
        /// session's setting by default.
        public var resendsNonIdempotentRequests: Bool {
            get { settings.options[ResendsNonIdempotentKey.self] }
            set { settings.options[ResendsNonIdempotentKey.self] = newValue }
        }

        mutating func replace(by other: Self) {
            replaceOption(WaitsForConnectivityKey.self, by: other)
            replaceOption(CoalescingUseKey.self, by: other)
            replaceOption(HedgingKey.self, by: other)
            replaceOption(ResendsNonIdempotentKey.self, by: other)
        }
    }
}
