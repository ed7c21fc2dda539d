import SternaCore
import SternaTransport
import Synchronization

/// Watches the network for a session whose requests wait for it, from the first request until the session is released.
final class ConnectivityGate: Sendable {
    private struct State {
        var run: Run?
        var waiters: [Int: @Sendable () -> Void] = [:]
        var lastWaiter = 0
    }

    /// The work that runs from the first request on.
    private struct Run {
        let subscription: NetworkSubscription
        let pump: Task<Void, Never>
    }

    private let network: any WatchedNetwork
    private let engine: Engine

    // The newest table; its version is 0 until there is one.
    private let tables = UpdateChannel<NetworkTable?>(nil)
    private let paths = UpdateChannel(RoutePath(.unknown))
    private let state = Mutex(State())

    init(_ network: any WatchedNetwork, _ engine: Engine) { (self.network, self.engine) = (network, engine) }

    deinit { state.withLock { $0.run }?.pump.cancel() }

    /// The current path of the default route; unknown until the watch has reported one.
    var path: RoutePath {
        begin()
        return paths.current
    }

    /// Waits for the watch's first report, and returns the current path.
    func answer() async -> RoutePath {
        begin()
        return await paths.change(after: 0)?.1 ?? paths.current
    }

    /// Waits at most `delay` for the next change of the path. A changed path counts as lost, even if it has returned already.
    func change(within delay: Duration, _ time: LoopClock) async -> RoutePath {
        let seen = paths.version
        guard path.isReachable else { return path }
        await withTaskGroup(of: Void.self) { [paths] group in
            group.addTask { _ = await paths.change(after: seen) }
            group.addTask { try? await time.wait(delay) }
            await group.next()
            group.cancelAll()
        }
        return paths.version == seen ? path : RoutePath(.notReachable)
    }

    private func begin() {
        state.withLock { state in
            guard state.run == nil else { return }
            let pump = Task { [weak self, tables, facts = network.facts] in
                var seen = 0
                while let (version, table) = await tables.change(after: seen) {
                    seen = version
                    self?.note(table.map { PathRule(table: $0, facts: facts).defaultPath } ?? RoutePath(.unknown))
                }
            }
            state.run = Run(subscription: network.watch.subscribe { [tables] in tables.report($0) }, pump: pump)
        }
    }

    private func note(_ path: RoutePath) {
        let (isLost, waiters) = state.withLock { state in
            let known = paths.current
            // Changes of other links, such as those of containers, have no effect.
            guard paths.version == 0 || path != known else { return (false, [@Sendable () -> Void]()) }
            // Reported under the lock, so that no waiter is added between the report and the wake-ups.
            paths.report(path)
            // A change of interface breaks connections: their local addresses belong to the old interface.
            let isLost = known.isReachable && (!path.isReachable || path.interface != known.interface)
            let isBack = known.status == .notReachable && path.status != .notReachable
            // Requests that wait to be retried failed over the lost interface, so they are retried at once.
            guard isBack || isLost && path.isReachable else {
                return (isLost, [@Sendable () -> Void]())
            }
            defer { state.waiters = [:] }
            return (isLost, Array(state.waiters.values))
        }
        if isLost { engine.closeIdleConnections() }
        for waiter in waiters { waiter() }
    }

    /// Calls a closure once when the network returns. Returns a closure that cancels the wait; nil unless the network is known to
    /// be unreachable.
    func whenBack(_ body: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
        enter(evenIfThere: false, body)
    }

    /// Calls a closure once when the network returns from its current or next loss. Returns a closure that cancels the wait.
    func whenNextBack(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        enter(evenIfThere: true, body) ?? {}
    }

    private func enter(evenIfThere: Bool, _ body: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
        begin()
        let number = state.withLock { state -> Int? in
            guard evenIfThere || paths.current.status == .notReachable else { return nil }
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = body
            return state.lastWaiter
        }
        guard let number else { return nil }
        return { [weak self] in _ = self?.state.withLock { $0.waiters.removeValue(forKey: number) } }
    }

    /// Returns whether a host may be reachable without a default route: an address if a route leads to it, a name if any network is
    /// connected.
    func hasOtherRoute(to host: String) -> Bool {
        guard let table = tables.current else { return false }
        guard let address = IPAddress(host) else { return table.isConnected }
        return PathRule(table: table, facts: network.facts).path(to: [address]).isReachable
    }
}
