import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import SternaSerialization
import SternaTransport

/// A session's settings, resolved once into what each request needs.
final class SessionPlan: Sendable {
    let urls: URLResolution
    let settings: SessionSettings

    /// The settings' ``SessionSettings/decoding``, for responses and errors that the session hands out.
    let decoding: SharedDecoding

    /// The options that the requests begin with.
    let requestOptions: RequestOptions
    let chain: Chain

    /// The register of the session's tasks, and whether the session was invalidated.
    let scope: SessionScope

    /// The slots of the session's own chain.
    let slots: ChainSlots
    let builder: ChainBuilder
    let authentication: PlannedAuthentication

    /// The transport of the session's requests, unless the session has one of its own.
    let engineTransport: EngineTransport

    var hasApplicationInterceptors: Bool { !settings.interceptors.isEmpty }

    /// Whether interceptors of the user see the session's requests.
    var hasInterceptors: Bool { !settings.interceptors.isEmpty || !settings.networkInterceptors.isEmpty }

    let headers: SessionHeaders

    /// Whether the session's serializer has nothing to prepare, since its fields are among the session's.
    let isPrepared: Bool

    /// Whether the session's serializer has nothing to do for a GET request without parameters.
    let leavesPlainGet: Bool

    /// The engine's clock.
    let clock: NetworkClock
    let failure: SternaError?

    /// The base URL, whose path ends in a slash; nil for none.
    var base: HTTPURL? { urls.base }

    /// Creates a plan; if some settings are invalid, it fails every request.
    ///
    /// - Parameter scope: that of a derived session; nil for one of its own.
    init(base: HTTPURL?, settings: SessionSettings, scope: SessionScope? = nil) {
        let scope = scope ?? SessionScope(settings)
        self.scope = scope
        urls = URLResolution(base: base, allowsOtherOrigins: settings.network.allowsOtherOrigins)
        var settings = settings
        authentication = PlannedAuthentication(&settings)
        self.settings = settings
        decoding = SharedDecoding(settings.decoding)
        requestOptions = settings.requestOptions
        clock = settings.network.engine.clock
        scope.register.add(settings.network.engine)
        let serializer = settings.requestSerializer as? HTTPRequestSerializer
        isPrepared = serializer?.settings.addsOnlyFields ?? false
        leavesPlainGet = serializer?.settings.leavesPlainGet ?? false
        let (headers, failure) = Self.headers(of: settings)
        self.headers = headers
        self.failure = failure ?? Self.trustFailure(settings, base)
        engineTransport = settings.network.engine.transport(
            settings.trust.policy, hosts: settings.trust.hosts, identityOrigin: base?.origin,
            routing: settings.routing)
        builder = ChainBuilder(
            settings: settings, authentication: authentication, scope: scope, sender: engineTransport.sender,
            transport: settings.network.transport.map { OwnTransport(base: $0) } ?? engineTransport.sender,
            base: base?.origin)
        slots = ChainSlots(of: settings)
        chain = builder.chain(slots)
    }

    /// Returns the error of invalid security and host policies; nil if all are valid.
    private static func trustFailure(_ settings: SessionSettings, _ base: HTTPURL?) -> SternaError? {
        do throws(SternaError) {
            let own = base.flatMap { settings.trust.hosts.policy(for: $0.hostWithoutBrackets) }
            try (own ?? settings.trust.policy).check(scheme: base?.scheme)
            try settings.trust.policy.check(scheme: nil)
            try settings.trust.hosts.check()
            for policy in settings.trust.hosts.all { try policy.check(scheme: nil) }
            return nil
        } catch {
            return error
        }
    }

    private static func headers(of settings: SessionSettings) -> (SessionHeaders, SternaError?) {
        do {
            let headers = try SessionHeaders(settings)
            if let authorization = settings.auth.header {
                _ = try Headers.field("Authorization", authorization.fieldValue)
            }
            return (headers, nil)
        } catch {
            return (SessionHeaders(), error)
        }
    }

    /// Creates a plan; throws the error that would fail every request.
    static func make(base: HTTPURL?, settings: SessionSettings) throws(SternaError) -> SessionPlan {
        let plan = SessionPlan(base: base, settings: settings)
        if let failure = plan.failure { throw failure }
        return plan
    }

    /// Returns the URL of a reference, without user information, for operations that send no request.
    func url(of reference: some URLConvertible) throws(SternaError) -> HTTPURL {
        if let failure { throw failure }
        return try urls.url(of: reference).removingUserinfo()
    }
}

extension SessionSettings {
    /// The session's proxies, dial policy, Unix domain socket and use of HTTP/2.
    var routing: RouteConfiguration {
        var routing = RouteConfiguration()
        routing.proxies = network.proxies
        routing.http2 = network.http2
        routing.dialPolicy = network.dialPolicy
        routing.unixSocket = network.unixSocket
        return routing
    }
}

extension Session {
    /// The version of this library.
    public static let libraryVersion = LibraryVersion.text
}
