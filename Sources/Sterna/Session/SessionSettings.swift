import SternaCore
import SternaPlatform
public import SternaSecurity
public import SternaSerialization
public import SternaTransport

/// What a session is set up with; changed in the closure of its initializer and of `with`.
public struct SessionSettings: Sendable {
    /// Header fields of every request; a request's own replace them.
    public var headers = Headers()

    /// Names of header fields that are secrets, as an API key is: they are not sent to another origin, nor kept on a redirect
    /// to one. Authorization, Cookie and Proxy-Authorization always are.
    public var secretHeaders: Set<String> = []

    /// Credentials for the session's own origin: the base URL's, or any origin where there is no base URL.
    public var authorization: Authorization?

    /// How parameters go into requests; form by default.
    public var requestSerializer: any RequestSerializer = HTTPRequestSerializer()

    /// What is taken as an answer, and how `json()` and `text()` read it; JSON by default.
    public var responseSerializer: any ResponseSerializer = JSONResponseSerializer()

    /// How `decode()` reads keys, dates and data.
    public var decoding = DecodingSettings()

    /// How long the parts of a request may take.
    public var timeouts = Timeouts()

    /// Options of policies for all requests; a request's own replace them.
    public var options = RequestOptions()

    /// How much a compressed body may become.
    public var decodingLimits = DecodingLimits()

    /// How much of a body is collected in memory, in bytes; 256 MiB by default.
    public var collectedBytes = 256 << 20

    /// Above how many bytes a body waits for the server to say that it wants it, by `Expect: 100-continue` (RFC 9110,
    /// 10.1.1): 1 MiB by default. A body of unknown length waits, too. After a second without an answer it is sent anyway. Nil
    /// never waits.
    public var continueThreshold: Int64? = 1 << 20

    /// Whether an absolute URL may lead away from the base URL's origin; no by default. The session's credentials are not
    /// sent there.
    public var allowsOtherOrigins = false

    /// What servers must show to be trusted, and what they are shown.
    public var securityPolicy = SecurityPolicy.system

    /// Policies of single hosts, which hold in place of ``securityPolicy``.
    public var hostPolicies = HostPolicies()

    /// Which requests go through which proxy; what the environment says by default.
    public var proxies = ProxySettings.environment

    /// When HTTP/2 is spoken; with servers that choose it in the TLS handshake, by default.
    public var http2 = HTTP2Use.negotiated

    /// Which addresses may be connected to; all by default. ``DialPolicy/publicOnly`` is for URLs that strangers give.
    public var dialPolicy = DialPolicy.all

    /// The path of a Unix domain socket that all requests are sent to, whatever their hosts; none by default.
    public var unixSocket: String?

    /// Whether what requests take is written down, on ``Response/metrics`` and ``SternaError/metrics``; no by default.
    public var collectsMetrics = false

    /// Told of what happens to requests on the network; nobody by default.
    public var observer: (any NetworkObserver)?

    /// Where the callbacks of the verbs with `success:` and `failure:` run; the main queue by default, which must run for them to
    /// be called (see ``CallbackTarget``).
    public var callbacks = CallbackTarget.main

    /// The engine that carries the requests; the shared one by default.
    public var engine = Engine.shared

    /// A transport to use instead of the engine's, in tests for instance.
    public var transport: (any Transport)?

    /// Interceptors that see each call once: the request before redirects and retries, and the response that the caller gets.
    ///
    /// What they add goes the way of the caller's own fields: a redirect to another origin drops an Authorization that one of them
    /// has set, and it does not come back. The first one is the outermost.
    public var interceptors: [any Interceptor] = []

    /// Interceptors that see each request as it goes to the network, redirects one by one, the innermost of the chain.
    ///
    /// What they add is sent wherever a redirect leads: one that adds credentials must look at the request's origin first.
    public var networkInterceptors: [any Interceptor] = []

    init() {}

    /// Calls a time-out what most libraries do: for each step by itself, from finding the address to each pause between bytes.
    /// For the whole there is ``Timeouts/total``.
    public var timeout: Duration {
        get { timeouts.betweenBytes }
        set { timeouts.setEach(newValue) }
    }
}
