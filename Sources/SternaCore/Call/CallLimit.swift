import NIOCore
import Synchronization

/// The deadline of a call, which can be paused.
///
/// Every change of a connection's state reads it, without a lock.
struct CallLimit: ~Copyable, Sendable {
    // In nanoseconds; `paused` during a pause.
    private let end: Atomic<UInt64>
    private static let paused = NIODeadline.distantFuture.uptimeNanoseconds

    init(_ moment: NIODeadline) { end = Atomic(min(moment.uptimeNanoseconds, Self.paused - 1)) }

    /// The deadline; `distantFuture` during a pause.
    var moment: NIODeadline { .uptimeNanoseconds(end.load(ordering: .relaxed)) }

    var isPaused: Bool { end.load(ordering: .relaxed) == Self.paused }

    /// Pauses the deadline; returns the remaining time.
    func pause(at now: NIODeadline) -> TimeAmount {
        .uptimeNanoseconds(end.exchange(Self.paused, ordering: .relaxed)) - now
    }

    /// Resumes the deadline with the remaining time.
    func resume(with remaining: TimeAmount, at now: NIODeadline) {
        end.store(Self.moment(in: remaining, from: now).uptimeNanoseconds, ordering: .relaxed)
    }

    /// Returns the time at which a remaining time ends.
    static func moment(in remaining: TimeAmount, from now: NIODeadline) -> NIODeadline {
        let left = UInt64(max(0, remaining.nanoseconds))
        let (sum, isTooLate) = now.uptimeNanoseconds.addingReportingOverflow(left)
        return .uptimeNanoseconds(isTooLate ? paused - 1 : min(sum, paused - 1))
    }
}

/// The pauses of a call, and its offer to release connections meanwhile.
struct CallPauses: Sendable {
    private var count = 0

    /// The remaining time when the first pause began; nil outside of pauses.
    private(set) var remaining: TimeAmount?
    private var release: ConnectionRelease?

    /// Whether the call's steps must be notified of a pause.
    var offersConnections: Bool { release != nil }

    /// The object that decides whether the paused call gives up its connections; nil while it is not paused.
    var offer: ConnectionRelease? { count > 0 ? release : nil }

    /// Begins a pause; returns whether it is the first.
    mutating func begin(_ limit: borrowing CallLimit, at now: NIODeadline) -> Bool {
        count += 1
        guard count == 1 else { return false }
        remaining = limit.pause(at: now)
        release?.offer()
        return true
    }

    /// Ends a pause; returns whether it was the last.
    mutating func end(_ limit: borrowing CallLimit, at now: NIODeadline) -> Bool {
        guard count > 0 else { return false }
        count -= 1
        guard count == 0, let rest = remaining.take() else { return false }
        release?.withdraw()
        limit.resume(with: rest, at: now)
        return true
    }

    mutating func setRelease(_ new: ConnectionRelease) {
        release = new
        if count > 0 { new.offer() }
    }
}
