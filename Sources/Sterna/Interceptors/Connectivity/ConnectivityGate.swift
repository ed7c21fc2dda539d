import SternaCore
import SternaTransport
import Synchronization

/// What a session that waits for the network knows of it. It watches from the first request until the session is released.
final class ConnectivityGate: Sendable {
    private struct State {
        var pump: Task<Void, Never>?
        var waiters: [Int: @Sendable () -> Void] = [:]
        var lastWaiter = 0
    }

    private let reachability: NetworkReachability
    private let engine: Engine
    private let paths = UpdateChannel(NetworkPath(.unknown))
    private let state = Mutex(State())

    init(_ reachability: NetworkReachability, _ engine: Engine) {
        (self.reachability, self.engine) = (reachability.unsettled, engine)
    }

    deinit { state.withLock { $0.pump }?.cancel() }

    /// The path of now; unknown until the first answer has come.
    var path: NetworkPath {
        begin()
        return paths.current
    }

    /// Returns the path of now once there is an answer.
    func answer() async -> NetworkPath {
        begin()
        return await paths.change(after: 0)?.1 ?? paths.current
    }

    /// Waits for the next change of the path, for a while. A path that has changed counts as lost, also if it is back already.
    func change(within delay: Duration, _ time: LoopClock) async -> NetworkPath {
        let seen = paths.version
        guard path.isReachable else { return path }
        await withTaskGroup(of: Void.self) { [paths] group in
            group.addTask { _ = await paths.change(after: seen) }
            group.addTask { try? await time.wait(delay) }
            await group.next()
            group.cancelAll()
        }
        return paths.version == seen ? path : NetworkPath(.notReachable)
    }

    private func begin() {
        state.withLock { state in
            guard state.pump == nil else { return }
            state.pump = Task { [weak self, updates = reachability.updates] in
                for await path in updates { self?.note(path) }
            }
        }
    }

    private func note(_ path: NetworkPath) {
        let (isLost, waiters) = state.withLock { state in
            let known = paths.current
            // Under the lock, so that no waiter enters between the report and the waking.
            paths.report(path)
            // A path that moves to another interface takes its connections' addresses with it.
            let isLost = known.isReachable && (!path.isReachable || path.interface != known.interface)
            let isBack = known.status == .notReachable && path.status != .notReachable
            // What waits for another attempt has failed over the interface that is gone.
            guard isBack || isLost && path.isReachable else {
                return (isLost, [@Sendable () -> Void]())
            }
            defer { state.waiters = [:] }
            return (isLost, Array(state.waiters.values))
        }
        if isLost { engine.closeIdleConnections() }
        for waiter in waiters { waiter() }
    }

    /// Calls a closure once when the network returns. Returns a closure that gives it up; nil if the network is not away.
    func whenBack(_ body: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
        enter(evenIfThere: false, body)
    }

    /// Calls a closure once when the network returns from its next, or present, absence. Returns a closure that gives it up.
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

    /// Whether a host may be reached without a default route: an address by the route to it, a name if there is any connected network.
    func hasOtherRoute(to host: String) -> Bool {
        guard let address = IPAddress(host) else { return reachability.isConnected }
        return reachability.path(to: address).isReachable
    }
}
