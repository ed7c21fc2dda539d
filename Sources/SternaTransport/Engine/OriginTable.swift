import SternaCore
import SternaSecurity
import Synchronization

/// The endpoints under one trust configuration, by origin.
///
/// An engine keeps the table for sessions created with that configuration. The table does not retain the engine, which is released
/// with its last session.
final class OriginTable: Sendable {
    let configuration: EngineTransport.Configuration
    private let endpoints = Mutex(Endpoints())
    private let sweepAt = Atomic<Int>(1_024)

    /// Whether URLs of one origin may have different proxies.
    private let asksForEachURL: Bool

    private struct Endpoints {
        private var first: (key: Key, endpoint: Endpoint)?
        private var others: [Key: Endpoint] = [:]

        /// The most recently requested endpoint, which a client of a single server requests next as well.
        private(set) var last: Endpoint?

        var count: Int { others.count + (first == nil ? 0 : 1) }

        mutating func find(_ key: Key) -> Endpoint? {
            let known = first?.key == key ? first?.endpoint : others.isEmpty ? nil : others[key]
            if let known { last = known }
            return known
        }

        mutating func add(_ endpoint: Endpoint, _ key: Key) {
            if first == nil { first = (key, endpoint) } else { others[key] = endpoint }
        }

        /// Removes the endpoints that no request, connection or dial refers to. The others must stay, since a second endpoint for
        /// an origin would have a limit of its own.
        mutating func removeUnused() {
            let all = others.map { WeakEndpoint(key: $0.key, endpoint: $0.value) }
            let oldFirst = first.map { WeakEndpoint(key: $0.key, endpoint: $0.endpoint) }
            (first, others, last) = (nil, [:], nil)
            for item in all { if let endpoint = item.endpoint { others[item.key] = endpoint } }
            if let oldFirst, let endpoint = oldFirst.endpoint { first = (oldFirst.key, endpoint) }
        }

        private struct WeakEndpoint {
            let key: Key
            weak var endpoint: Endpoint?
        }
    }

    private struct Key: Hashable {
        let origin: Origin
        /// Nil if the proxy rules give the same answer for all URLs of an origin.
        let proxy: Proxy?
        /// Whether the connections switch protocols.
        let isForSwitching: Bool
    }

    init(_ configuration: EngineTransport.Configuration) {
        self.configuration = configuration
        asksForEachURL = !configuration.routing.proxies.isByOrigin
    }

    /// Returns the endpoint that serves a request: the endpoint that its proxy credentials were made for, if any, otherwise its
    /// URL's.
    func endpoint(of request: Request, _ engine: Engine) throws(SternaError) -> Endpoint {
        if asksForEachURL, let chosen = request.options[ForwardingEndpointKey.self]?.endpoint,
            chosen.origin == request.url.origin, request.delivery != .duplex
        {
            return chosen
        }
        return try endpoint(for: request.url, of: engine, isForSwitching: request.delivery == .duplex)
    }

    /// Returns the endpoint that serves a URL, creating it if needed.
    ///
    /// - Parameter isForSwitching: whether the connections switch protocols. They have an endpoint of their own, so that they leave the
    ///   origin's limit to other requests, and may go another way: by a tunnel where a proxy forwards requests.
    func endpoint(
        for url: HTTPURL, of engine: Engine, isForSwitching: Bool = false
    ) throws(SternaError) -> Endpoint {
        let origin = url.origin
        if !asksForEachURL, let last = endpoints.withLock({ $0.last }), last.origin == origin,
            last.isForSwitching == isForSwitching
        {
            return last
        }
        let proxy = asksForEachURL ? try configuration.routing.proxies.proxy(for: url) : nil
        let key = Key(origin: origin, proxy: proxy, isForSwitching: isForSwitching)
        if let known = endpoints.withLock({ $0.find(key) }) { return known }
        let route = try configuration.routing.route(for: url, proxy: key.proxy)
        return endpoints.withLock { endpoints in
            if let known = endpoints.find(key) { return known }
            if endpoints.count >= 1_024, endpoints.count >= sweepAt.load(ordering: .relaxed) {
                endpoints.removeUnused()
                // The next sweep comes when the table has twice as many endpoints as are in use now.
                sweepAt.store(2 * endpoints.count, ordering: .relaxed)
            }
            var proxyPolicy = SecurityPolicy.system
            if case .proxy(let proxy) = route { proxyPolicy = configuration.policy(for: proxy) }
            let made = Endpoint(
                origin: origin, host: url.hostWithoutBrackets, hostIsAddress: url.hostKind != .domain, route: route,
                policy: configuration.policy(for: origin, host: url.hostWithoutBrackets), proxyPolicy: proxyPolicy,
                routing: configuration.routing, isForSwitching: isForSwitching, engine: engine)
            endpoints.add(made, key)
            return made
        }
    }
}
