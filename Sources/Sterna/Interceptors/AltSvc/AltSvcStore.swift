package import SternaCore
import SternaPlatform
import Synchronization

/// Remembers the alternative services of origins (RFC 7838) in memory, for a transport that can use them.
package final class AltSvcStore: Sendable {
    private let state: Mutex<AltSvcState>
    private let clock: @Sendable () -> Int64
    // Set before anything is known, and never cleared: requests of stores that know nothing pass the lock by.
    private let mayMatch = Atomic(false)

    /// Whether requests need not ask: nothing was ever known.
    var isUnused: Bool { !mayMatch.load(ordering: .acquiring) }

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of origins.
    ///   - clock: returns the milliseconds since 1970.
    package init(
        limit: Int = 1_000,
        clock: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1_000) }
    ) {
        state = Mutex(AltSvcState(limit: limit))
        self.clock = clock
    }

    /// Returns the alternatives of an origin that may be used now, the preferred one first.
    package func services(for origin: Origin) -> [AlternativeService] {
        let now = clock()
        return state.withLock { $0.services(for: origin, at: now) }
    }

    /// Forgets the alternatives of an origin.
    package func remove(_ origin: Origin) { state.withLock { $0.remove(origin) } }

    /// Forgets all alternatives.
    package func removeAll() { state.withLock { $0.removeAll() } }

    /// Forgets the alternatives that are for one network only.
    package func networkChanged() { state.withLock { $0.networkChanged() } }

    /// Learns from a response that the network brought over a verified connection: never call it with one of the cache.
    func note(_ response: Response, from url: HTTPURL) {
        guard url.scheme.isSecure else { return }
        // The server does not serve the origin there (RFC 7838, 6); its other fields are not for the origin either.
        guard response.status.code != 421 else { return remove(url.origin) }
        let lines = response.section[values: "Alt-Svc"]
        guard !lines.isEmpty, let field = AltSvcField(lines) else { return }
        let age = response.section[values: "Age"].first.flatMap(DirectiveReader.seconds) ?? 0
        let now = clock()
        mayMatch.store(true, ordering: .releasing)
        state.withLock { $0.note(field, from: url.origin, age: age, at: now) }
    }
}
