import Synchronization

/// Tells when memory is short.
///
/// On Linux the kernel's pressure stall information tells (PSI, `/proc/pressure/memory`): tasks have waited for memory for 150 ms within two
/// seconds. The limits of the process's control groups count, too. Where there is no PSI, free memory is looked at every few seconds.
public final class MemoryPressure: Sendable {
    /// How short it is.
    public enum Level: Int, Sendable, Hashable, Comparable {
        /// The system slows down; what can be had again should be given back in part.
        case warning
        /// The system is nearly out of memory.
        case critical

        public static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    /// That of this machine, and of the control groups that the process belongs to. It is watched while there are subscriptions.
    public static let system = MemoryPressure(SystemMemoryPressureSource())

    private struct State {
        var subscribers: [Int: @Sendable (Level) -> Void] = [:]
        var lastNumber = 0
        var end: (@Sendable () -> Void)?
        var run = 0
    }

    private let source: (any MemoryPressureSource)?
    private let state = Mutex(State())

    /// Makes one that the program tells itself, by ``report(_:)``.
    public init() { source = nil }

    init(_ source: any MemoryPressureSource) { self.source = source }

    deinit { state.withLock { $0.end.take() }?() }

    /// Calls a closure whenever memory is short, until the returned object is released. The closure must return at once.
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

    /// Tells all subscribers that memory is short.
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

/// Ends a subscription when it is released.
public final class MemoryPressureSubscription: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}

/// What tells that memory is short: the kernel, or a test.
protocol MemoryPressureSource: Sendable {
    /// Begins to report. The returned closure ends the reports; one that is under way may still come.
    func begin(_ report: @escaping @Sendable (MemoryPressure.Level) -> Void) -> @Sendable () -> Void
}

#if os(Linux)
typealias SystemMemoryPressureSource = LinuxMemoryPressureSource
#else
/// The source of Dispatch, on Apple's platforms.
typealias SystemMemoryPressureSource = DispatchMemoryPressureSource
#endif
