public import NIOCore
import Synchronization

/// The clock of an engine and of its sessions' calls: the system's clock, or a test's (`TestClock` in SternaTesting).
///
/// It measures all limits, pauses and durations.
public struct NetworkClock: Sendable {
    /// The system's monotonic clock, the default.
    public static let system = NetworkClock(nil)

    private let source: (any ClockSource)?
    @usableFromInline let isSystem: Bool

    private init(_ source: (any ClockSource)?) {
        self.source = source
        isSystem = source == nil
    }

    /// Makes a clock that a test advances.
    package init(source: any ClockSource) { self.init(source) }

    /// The current time.
    // Inlined, since every step of a request reads it, nearly always from the system.
    @inlinable
    @inline(__always)
    public var now: NIODeadline {
        isSystem ? .now() : sourceNow
    }

    @usableFromInline
    @inline(never)
    var sourceNow: NIODeadline { source?.now ?? .now() }

    /// Runs work on an event loop at a time, or at once if that has passed.
    ///
    /// - Parameter outlastsLoop: whether the timer may be cancelled after the loop was shut down, which SwiftNIO otherwise reports
    ///   as a programming error.
    @discardableResult
    package func schedule(
        at moment: NIODeadline, on loop: any EventLoop, outlastsLoop: Bool = false,
        _ work: @escaping @Sendable () -> Void
    ) -> ClockTimer {
        guard let source else {
            let scheduled = loop.scheduleTask(deadline: moment, work)
            return ClockTimer(.loop(scheduled, end: outlastsLoop ? ClockTimer.End(of: scheduled) : nil))
        }
        return ClockTimer(.source(source.schedule(at: moment, on: loop, work)))
    }

    /// Runs work on an event loop after a time.
    @discardableResult
    package func schedule(
        in time: TimeAmount, on loop: any EventLoop, _ work: @escaping @Sendable () -> Void
    ) -> ClockTimer {
        schedule(at: now + time, on: loop, work)
    }
}

/// Work that a ``NetworkClock`` runs later.
package struct ClockTimer: Sendable {
    fileprivate enum Kind: Sendable {
        case loop(Scheduled<Void>, end: End?)
        case source(@Sendable () -> Void)
    }

    /// Whether a timer has fired, or was dropped because its event loop ended first.
    fileprivate final class End: Sendable {
        private let isOver = Atomic(false)
        var hasCome: Bool { isOver.load(ordering: .acquiring) }

        init(of scheduled: Scheduled<Void>) {
            scheduled.futureResult.whenComplete { _ in self.isOver.store(true, ordering: .releasing) }
        }
    }

    private let kind: Kind

    fileprivate init(_ kind: Kind) { self.kind = kind }

    /// Cancels the work, unless it has begun.
    package func cancel() {
        switch kind {
        case .loop(let scheduled, let end): if end?.hasCome != true { scheduled.cancel() }
        case .source(let cancel): cancel()
        }
    }
}

/// A source of time other than the system's.
package protocol ClockSource: AnyObject, Sendable {
    var now: NIODeadline { get }

    /// Runs work on an event loop at a time; returns a closure that cancels it.
    func schedule(
        at moment: NIODeadline, on loop: any EventLoop, _ work: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void
}
