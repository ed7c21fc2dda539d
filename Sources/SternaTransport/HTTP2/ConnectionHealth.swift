import NIOCore
import SternaCore

/// Judges from a connection's silence whether it still carries bytes; a value without I/O.
///
/// While streams are open and the peer is silent, the client sends PING. A connection that stays silent is dead. The pause before
/// each further PING in the same silence doubles: servers count frequent PINGs as an attack.
struct ConnectionHealth {
    enum Step: Equatable {
        /// Check again at that moment.
        case wait(NIODeadline)
        /// Send a PING, and check again at that moment.
        case ping(NIODeadline)
        /// The peer has sent nothing within the time-out of the PING.
        case dead
    }

    private let interval: TimeAmount
    private let patience: TimeAmount
    private(set) var lastReceived: NIODeadline
    private var asked: NIODeadline?
    private var pause: TimeAmount

    init(_ options: HTTP2Options, at now: NIODeadline) {
        interval = max(.milliseconds(10), TimeAmount(clamping: options.pingInterval))
        patience = max(.milliseconds(10), TimeAmount(clamping: options.pingTimeout))
        lastReceived = now
        pause = interval
    }

    /// Notes that an exchange begins. Returns when to check at the latest.
    mutating func begin(at now: NIODeadline) -> NIODeadline {
        pause = interval
        return asked.map { $0 + patience } ?? lastReceived + pause
    }

    /// Whether a PING is unanswered.
    var isAsking: Bool { asked != nil }

    func isOverdue(at now: NIODeadline) -> Bool { asked.map { now >= $0 + patience } ?? false }

    /// Notes that bytes have arrived.
    mutating func received(at now: NIODeadline) {
        lastReceived = now
        if asked != nil {
            asked = nil
            pause = pause * 2
        } else if pause != interval {
            pause = interval
        }
    }

    mutating func check(at now: NIODeadline) -> Step {
        if let asked {
            let end = asked + patience
            return now >= end ? .dead : .wait(end)
        }
        let due = lastReceived + pause
        guard now >= due else { return .wait(due) }
        asked = now
        return .ping(now + patience)
    }
}
