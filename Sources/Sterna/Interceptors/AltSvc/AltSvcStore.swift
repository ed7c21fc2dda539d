package import SternaCore
import SternaPlatform
import Synchronization

/// Remembers the alternative services of origins (RFC 7838) in memory, for transports that can use them.
package final class AltSvcStore: Sendable {
    private let state: Mutex<AltSvcState>
    private let clock: @Sendable () -> Int64
    // Set before the first service is known, and never cleared, so that requests skip the lock while a store is empty.
    private let mayMatch = Atomic(false)

    /// Whether requests need not look, since no service was ever known.
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

    /// Returns the alternatives of an origin that have not expired, in the origin's order of preference.
    package func services(for origin: Origin) -> [AlternativeService] {
        let now = clock()
        return state.withLock { $0.services(for: origin, at: now) }
    }

    /// Removes the alternatives of an origin.
    package func remove(_ origin: Origin) { state.withLock { $0.remove(origin) } }

    /// Removes all alternatives.
    package func removeAll() { state.withLock { $0.removeAll() } }

    /// Removes alternatives that a change of network ends.
    package func networkChanged() { state.withLock { $0.networkChanged() } }

    /// Learns from a network response over a verified connection. Never call it with a stored response.
    func note(_ response: Response, from url: HTTPURL) {
        guard url.scheme.isSecure else { return }
        // 421: the server does not serve the origin (RFC 7838, 6), so its other fields do not count either.
        guard response.status.code != 421 else { return remove(url.origin) }
        let lines = response.section[values: "Alt-Svc"]
        guard !lines.isEmpty, let field = AltSvcField(lines) else { return }
        let age = response.section[values: "Age"].first.flatMap(DirectiveReader.seconds) ?? 0
        let now = clock()
        mayMatch.store(true, ordering: .releasing)
        state.withLock { $0.note(field, from: url.origin, age: age, at: now) }
    }
}
