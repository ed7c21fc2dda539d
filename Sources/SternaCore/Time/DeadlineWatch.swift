package import NIOCore
import Synchronization

/// Notifies members when their deadline has passed, with one timer for all of them.
///
/// A timer for each would cost every call two hops to the event loop.
package final class DeadlineWatch: Sendable {
    /// An object with a deadline.
    package protocol Member: AnyObject, Sendable {
        /// Its deadline; `distantFuture` for none, for example while it is paused.
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

    /// The number of members.
    package var count: Int { state.withLock { $0.members.count } }

    /// Adds a member until its deadline has passed, which may be at once, or until it is removed.
    package func add(_ member: some Member) {
        let deadline = member.deadline
        guard deadline > time.clock.now else { return member.deadlinePassed() }
        state.withLock { state in
            state.members[ObjectIdentifier(member)] = member
            arrange(deadline, &state)
        }
    }

    /// Applies a member's earlier deadline; does nothing for an object that is not a member.
    package func update(_ member: some Member) {
        let deadline = member.deadline
        state.withLock { state in
            if state.members[ObjectIdentifier(member)] != nil { arrange(deadline, &state) }
        }
    }

    /// Removes a member; does nothing for an object that is not a member.
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
