package import NIOCore
import Synchronization

/// Tells those that wait when their deadline has passed, by one timer for all of them.
///
/// A timer of its own for each would cost a call its way to the event loop and back, and all others of that loop a look at it.
package final class DeadlineWatch: Sendable {
    /// One that waits.
    package protocol Member: AnyObject, Sendable {
        /// Its deadline; `distantFuture` for none, such as while its time stands still.
        var deadline: NIODeadline { get }

        /// Called once, when the deadline has passed: on the event loop, or by the caller that adds the member.
        func deadlinePassed()
    }

    private struct State: Sendable {
        var members: [ObjectIdentifier: any Member] = [:]
        var timer = EarliestTimer()
    }

    private let time: LoopClock
    private let state = Mutex(State())

    package init(_ time: LoopClock) { self.time = time }

    deinit { state.withLock { $0.timer.stop() } }

    /// The number of those that wait.
    package var count: Int { state.withLock { $0.members.count } }

    /// Watches a member until its deadline has passed, at once perhaps, or until it is removed.
    package func add(_ member: some Member) {
        let deadline = member.deadline
        guard deadline > time.clock.now else { return member.deadlinePassed() }
        state.withLock { state in
            state.members[ObjectIdentifier(member)] = member
            arrange(deadline, &state)
        }
    }

    /// Heeds a deadline that has become an earlier one; does nothing for one that is no member.
    package func update(_ member: some Member) {
        let deadline = member.deadline
        state.withLock { state in
            if state.members[ObjectIdentifier(member)] != nil { arrange(deadline, &state) }
        }
    }

    /// Forgets a member; does nothing for another.
    package func remove(_ member: some Member) {
        // The reference is released after unlocking.
        let removed = state.withLock { $0.members.removeValue(forKey: ObjectIdentifier(member)) }
        _ = removed
    }

    private func arrange(_ deadline: NIODeadline, _ state: inout State) {
        guard deadline < .distantFuture, !state.timer.isSet(by: deadline) else { return }
        state.timer.clear()
        let task = time.clock.schedule(at: deadline, on: time.loop, outlastsLoop: true) { [weak self] in
            self?.check()
        }
        state.timer.set(task, at: deadline)
    }

    private func check() {
        let members = state.withLock { state in
            state.timer.fired()
            return Array(state.members.values)
        }
        let now = time.clock.now
        var next = NIODeadline.distantFuture
        var late: [any Member] = []
        for member in members {
            let deadline = member.deadline
            if deadline <= now { late.append(member) } else { next = min(next, deadline) }
        }
        state.withLock { [next, late] state in
            for member in late { state.members[ObjectIdentifier(member)] = nil }
            arrange(next, &state)
        }
        for member in late { member.deadlinePassed() }
    }
}
