import SternaCore
import SternaTransport
import Synchronization

/// Watches whether a destination can be reached, and over what.
///
///     for await path in NetworkReachability.shared.updates {
///         print(path)  // reachable by cable (eth0), IPv4 and IPv6
///     }
///
/// The answer is what the routes of this machine say, as in AFNetworking and Apple's SCNetworkReachability: nothing is sent, unless a
/// ``ReachabilityProbe`` is set. It explains failures, and tells when to try again; it should keep no request from being tried.
///
/// It watches while it is started, or while ``updates`` is read. All objects share one socket of the kernel, which is open meanwhile.
public final class NetworkReachability: Sendable {
    /// Watches the default route. Nothing is watched until it is started.
    public static let shared = NetworkReachability()

    /// Where the path leads to.
    public let destination: ReachabilityDestination

    /// How it works.
    public let options: ReachabilityOptions

    private struct State {
        var path = NetworkPath(.unknown)
        /// Whether the path is an answer, even if that is unknown.
        var isTold = false
        var isStarted = false
        /// The number of calls of `start()`, by which those of an earlier one are known.
        var starts = 0
        var readers: [Int: AsyncStream<NetworkPath>.Continuation] = [:]
        var lastReader = 0
        var changed: (@Sendable (NetworkPath) -> Void)?
        var callbackQueue: UserCallbackQueue?
        /// The addresses of the destination that were found last.
        var addresses: [IPAddress]?
        var run: Run?
    }

    /// What runs while there are users.
    private struct Run {
        let tables: Tables
        let subscription: NetworkSubscription
        let task: Task<Void, Never>
    }

    /// The newest table; its version is 0 until there is one.
    private typealias Tables = UpdateChannel<NetworkTable?>

    private let state = Mutex(State())

    // Keeps runs from beginning and ending at the same time.
    private let turn = Mutex(())
    private let watch: NetworkWatch
    private let resolver: any HostResolver
    private let time: @Sendable () -> LoopClock

    /// Makes an object that watches nothing until it is started.
    public convenience init(
        to destination: ReachabilityDestination = .defaultRoute, options: ReachabilityOptions = ReachabilityOptions()
    ) {
        self.init(to: destination, options: options, watch: .system)
    }

    package init(
        to destination: ReachabilityDestination = .defaultRoute, options: ReachabilityOptions = ReachabilityOptions(),
        watch: NetworkWatch, resolver: any HostResolver = SystemResolver(),
        time: @escaping @Sendable () -> LoopClock = { Engine.shared.loopClock }
    ) {
        (self.destination, self.options, self.watch, self.resolver, self.time) =
            (destination, options, watch, resolver, time)
    }

    deinit { state.withLock { $0.run }?.task.cancel() }

    // MARK: The present

    /// The path that was reported last; unknown while nothing is watched, and before the first answer.
    public var path: NetworkPath { state.withLock { $0.path } }

    /// The status of ``path``.
    public var status: NetworkPath.Status { path.status }

    /// Whether ``path`` reaches the destination.
    public var isReachable: Bool { path.isReachable }

    /// Watches until there is an answer, and returns it.
    public func current() async -> NetworkPath {
        for await path in updates { return path }
        return path
    }

    /// Returns the path to an address, by the routes that were known last; unknown if nothing is watched.
    func path(to address: IPAddress) -> NetworkPath {
        guard let table = state.withLock({ $0.run })?.tables.current else { return NetworkPath(.unknown) }
        return PathRule(table: table, facts: options.facts).path(to: [address])
    }

    /// Whether there is a connected network besides this machine's own, by what was known last.
    var isConnected: Bool { state.withLock { $0.run }?.tables.current?.isConnected ?? false }

    /// An object for the same network that reports the default route's changes at once, and to its own readers alone.
    var unsettled: NetworkReachability {
        var options = ReachabilityOptions()
        options.settlingTime = .zero
        (options.isMetered, options.linkKind) = (self.options.isMetered, self.options.linkKind)
        return NetworkReachability(options: options, watch: watch, resolver: resolver, time: time)
    }

    // MARK: Changes

    /// The present path, once there is an answer, and all changes, in order. Each reader gets all of them, unless it is so slow that
    /// 256 are waiting: then it misses the oldest. It ends when the Swift task is cancelled.
    public var updates: AsyncStream<NetworkPath> {
        let (stream, reader) = AsyncStream<NetworkPath>.makeStream(bufferingPolicy: .bufferingNewest(256))
        let number = state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = reader
            if state.isTold { reader.yield(state.path) }
            return state.lastReader
        }
        // The sequence keeps this object, until it ends.
        reader.onTermination = { [self] _ in
            // Who cancels a reader's task holds a lock of that task here, which who publishes a path asks for under this object's.
            Task {
                _ = state.withLock { $0.readers.removeValue(forKey: number) }
                settle()
            }
        }
        settle()
        return stream
    }

    /// Called with each change of ``path``, on ``ReachabilityOptions/callbacks``, in order; AFNetworking's
    /// `setReachabilityStatusChangeBlock:`. The first answer is a change. It needs ``start()``.
    public var pathChanged: (@Sendable (NetworkPath) -> Void)? {
        get { state.withLock { $0.changed } }
        set { state.withLock { $0.changed = newValue } }
    }

    /// Begins to watch; has no effect if that was done before.
    public func start() {
        state.withLock { state in
            guard !state.isStarted else { return }
            state.isStarted = true
            state.starts += 1
            // Where `updates` is read, the path is known already.
            if state.isTold { post(state.path, &state) }
        }
        settle()
    }

    /// Ends what ``start()`` began: no callback is called and no notification is posted any more. The path is unknown then, unless
    /// ``updates`` is still read.
    public func stop() {
        state.withLock { $0.isStarted = false }
        settle()
    }

    /// Begins or ends the watch, as its users need it.
    private func settle() {
        turn.withLock { _ in
            let (isNeeded, isRunning) = state.withLock { ($0.isStarted || !$0.readers.isEmpty, $0.run != nil) }
            if isNeeded, !isRunning {
                let run = begin()
                state.withLock { $0.run = run }
            } else if !isNeeded, isRunning {
                let run = state.withLock { state in
                    (state.path, state.isTold) = (NetworkPath(.unknown), false)
                    return state.run.take()
                }
                run?.task.cancel()
            }
        }
    }

    private func begin() -> Run {
        let tables = Tables(nil)
        let subscription = watch.subscribe { tables.report($0) }
        let task = Task { [weak self, time] in
            var (seen, table) = (0, nil as NetworkTable?)
            var pause: Duration?
            while true {
                let change = await Self.change(tables, after: seen, within: pause, time)
                if case .ended = change { return }
                if case .table(let version, let newest) = change { (seen, table, pause) = (version, newest, nil) }
                guard let self, let next = await judge(&table, tables, &seen, again: change.isPause) else { return }
                publish(next)
                // The user may sign in at the portal, and a server that did not answer may answer again.
                pause =
                    next.isUnconfirmed ? min(pause.map { $0 * 2 } ?? Self.firstProbePause, Self.longestProbePause) : nil
            }
        }
        return Run(tables: tables, subscription: subscription, task: task)
    }

    /// The pauses before a probe that has confirmed nothing is sent again.
    private static let (firstProbePause, longestProbePause) = (Duration.seconds(5), Duration.seconds(60))

    private enum Change {
        case table(Int, NetworkTable?)
        case pause
        case ended

        var isPause: Bool { if case .pause = self { true } else { false } }
    }

    /// Waits for a newer table, for a while if there is a pause.
    private static func change(
        _ tables: Tables, after seen: Int, within pause: Duration?, _ time: @Sendable () -> LoopClock
    ) async -> Change {
        guard let pause else { return await tables.change(after: seen).map { .table($0.0, $0.1) } ?? .ended }
        let clock = time()
        return await withTaskGroup(of: Change.self) { group in
            group.addTask { await tables.change(after: seen).map { .table($0.0, $0.1) } ?? .ended }
            group.addTask { (try? await clock.wait(pause)) == nil ? .ended : .pause }
            defer { group.cancelAll() }
            return await group.next() ?? .ended
        }
    }

    // MARK: Judging

    /// Returns what is to be reported after a change, once it has lasted for the settling time; nil if the watch ends meanwhile.
    ///
    /// - Parameter again: whether the same path is to be confirmed again.
    private func judge(
        _ table: inout NetworkTable?, _ tables: Tables, _ seen: inout Int, again: Bool
    ) async -> NetworkPath? {
        while !Task.isCancelled {
            var path = await path(in: table)
            let (known, isTold) = state.withLock { ($0.path, $0.isTold) }
            let isKnown = isTold && path.isSame(as: known)
            if isKnown, !again { return known }
            if isTold, !isKnown, options.settlingTime > .zero {
                guard (try? await time().wait(options.settlingTime)) != nil else { return nil }
                // At the end of the time the newest state counts.
                if let (version, newest) = await Self.newest(tables, seen) {
                    (seen, table) = (version, newest)
                    path = await self.path(in: table)
                    if path.isSame(as: known) { return known }
                }
            }
            guard path.isReachable, let probe = options.probe else { return path }
            if let confirmation = await confirm(path, by: probe, tables, seen) {
                return path.confirmed(confirmation)
            }
            // The network has changed under the probe.
            guard let (version, newest) = await tables.change(after: seen) else { return nil }
            (seen, table) = (version, newest)
        }
        return nil
    }

    private static func newest(_ tables: Tables, _ seen: Int) async -> (Int, NetworkTable?)? {
        tables.version == seen ? nil : await tables.change(after: seen)
    }

    /// Returns the answer of a probe; nil if the path changes before it has come.
    private func confirm(
        _ path: NetworkPath, by probe: ReachabilityProbe, _ tables: Tables, _ seen: Int
    ) async -> NetworkPath.Confirmation? {
        await withTaskGroup(of: NetworkPath.Confirmation?.self) { group in
            group.addTask { await probe.run() }
            group.addTask { [self] in
                var seen = seen
                // Other links come and go, such as those of containers.
                while let (version, table) = await tables.change(after: seen) {
                    seen = version
                    if await !self.path(in: table).isSame(as: path) { break }
                }
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    private func path(in table: NetworkTable?) async -> NetworkPath {
        guard let table else { return NetworkPath(.unknown) }
        let rule = PathRule(table: table, facts: options.facts)
        switch destination {
        case .defaultRoute: return rule.defaultPath
        case .address(let address): return rule.path(to: [address])
        case .host(let host):
            let name = host.lowercased().trimmingBrackets
            if let address = IPAddress(name) { return rule.path(to: [address]) }
            // Without a network a lookup would only time out, and the path be told as reachable meanwhile.
            let known = state.withLock { $0.addresses }
            if let known, !table.isConnected { return rule.path(to: known) }
            let isLost = known.map { !rule.path(to: $0).isReachable && !rule.defaultPath.isReachable } ?? false
            let found = await lookUp(name, within: isLost ? Self.lostLookup : nil)
            guard let found, !found.isEmpty else { return rule.defaultPath }
            state.withLock { $0.addresses = found }
            return rule.path(to: found)
        }
    }

    /// How long a lookup may take where nothing but networks of this machine, such as those of containers, can be reached.
    private static let lostLookup = Duration.seconds(1)

    private func lookUp(_ name: String, within limit: Duration?) async -> [IPAddress]? {
        guard let limit else { return try? await resolver.resolve(name, .any).addresses }
        return await withTaskGroup(of: [IPAddress]?.self) { [resolver, time] group in
            group.addTask { try? await resolver.resolve(name, .any).addresses }
            group.addTask {
                try? await time().wait(limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    private func publish(_ path: NetworkPath) {
        state.withLock { state in
            guard state.run != nil || state.isStarted || !state.readers.isEmpty, !Task.isCancelled else { return }
            guard !state.isTold || state.path != path else { return }
            (state.path, state.isTold) = (path, true)
            for reader in state.readers.values { reader.yield(path) }
            if state.isStarted { post(path, &state) }
        }
    }

    /// Calls the callback and posts the notification, unless the watch is stopped before.
    private func post(_ path: NetworkPath, _ state: inout State) {
        let callbackQueue = state.callbackQueue ?? UserCallbackQueue(options.callbacks)
        state.callbackQueue = callbackQueue
        callbackQueue.post { [weak self, options, starts = state.starts] in
            guard let self, self.state.withLock({ $0.isStarted && $0.starts == starts }) else { return }
            pathChanged?(path)
            options.post(path)
        }
    }
}

extension NetworkPath {
    /// Whether a probe has found that the path does not reach the internet.
    fileprivate var isUnconfirmed: Bool { confirmation == .captivePortal || confirmation == .failed }

    /// Whether the network says the same of both, whatever a probe has found.
    fileprivate func isSame(as other: NetworkPath) -> Bool {
        let isReachable = other.isReachable || other.isUnconfirmed
        return self.isReachable == isReachable && families == other.families && interface == other.interface
            && isMetered == other.isMetered && (link == other.link || other.link == nil)
            && (status == .unknown) == (other.status == .unknown)
    }

    /// Returns the path with what a probe has found: reachable only if that was confirmed.
    fileprivate func confirmed(_ confirmation: Confirmation) -> NetworkPath {
        var path = self
        path.confirmation = confirmation
        if confirmation != .confirmed { path.status = .notReachable }
        return path
    }
}

extension String {
    /// The text without the brackets of an IPv6 address.
    fileprivate var trimmingBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }
}
