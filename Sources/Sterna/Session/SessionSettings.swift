public import SternaCore
public import SternaSerialization

/// The settings of a session; changed in the closure of its initializer and of `with`.
///
///     let api = try Session(baseURL: "https://api.example.com") {
///         $0.headers["X-Client"] = "ada"
///         $0.auth.header = .bearer(token)
///         $0.timeouts.total = .seconds(30)
///     }
///
/// Settings of one subject are in a group: ``auth``, ``trust``, ``cookies``, ``cache``, ``limits``, ``events``, ``network`` and
/// ``tasks``. A request's settings (``RequestSettings``) have the same groups, with what a request may replace.
public struct SessionSettings: Sendable {
    /// Header fields of every request; a request's own replace them.
    public var headers = Headers()

    /// Encodes parameters into requests; form encoding by default.
    public var requestSerializer: any RequestSerializer = HTTPRequestSerializer()

    /// Decides which responses are accepted, and makes their values; JSON by default. A request's own replaces it, and so does
    /// one that a call names (`as:`, `value(by:)`).
    public var responseSerializer: any ResponseSerializer = JSONResponseSerializer()

    /// How `decode()` reads keys, dates and data.
    public var decoding = DecodingSettings()

    /// The time limits of a request's phases.
    public var timeouts = Timeouts()

    /// Options of the program's own policies for all requests; a request's own replace them.
    public var options = RequestOptions()

    /// Where callbacks and ``Tasks/decisions`` run; by default the main queue, which must run (see ``CallbackTarget``).
    public var callbacks = CallbackTarget.main

    /// The session's adapters and retriers.
    var retryHandlers = RetryHandlers()

    /// Credentials, tokens and signatures, and what tells users apart.
    public var auth = Auth()

    /// The criteria for trusting servers.
    public var trust = Trust()

    /// The cookies of the session's servers, and how they are sent.
    public var cookies = Cookies()

    /// The stored responses, and how requests use them.
    public var cache = Cache()

    /// Limits on sizes, rates and concurrency.
    public var limits = Limits()

    /// Observers, metrics and notifications.
    public var events = Events()

    /// How requests use the network, and the engine that carries them.
    public var network = Network()

    /// How tasks start, what decides for them, and which group they enter.
    public var tasks = Tasks()

    /// The link to the queue of transfers that the session's requests belong to.
    package var transferLink: TransferLink?

    /// The limits on bodies that coalesced requests share; tests change them.
    var coalescingLimits = CoalescingPlan.Limits()

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

    /// The observers, those that report metrics, record exchanges and post notifications, and the one that writes log lines, made for
    /// the task that makes the session.
    var allObservers: [EventObserver] {
        events.observers
            + [
                events.meter?.observer, events.recorder?.observer, events.notifications.observer(on: callbacks),
                events.logging?.observer(),
            ].compactMap(\.self)
    }

    /// The options that every request begins with: ``options``, and the groups' settings that a request may replace.
    var requestOptions: RequestOptions {
        var all = options
        auth.add(to: &all)
        cookies.add(to: &all)
        cache.add(to: &all)
        network.add(to: &all)
        return all
    }

    init() {}

    /// Makes the settings that a new session begins with.
    init(hasBase: Bool) {
        guard hasBase else { return }
        cookies.jar = CookieJar()
        trust.hsts = HSTSStore()
    }

    /// The time limit of each step, from resolving the host to each pause between bytes, as most libraries define a timeout.
    /// Setting it sets those limits in ``timeouts``; reading it returns ``SternaCore/Timeouts/betweenBytes``, 60 s by default.
    /// ``SternaCore/Timeouts/total`` limits the whole request.
    public var timeout: Duration {
        get { timeouts.betweenBytes }
        set { timeouts.setEach(newValue) }
    }
}
