public import Sterna
package import SternaCore
package import SternaTransport
import Synchronization

/// Monitors whether a destination can be reached, and over which kind of link.
///
///     for await path in NetworkReachability.shared.updates {
///         print(path)  // reachable by cable (eth0), IPv4 and IPv6
///     }
///
/// The result follows from the routes of this machine, as in AFNetworking and Apple's SCNetworkReachability: nothing is sent,
/// except lookups of a host's addresses, and the requests of a ``ReachabilityProbe``. Use it to explain failures and to choose when
/// to try again, not to decide whether to send a request.
///
/// It monitors while it is started, and while ``updates`` is read. All objects share one subscription to the system's network
/// state, which is open only meanwhile.
public final class NetworkReachability: Sendable {
    /// The object for the default route. It does not monitor until it is started or ``updates`` is read.
    public static let shared = NetworkReachability()

    /// The destination of the path.
    public let destination: ReachabilityDestination

    /// The options, which do not change.
    public let options: ReachabilityOptions

    private struct State {
        var path = NetworkPath(.unknown)
        /// Whether the path was determined, even if as unknown.
        var isTold = false
        var isStarted = false
        /// The number of calls of `start()`; pending callbacks of an earlier one are dropped.
        var starts = 0
        var readers: [Int: AsyncStream<NetworkPath>.Continuation] = [:]
        var lastReader = 0
        var changed: (@Sendable (NetworkPath) -> Void)?
        var callbackQueue: UserCallbackQueue?
        /// The addresses of the destination that were found last.
        var addresses: [IPAddress]?
        var run: Run?
    }

    /// The work that runs while the object is started or read.
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
    package let watch: NetworkWatch
    private let resolver: any HostResolver
    private let time: @Sendable () -> LoopClock

    /// Creates an object; it does not monitor until it is started or ``updates`` is read.
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

    /// The path that was reported last; unknown while the object does not monitor, and before the first result.
    public var path: NetworkPath { state.withLock { $0.path } }

    /// The status of ``path``.
    public var status: NetworkPath.Status { path.status }

    /// Whether ``path`` reaches the destination.
    public var isReachable: Bool { path.isReachable }

    /// Monitors until the path is determined, and returns it; returns ``path`` if the Swift task is cancelled.
    public func current() async -> NetworkPath {
        for await path in updates { return path }
        return path
    }

    // MARK: Changes

    /// The current path, once it is determined, and all changes, in order. Each reader receives all of them; of more than 256
    /// unread ones the oldest are dropped. The sequence ends when the Swift task is cancelled.
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
            // In a task, against a deadlock: the code that cancels a reader's task holds that task's lock here, and publishing a
            // path takes that lock while it holds this object's.
            Task {
                _ = state.withLock { $0.readers.removeValue(forKey: number) }
                settle()
            }
        }
        settle()
        return stream
    }

    /// Called with each change of ``path``, on ``ReachabilityOptions/callbacks``, in order; AFNetworking's
    /// `setReachabilityStatusChangeBlock:`. The first result counts as a change. It is called only between ``start()`` and
    /// ``stop()``.
    public var pathChanged: (@Sendable (NetworkPath) -> Void)? {
        get { state.withLock { $0.changed } }
        set { state.withLock { $0.changed = newValue } }
    }

    /// Starts monitoring, callbacks and notifications; has no effect if they were started before.
    public func start() {
        state.withLock { state in
            guard !state.isStarted else { return }
            state.isStarted = true
            state.starts += 1
            // The path is known already if `updates` is being read.
            if state.isTold { post(state.path, &state) }
        }
        settle()
    }

    /// Stops callbacks and notifications, and monitoring unless ``updates`` is still read; without monitoring ``path`` is unknown.
    public func stop() {
        state.withLock { $0.isStarted = false }
        settle()
    }

    /// Starts or stops monitoring, depending on whether the object is started or read.
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

    /// The pauses before a probe is sent again that has not confirmed the path; each pause is twice the one before.
    private static let (firstProbePause, longestProbePause) = (Duration.seconds(5), Duration.seconds(60))

    private enum Change {
        case table(Int, NetworkTable?)
        case pause
        case ended

        var isPause: Bool { if case .pause = self { true } else { false } }
    }

    /// Waits for a newer table, at most for the pause if there is one.
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

    /// Returns the path to report after a change that has lasted for the settling time; nil if monitoring stops meanwhile.
    ///
    /// - Parameter again: whether to probe an unchanged path again.
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
            // The path changed while the probe ran.
            guard let (version, newest) = await tables.change(after: seen) else { return nil }
            (seen, table) = (version, newest)
        }
        return nil
    }

    private static func newest(_ tables: Tables, _ seen: Int) async -> (Int, NetworkTable?)? {
        tables.version == seen ? nil : await tables.change(after: seen)
    }

    /// Returns the result of a probe; nil if the path changes before the probe ends.
    private func confirm(
        _ path: NetworkPath, by probe: ReachabilityProbe, _ tables: Tables, _ seen: Int
    ) async -> NetworkPath.Confirmation? {
        await withTaskGroup(of: NetworkPath.Confirmation?.self) { group in
            group.addTask { await probe.run() }
            group.addTask { [self] in
                var seen = seen
                // Changes of other links, such as those of containers, do not end the probe.
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

    private func path(in table: NetworkTable?) async -> NetworkPath { NetworkPath(await route(in: table)) }

    private func route(in table: NetworkTable?) async -> RoutePath {
        guard let table else { return RoutePath(.unknown) }
        let rule = PathRule(table: table, facts: facts)
        switch destination {
        case .defaultRoute: return rule.defaultPath
        case .address(let address): return rule.path(to: [address])
        case .host(let host):
            let name = host.lowercased().trimmingBrackets
            if let address = IPAddress(name) { return rule.path(to: [address]) }
            // Without a network a lookup would only time out, and the path would be reported as reachable meanwhile.
            let known = state.withLock { $0.addresses }
            if let known, !table.isConnected { return rule.path(to: known) }
            let isLost = known.map { !rule.path(to: $0).isReachable && !rule.defaultPath.isReachable } ?? false
            let found = await lookUp(name, within: isLost ? Self.lostLookup : nil)
            guard let found, !found.isEmpty else { return rule.defaultPath }
            state.withLock { $0.addresses = found }
            return rule.path(to: found)
        }
    }

    /// The time limit of a lookup while only networks of this machine, such as those of containers, can be reached.
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

    /// Calls the callback and posts the notification, unless ``stop()`` is called before.
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

extension NetworkReachability: WatchedNetwork {
    package var facts: LinkFacts { options.facts }
}

extension SessionSettings.Network {
    /// Tells the session whether the network is reachable, if ``Sterna/SessionSettings/Network/waitsForConnectivity`` is on;
    /// ``NetworkReachability/shared`` by default.
    ///
    /// Requests wait for its network's default route, whatever its destination, and without its settling time and probe.
    public var reachability: NetworkReachability {
        get { watchedNetwork as? NetworkReachability ?? .shared }
        set { watchedNetwork = newValue }
    }
}

extension NetworkPath {
    /// Whether a probe has not confirmed the path.
    fileprivate var isUnconfirmed: Bool { confirmation == .captivePortal || confirmation == .failed }

    /// Whether both paths are the same apart from the result of a probe.
    fileprivate func isSame(as other: NetworkPath) -> Bool {
        let isReachable = other.isReachable || other.isUnconfirmed
        return self.isReachable == isReachable && families == other.families && interface == other.interface
            && isMetered == other.isMetered && (link == other.link || other.link == nil)
            && (status == .unknown) == (other.status == .unknown)
    }

    /// Returns the path with the result of a probe; it is reachable only if the probe confirmed it.
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
