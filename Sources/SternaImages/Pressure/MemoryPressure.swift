import Synchronization

/// Reports when memory is short.
///
/// On Linux it uses the kernel's pressure stall information (PSI, `/proc/pressure/memory`) for the machine and the process's
/// control groups: `warning` when some tasks have waited for memory for 150 ms within two seconds, `critical` when all have for 100
/// ms. Without PSI, it checks free memory and the limits of control groups every 5 s. On Apple's platforms it uses Dispatch.
public final class MemoryPressure: Sendable {
    /// The level of memory pressure.
    public enum Level: Int, Sendable, Hashable, Comparable {
        /// The system slows down: caches should be reduced.
        case warning
        /// The system is nearly out of memory: caches should be emptied.
        case critical

        public static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    /// The memory pressure of the machine and the process's control groups. It is watched while there are subscriptions.
    public static let system = MemoryPressure(SystemMemoryPressureSource())

    private struct State {
        var subscribers: [Int: @Sendable (Level) -> Void] = [:]
        var lastNumber = 0
        var end: (@Sendable () -> Void)?
        var run = 0
    }

    private let source: (any MemoryPressureSource)?
    private let state = Mutex(State())

    /// Creates a source that the program reports to by ``report(_:)``.
    public init() { source = nil }

    init(_ source: any MemoryPressureSource) { self.source = source }

    deinit { state.withLock { $0.end.take() }?() }

    /// Calls a closure with the level whenever memory is short, on any thread, until the returned object is released. The closure
    /// must return at once.
    public func subscribe(_ body: @escaping @Sendable (Level) -> Void) -> MemoryPressureSubscription {
        let (number, run) = state.withLock { state in
            state.lastNumber += 1
            let isFirst = state.subscribers.isEmpty
            state.subscribers[state.lastNumber] = body
            if isFirst { state.run += 1 }
            return (state.lastNumber, isFirst ? state.run : nil)
        }
        if let run { begin(run) }
        return MemoryPressureSubscription { [weak self] in self?.remove(number) }
    }

    /// Calls all subscribers with a level of memory pressure.
    public func report(_ level: Level) {
        let subscribers = state.withLock { $0.subscribers.sorted { $0.key < $1.key }.map(\.value) }
        for subscriber in subscribers { subscriber(level) }
    }

    private func begin(_ run: Int) {
        guard let end = source?.begin({ [weak self] level in self?.report(level) }) else { return }
        let isLate = state.withLock { state in
            guard state.run == run, !state.subscribers.isEmpty else { return true }
            state.end = end
            return false
        }
        if isLate { end() }
    }

    private func remove(_ number: Int) {
        let end = state.withLock { state -> (@Sendable () -> Void)? in
            state.subscribers[number] = nil
            return state.subscribers.isEmpty ? state.end.take() : nil
        }
        end?()
    }
}

/// A subscription, which ends when the object is released.
public final class MemoryPressureSubscription: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}

/// A source of memory pressure: the system, or a test.
protocol MemoryPressureSource: Sendable {
    /// Begins to report. The returned closure ends the reports; one that is being delivered may still arrive.
    func begin(_ report: @escaping @Sendable (MemoryPressure.Level) -> Void) -> @Sendable () -> Void
}

#if os(Linux)
typealias SystemMemoryPressureSource = LinuxMemoryPressureSource
#else
/// The source of Dispatch, on Apple's platforms.
typealias SystemMemoryPressureSource = DispatchMemoryPressureSource
#endif
