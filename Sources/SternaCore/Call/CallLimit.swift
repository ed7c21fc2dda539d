import NIOCore
import Synchronization

/// When a call ends at the latest; while its time stands still, it has no limit.
///
/// Every change of a connection's state reads it, without a lock.
struct CallLimit: ~Copyable, Sendable {
    // In nanoseconds; `paused` while time stands still.
    private let end: Atomic<UInt64>
    private static let paused = NIODeadline.distantFuture.uptimeNanoseconds

    init(_ moment: NIODeadline) { end = Atomic(min(moment.uptimeNanoseconds, Self.paused - 1)) }

    /// The moment; `distantFuture` while time stands still.
    var moment: NIODeadline { .uptimeNanoseconds(end.load(ordering: .relaxed)) }

    var isPaused: Bool { end.load(ordering: .relaxed) == Self.paused }

    /// Lets time stand still; returns the time that was left.
    func pause(at now: NIODeadline) -> TimeAmount {
        .uptimeNanoseconds(end.exchange(Self.paused, ordering: .relaxed)) - now
    }

    /// Lets time go on with the time that was left.
    func resume(with remaining: TimeAmount, at now: NIODeadline) {
        end.store(Self.moment(in: remaining, from: now).uptimeNanoseconds, ordering: .relaxed)
    }

    /// The moment at which the time that is left ends.
    static func moment(in remaining: TimeAmount, from now: NIODeadline) -> NIODeadline {
        let left = UInt64(max(0, remaining.nanoseconds))
        let (sum, isTooLate) = now.uptimeNanoseconds.addingReportingOverflow(left)
        return .uptimeNanoseconds(isTooLate ? paused - 1 : min(sum, paused - 1))
    }
}

/// The pauses of a call, and what it offers meanwhile.
struct CallPauses: Sendable {
    private var count = 0

    /// The time that was left when the first pause began; nil while time goes on.
    private(set) var remaining: TimeAmount?
    private var release: ConnectionRelease?

    /// Whether the call's steps are to be told of a pause.
    var offersConnections: Bool { release != nil }

    /// What decides whether the paused call gives its connections up; nil while it is not paused.
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
