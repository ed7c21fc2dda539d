import NIOCore
import Synchronization

/// The queue of the bodies that wait for one limit in one direction.
///
/// It has one timer, for the next turn. Waiting blocks no thread.
package final class BandwidthQueue: Sendable {
    private struct Waiter {
        let body: any LimitedContent
        let wait: Wait<Int>
    }

    private struct State {
        var queue: TokenBucketQueue
        var waiters: [UInt64: Waiter] = [:]

        /// The clock of the last body that requested permission.
        var time: LoopClock?

        /// The time of the timer; nil without one.
        var timerMoment: NIODeadline?

        /// Distinguishes the current timer from those that it replaced.
        var timerNumber = 0

        /// When to check next whether the waits have ended otherwise.
        var nextCheck = NIODeadline.distantFuture
    }

    /// What to do after unlocking.
    private struct Work {
        var ended: [(wait: Wait<Int>, result: Result<Int, any Error>)] = []
        var timer: (moment: NIODeadline, number: Int, time: LoopClock)?
    }

    private let state: Mutex<State>
    private static let lastNumber = Atomic<UInt64>(0)

    /// How often waiting bodies are checked for a cancelled call or a changed deadline.
    private static let checkInterval = TimeAmount.seconds(1)

    init(rate: Int?) { state = Mutex(State(queue: TokenBucketQueue(rate: rate))) }

    /// Returns a unique number for a wait.
    static func nextNumber() -> UInt64 { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Bytes per second; nil for no limit. Waiting bodies continue at the new rate at once.
    var rate: Int? {
        get { state.withLock { $0.queue.rate } }
        set {
            let work = state.withLock { state in
                let now = state.time?.clock.now
                state.queue.setRate(newValue, at: now)
                return now.map { Self.advance(&state, at: $0) } ?? Work()
            }
            carryOut(work)
        }
    }

    /// The number of waiting bodies.
    package var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Takes permission for up to `count` bytes without waiting; nil if that is impossible.
    func takeNow(upTo count: Int, by time: LoopClock) -> Int? {
        state.withLock { state in
            state.time = time
            return state.queue.takeNow(upTo: count, at: time.clock.now)
        }
    }

    /// Waits for its turn, and takes permission for up to `count` bytes; throws the body's error if the wait ends before.
    ///
    /// - Parameter number: the wait's number, for ``cancel(_:)``.
    func take(
        upTo count: Int, for body: any LimitedContent, as number: UInt64, by time: LoopClock
    ) async throws -> Int {
        if let bytes = takeNow(upTo: count, by: time) { return bytes }
        let wait = Wait<Int>()
        carryOut(
            state.withLock { state in
                let now = time.clock.now
                state.time = time
                // If the wait ends later, the waiter is found in the queue; this check covers an earlier end.
                if let error = Task.isCancelled ? .cancelled(phase: body.phase) : body.failure(at: now) {
                    return Work(ended: [(wait, .failure(error))])
                }
                state.queue.join(number, upTo: count)
                state.waiters[number] = Waiter(body: body, wait: wait)
                state.nextCheck = min(state.nextCheck, now + Self.checkInterval, body.deadline)
                return Self.advance(&state, at: now)
            })
        return try await wait.value(onCancel: { cancel(number) })
    }

    /// Ends a wait with `cancelled`; does nothing before it has begun or after it has ended.
    func cancel(_ number: UInt64) {
        let waiter = state.withLock { state in
            state.queue.leave(number)
            return state.waiters.removeValue(forKey: number)
        }
        guard let waiter else { return }
        waiter.wait.end(.failure(SternaError.cancelled(phase: waiter.body.phase)))
    }

    // MARK: Turns

    /// Grants the turns that are due, ends waits with an error, and sets the timer.
    private static func advance(_ state: inout State, at now: NIODeadline) -> Work {
        var work = Work()
        if state.nextCheck <= now { check(&state, at: now, &work) }
        let (grants, next) = state.queue.advance(at: now)
        for grant in grants {
            guard let waiter = state.waiters.removeValue(forKey: grant.number) else { continue }
            work.ended.append((waiter.wait, .success(grant.bytes)))
        }
        guard let next, let time = state.time else { return work }
        let moment = min(next, state.nextCheck)
        if let set = state.timerMoment, set <= moment { return work }
        state.timerMoment = moment
        state.timerNumber &+= 1
        work.timer = (moment, state.timerNumber, time)
        return work
    }

    private static func check(_ state: inout State, at now: NIODeadline, _ work: inout Work) {
        state.nextCheck = .distantFuture
        for (number, waiter) in state.waiters {
            if let error = waiter.body.failure(at: now) {
                state.queue.leave(number)
                state.waiters[number] = nil
                work.ended.append((waiter.wait, .failure(error)))
            } else {
                state.nextCheck = min(state.nextCheck, now + checkInterval, waiter.body.deadline)
            }
        }
    }

    private func carryOut(_ work: Work) {
        for end in work.ended { end.wait.end(end.result) }
        guard let timer = work.timer else { return }
        timer.time.clock.schedule(at: timer.moment, on: timer.time.loop) { self.turnCame(timer.number) }
    }

    private func turnCame(_ number: Int) {
        let work = state.withLock { state in
            guard number == state.timerNumber, let time = state.time else { return Work() }
            state.timerMoment = nil
            return Self.advance(&state, at: time.clock.now)
        }
        carryOut(work)
    }
}

/// A body subject to a limit.
protocol LimitedContent: AnyObject, Sendable {
    /// The phase of the errors that end its wait.
    var phase: SternaError.Phase { get }

    /// The deadline of its wait.
    var deadline: NIODeadline { get }

    /// Returns the error that ends its wait now; nil to continue. It is called under the queue's lock.
    func failure(at now: NIODeadline) -> SternaError?
}
