import NIOCore
import SternaCore
import Synchronization

/// An engine's cache of host addresses, filled by its resolver.
final class DNSCache: Sendable {
    private struct State {
        var hosts: DNSCacheState<Int>
        var promises: [Int: EventLoopPromise<[IPAddress]>] = [:]
        var lookups: [Int: Lookup] = [:]
        // The look-ups that lost their waiters before their tasks were made.
        var abandoned: Set<Int> = []
        var lastWaiter = 0

        /// Returns the task of a look-up, which is to be cancelled; otherwise the task is cancelled as soon as it is made.
        mutating func abandon(_ id: Int) -> Task<Void, Never>? {
            if let lookup = lookups[id] { return lookup.task }
            if hosts.isRunning(id) { abandoned.insert(id) }
            return nil
        }
    }

    /// A look-up in progress, and the timer that reports that it takes long.
    private struct Lookup {
        let task: Task<Void, Never>
        let timer: ClockTimer
    }

    private let resolver: any HostResolver
    private let state: Mutex<State>

    private let timers: any EventLoop
    private let clock: NetworkClock

    /// - Parameter timers: the event loop that timers run on.
    init(resolver: any HostResolver, lifetime: Duration, timers: any EventLoop, clock: NetworkClock = .system) {
        self.resolver = resolver
        self.timers = timers
        self.clock = clock
        state = Mutex(State(hosts: DNSCacheState(defaultLifetime: lifetime)))
    }

    /// Finds a host's addresses. The returned closure stops waiting for them.
    func addresses(
        of host: String, _ families: AddressFamilies, on loop: any EventLoop
    ) -> (EventLoopFuture<[IPAddress]>, giveUp: @Sendable () -> Void) {
        let promise = loop.makePromise(of: [IPAddress].self)
        let (waiter, actions) = state.withLock { state in
            state.lastWaiter += 1
            let waiter = state.lastWaiter
            state.promises[waiter] = promise
            return (waiter, state.hosts.resolve(host, families, waiter: waiter, now: now))
        }
        perform(actions)
        let giveUp: @Sendable () -> Void = {
            let (promise, actions) = self.state.withLock { state in
                (state.promises.removeValue(forKey: waiter), state.hosts.cancelled(waiter))
            }
            promise?.fail(SternaError.cancelled(phase: .resolve))
            self.perform(actions)
        }
        return (promise.futureResult, giveUp)
    }

    private var now: Int64 { Int64(clamping: clock.now.uptimeNanoseconds) }

    private func perform(_ actions: [DNSCacheState<Int>.Action]) {
        for action in actions {
            switch action {
            case .lookUp(let id, let key): lookUp(id, key)
            case .giveUp(let id): state.withLock { $0.abandon(id) }?.cancel()
            case .answer(let waiter, let host): promise(of: waiter)?.succeed(host.addresses)
            case .fail(let waiter, let error): promise(of: waiter)?.fail(error)
            }
        }
    }

    private func promise(of waiter: Int) -> EventLoopPromise<[IPAddress]>? {
        state.withLock { $0.promises.removeValue(forKey: waiter) }
    }

    private func lookUp(_ id: Int, _ key: DNSCacheState<Int>.Key) {
        let timer = clock.schedule(in: .seconds(2), on: timers) {
            self.perform(self.state.withLock { $0.hosts.takesLong(id) })
        }
        let abandoned = state.withLock { state in
            let task = Task {
                let result: Result<ResolvedHost, any Error>
                do {
                    result = .success(try await resolver.resolve(key.host, key.families))
                } catch {
                    result = .failure(error)
                }
                let (lookup, actions) = self.state.withLock { state in
                    (state.lookups.removeValue(forKey: id), state.hosts.finished(id, result, now: now))
                }
                lookup?.timer.cancel()
                perform(actions)
            }
            state.lookups[id] = Lookup(task: task, timer: timer)
            return state.abandoned.remove(id) == nil ? nil : task
        }
        abandoned?.cancel()
    }
}
