public import Dispatch
import SternaCore
import SternaPlatform
public import SternaSecurity
public import SternaSerialization
public import SternaTransport

/// The settings of a session; changed in the closure of its initializer and of `with`.
public struct SessionSettings: Sendable {
    /// Header fields of every request; a request's own replace them.
    public var headers = Headers()

    /// Names of secret header fields, such as an API key: they are not sent to another origin, nor kept on a redirect to one.
    /// Authorization, Cookie and Proxy-Authorization are always secret.
    public var secretHeaders: Set<String> = []

    /// Credentials for the session's own origin: the base URL's, or any origin if there is no base URL.
    public var authorization: Authorization?

    /// Encodes parameters into requests; form encoding by default.
    public var requestSerializer: any RequestSerializer = HTTPRequestSerializer()

    /// Decides which responses are accepted, and makes their values; JSON by default. A request's own replaces it, and so does one that a
    /// call names (`as:`, `value(by:)`).
    public var responseSerializer: any ResponseSerializer = JSONResponseSerializer()

    /// How `decode()` reads keys, dates and data.
    public var decoding = DecodingSettings()

    /// The time limits of a request's phases.
    public var timeouts = Timeouts()

    /// Policy options for all requests; a request's own replace them.
    public var options = RequestOptions()

    /// Limits on the decoded size of a compressed body.
    public var decodingLimits = DecodingLimits()

    /// The maximum size of a body collected in memory, in bytes; 256 MiB by default. A larger body fails with `limitExceeded`.
    public var collectedBytes = 256 << 20

    /// The body size in bytes above which a request waits for `100 (Continue)`, with `Expect: 100-continue` (RFC 9110, 10.1.1); 1
    /// MiB by default. A body of unknown length waits, too. After a second without a response the body is sent anyway. Nil never
    /// waits.
    public var continueThreshold = Self.continueThreshold

    /// Whether an absolute URL may lead to an origin other than the base URL's; no by default: such a URL fails with
    /// `originRefused`. The session's credentials are not sent there.
    public var allowsOtherOrigins = false

    /// The criteria for trusting servers, and the client's identity.
    public var securityPolicy = SecurityPolicy.system

    /// Policies of single hosts, which replace ``securityPolicy``.
    public var hostPolicies = HostPolicies()

    /// Which requests use which proxy; by default those of the environment.
    public var proxies = ProxySettings.environment

    /// When HTTP/2 is used; by default with servers that choose it in the TLS handshake.
    public var http2 = HTTP2Mode.negotiated

    /// Which addresses may be connected to; all by default. Use ``DialPolicy/publicOnly`` for URLs from untrusted sources.
    public var dialPolicy = DialPolicy.all

    /// The path of a Unix domain socket that receives all requests, whatever their hosts; none by default.
    public var unixSocket: String?

    /// Whether to record metrics of requests, in ``Response/metrics`` and ``SternaError/metrics``; no by default.
    public var collectsMetrics = false

    /// The observers that receive the events of calls and tasks, called in this order; none by default.
    public var observers: [EventObserver] = []

    /// The maximum number of events that wait for observers, and for each reader of ``Session/events``; 4,096 by default. Further
    /// events are dropped and counted (``SternaCore/SternaEvent/Kind/dropped(_:)``). A derived session shares the buffer of the one
    /// that it was derived from, and has its capacity.
    public var eventCapacity = 4_096

    /// The cookies of the session's servers, sent back to them. A session with a base URL has a jar of its own by default, which sessions
    /// derived from it share; one without has none.
    ///
    ///     let api = try Session(baseURL: "https://api.example.com") { $0.cookieJar = nil }
    public var cookieJar: CookieJar?

    /// The hosts that require https, so that their http URLs are sent as https (RFC 6797). A session with a base URL has a store of
    /// its own by default, which sessions derived from it share; one without has none.
    public var hsts: HSTSStore?

    /// The stored responses that answer requests (RFC 9111); none by default. Several sessions may share a cache.
    ///
    ///     let api = try Session(baseURL: "https://api.example.com") { $0.cache = .folder(caches) }
    public var cache: ResponseCache?

    /// Whether requests are answered only from ``cache``, with responses of any age, and the network is never used; no by default.
    ///
    /// A request without a usable stored response gets a 504 and is not sent, as does one with a method other than GET and HEAD.
    public var isOffline = false

    /// Decides whether a response is stored in ``cache``, after HTTP's rules have allowed it; nil, the default, stores every
    /// response that they allow.
    ///
    /// It is called with the head of the response before the body arrives, and must return at once.
    public var willCache: (@Sendable (_ response: Response, _ request: Request) -> Bool)?

    /// The user of the session, in programs that act for several users: stored responses and requests in flight of one label are
    /// never used for another, unless a response is marked `public`. Nil, the default, sets no label.
    ///
    /// Credentials, client certificates and cookie jars keep users apart without it.
    public var identityLabel: String?

    /// Where callbacks and ``decisions`` run; by default the main queue, which must run (see ``CallbackTarget``).
    public var callbacks = CallbackTarget.main

    /// Closures that decide what tasks do; none by default.
    public var decisions: TaskDecisions? {
        // Closures cannot be compared, so credentials that other closures supplied are not shared.
        didSet { authenticationSettings.decisions = Call.newNumber() }
    }

    var notifications = NotificationSetting()

    /// A group that every task of the session enters when it is made, and leaves after its last callback, and after observers have
    /// received its last event; AFNetworking's `completionGroup`. None by default.
    ///
    ///     let group = DispatchGroup()
    ///     let tasks = api.with { $0.completionGroup = group }
    ///     for path in paths { tasks.get(path, success: { task, value in … }, failure: { task, error in … }) }
    ///     group.notify(queue: .main) { print("all are done") }
    public var completionGroup: DispatchGroup?

    var authenticationSettings = AuthenticationSettings()

    /// Adds a token to the session's requests, and refreshes it; none by default. A derived session shares it.
    public var tokenAuthentication: TokenAuthentication?

    /// The session's adapters and retriers.
    var retryHandlers = RetryHandlers()

    /// Stops sending requests to origins that keep failing; none by default.
    public var circuitBreaker: CircuitBreaker?

    /// Limits the rate of requests to each origin; none by default.
    public var rateLimit: RateLimit?

    /// Limits the number of concurrent requests to each origin to what its server can handle; none by default.
    public var adaptiveConcurrencyLimit: AdaptiveConcurrencyLimit?

    /// A limit on the bandwidth of all bodies of the session, in both directions; none by default.
    ///
    /// Sessions may share a limit: it applies to all their bodies together. A derived session has the limit of the one that it was
    /// derived from, unless it is given another.
    public var bandwidth: BandwidthLimit?

    /// The link to the queue of transfers that the session's requests belong to.
    package var transferLink: TransferLink?

    /// The limits on bodies that coalesced requests share; tests change them.
    var coalescingLimits = CoalescingPlan.Limits()

    /// Tells the session whether the network is reachable, if ``waitsForConnectivity`` is on; ``NetworkReachability/shared`` by
    /// default.
    public var reachability: NetworkReachability {
        get { ownReachability ?? .shared }
        set { ownReachability = newValue }
    }

    // The shared one is made when it is first needed.
    var ownReachability: NetworkReachability?

    /// Whether tasks start when they are created, as Alamofire's do; the default. If not, ``SessionTask/resume()`` starts them, as
    /// in AFNetworking and URLSession.
    public var startsTasks = true

    /// The engine that carries the requests; the shared one by default.
    public var engine = Engine.shared

    /// A transport that replaces the engine's, for example in tests.
    public var transport: (any Transport)?

    /// Interceptors that see each call once: the request before redirects and retries, and the response that the caller gets.
    ///
    /// Their changes count as the caller's own: a redirect to another origin drops an Authorization that an interceptor has set,
    /// and it does not come back. The first interceptor is the outermost.
    public var interceptors: [any Interceptor] = []

    /// Interceptors that see each request as it goes to the network, each redirect separately; the innermost of the chain.
    ///
    /// Their changes are sent wherever a redirect leads. An interceptor that adds credentials must check the request's origin
    /// first.
    public var networkInterceptors: [any Interceptor] = []

    /// The observers, and the one that posts notifications.
    var allObservers: [EventObserver] { observers + [notifications.observer(on: callbacks)].compactMap(\.self) }

    /// The default threshold.
    static let continueThreshold: Int64? = 1 << 20

    init() {}

    /// Makes the settings that a new session begins with.
    init(hasBase: Bool) {
        guard hasBase else { return }
        cookieJar = CookieJar()
        hsts = HSTSStore()
    }

    /// The time limit of each step, from resolving the host to each pause between bytes, as most libraries define a timeout.
    /// Setting it sets those limits in ``timeouts``; reading it returns ``SternaCore/Timeouts/betweenBytes``, 60 s by default.
    /// ``SternaCore/Timeouts/total`` limits the whole request.
    public var timeout: Duration {
        get { timeouts.betweenBytes }
        set { timeouts.setEach(newValue) }
    }
}
