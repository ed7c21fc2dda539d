import NIOCore
import SternaCore

/// Whether a connection still carries bytes, as far as its silence tells; a value without I/O.
///
/// While streams are open and nothing comes, the peer is asked for a sign of life (PING); one that gives none is gone. Asked
/// again in the same silence, it has twice the time each time: servers count what asks too often as an attack.
struct ConnectionHealth {
    enum Step: Equatable {
        /// Look again at that moment.
        case wait(NIODeadline)
        /// Send a PING, and look again at that moment.
        case ping(NIODeadline)
        /// Nothing has come in all that time.
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

    /// An exchange begins; returns when to look at the latest.
    mutating func begin(at now: NIODeadline) -> NIODeadline {
        pause = interval
        return asked.map { $0 + patience } ?? lastReceived + pause
    }

    /// Whether it was asked, and has not answered in time.
    var isAsking: Bool { asked != nil }

    func isOverdue(at now: NIODeadline) -> Bool { asked.map { now >= $0 + patience } ?? false }

    /// Something has come.
    mutating func received(at now: NIODeadline) {
        lastReceived = now
        if asked != nil {
            asked = nil
            pause = pause * 2
        } else if pause != interval {
            pause = interval
        }
    }

    mutating func look(at now: NIODeadline) -> Step {
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
