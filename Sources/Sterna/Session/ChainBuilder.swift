import SternaCore
import SternaTransport
import Synchronization

/// A session's chains with slots that only some requests need, each made when it is first needed.
final class KeptChains: Sendable {
    private struct Kept {
        let slots: ChainSlots
        let chain: Chain
    }

    // An array: few combinations are in use, and each specialized dictionary type costs time at program start.
    private let chains = Mutex<[Kept]>([])

    func chain(_ slots: ChainSlots, _ make: () -> Chain) -> Chain {
        if let known = chains.withLock({ Self.chain(slots, in: $0) }) { return known }
        let made = make()
        return chains.withLock { chains in
            if let known = Self.chain(slots, in: chains) { return known }
            chains.append(Kept(slots: slots, chain: made))
            return made
        }
    }

    private static func chain(_ slots: ChainSlots, in chains: [Kept]) -> Chain? {
        chains.first { $0.slots == slots }?.chain
    }
}

/// Makes a session's chains: one for its plain requests, and those with additional slots that single requests need.
// A class, since its settings are large to copy.
final class ChainBuilder: Sendable {
    let settings: SessionSettings
    let authentication: PlannedAuthentication
    let scope: SessionScope
    let sender: EngineSender
    let transport: any Transport

    /// The origin of the session's base URL.
    let base: Origin?
    let clockOffsets = ClockOffsets()
    let cache: CachePlan?
    private let kept = KeptChains()

    /// Holds requests while the network is unreachable; nil in sessions that do not wait for it.
    let connectivity: ConnectivityGate?
    let coalescing: CoalescingPlan

    init(
        settings: SessionSettings, authentication: PlannedAuthentication, scope: SessionScope,
        sender: EngineSender, transport: any Transport, base: Origin?
    ) {
        self.settings = settings
        self.authentication = authentication
        self.scope = scope
        self.sender = sender
        self.transport = transport
        self.base = base
        cache = CachePlan(settings, calls: scope.calls)
        connectivity = settings.network.connectivityGate
        coalescing = CoalescingPlan(settings, calls: scope.calls)
    }

    /// Returns the chain with the given slots.
    func chain(_ slots: ChainSlots) -> Chain {
        kept.chain(slots) {
            Chain(ChainPosition.allCases.flatMap { interceptors(at: $0, slots) }, transport: transport)
        }
    }

    /// The state that the session keeps from responses, such as cookies and HSTS hosts; nil if the session has neither a cookie jar
    /// nor an HSTS store nor a cache.
    var networkState: NetworkState? {
        guard settings.cookies.jar != nil || settings.trust.hsts != nil || settings.cache.store != nil else {
            return nil
        }
        var state = NetworkState(
            cookieJar: settings.cookies.jar, hsts: settings.trust.hsts, alternatives: scope.alternatives,
            authentication: settings.auth.challenges.memory
        ) { [hosts = settings.trust.hosts, policy = settings.trust.policy] url in
            (hosts.policy(for: url.hostWithoutBrackets) ?? policy).makesNoExceptions
        }
        state.cookieSecurity = CookieSecurity(settings)
        if let cache = settings.cache.store {
            state.removeStored = { origin in await cache.remove { origin.isOrigin(of: $0.url) } }
        }
        return state
    }
}

extension Origin {
    /// Whether a URL, as text in normal form, has this origin.
    fileprivate func isOrigin(of url: String) -> Bool { (try? HTTPURL(url))?.origin == self }
}
