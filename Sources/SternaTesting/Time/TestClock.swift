public import NIOCore
public import SternaCore
import Synchronization

/// A clock that stands still until a test advances it; all limits of its engine follow it.
///
///     let time = TestClock()
///     var options = EngineOptions()
///     options.clock = time.clock
///     let engine = Engine(options: options)
///     let api = try Session(baseURL: server.url) { $0.network.engine = engine }
///
///     let request = Task { try await api.get("slow") }
///     await time.waitForTimer(within: .seconds(60))
///     await time.advance(by: .seconds(60))         // request fails with timedOut
public final class TestClock: Sendable {
    private struct Timer {
        let moment: NIODeadline
        let number: Int
        let loop: any EventLoop
        let work: @Sendable () -> Void
    }

    private struct Waiter {
        let moment: NIODeadline
        let wait = Wait<Void>()
    }

    private struct State {
        var now = NIODeadline.now()
        var timers: [Timer] = []
        var lastNumber = 0
        var waiters: [Waiter] = []

        // Takes the earliest timer that is due and sets the time to its moment.
        mutating func takeTimer(until end: NIODeadline) -> Timer? {
            let first = timers.indices.min {
                (timers[$0].moment, timers[$0].number) < (timers[$1].moment, timers[$1].number)
            }
            guard let first, timers[first].moment <= end else { return nil }
            let timer = timers.remove(at: first)
            now = max(now, timer.moment)
            return timer
        }

        mutating func takeWaiters(for moment: NIODeadline) -> [Waiter] {
            let met = waiters.filter { moment <= $0.moment }
            waiters.removeAll { moment <= $0.moment }
            return met
        }
    }

    private let state = Mutex(State())

    /// Makes a clock that starts at the present moment.
    public init() {}

    /// The clock for ``EngineOptions``.
    public var clock: NetworkClock { NetworkClock(source: self) }

    /// The clock's current time.
    public var now: NIODeadline { state.withLock { $0.now } }

    /// The clock's current time, for `$0.deadline = time.deadline + .seconds(5)`.
    public var deadline: Deadline { Deadline(now) }

    /// The number of pending timers.
    public var timerCount: Int { state.withLock { $0.timers.count } }

    /// The number of tasks that wait for a timer.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Advances the time; every timer on the way runs at its own moment, and has run when this returns.
    ///
    /// - Parameter duration: the distance; zero for a negative one.
    public func advance(by duration: Duration) async {
        let end = now + TimeAmount(clamping: max(duration, .zero))
        while let timer = state.withLock({ $0.takeTimer(until: end) }) {
            // Fails if the loop was shut down, so that there is nothing left to run.
            try? await timer.loop.submit(timer.work).get()
        }
        state.withLock { $0.now = max($0.now, end) }
    }

    /// Waits until a timer is pending that is due within a duration of the clock's current time, or until the task is cancelled.
    public func waitForTimer(within duration: Duration) async {
        let wait = state.withLock { state -> Wait<Void>? in
            let moment = state.now + TimeAmount(clamping: duration)
            guard !state.timers.contains(where: { $0.moment <= moment }) else { return nil }
            let waiter = Waiter(moment: moment)
            state.waiters.append(waiter)
            return waiter.wait
        }
        guard let wait else { return }
        defer { state.withLock { state in state.waiters.removeAll { $0.wait === wait } } }
        try? await wait.value()
    }
}

extension TestClock: ClockSource {
    package func schedule(
        at moment: NIODeadline, on loop: any EventLoop, _ work: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        let (number, isDue, met) = state.withLock { state in
            state.lastNumber += 1
            let isDue = moment <= state.now
            if !isDue {
                state.timers.append(Timer(moment: moment, number: state.lastNumber, loop: loop, work: work))
            }
            // A timer that is due already is never pending.
            return (state.lastNumber, isDue, isDue ? [] : state.takeWaiters(for: moment))
        }
        for waiter in met { waiter.wait.end() }
        if isDue { loop.execute(work) }
        return { [weak self] in
            self?.state.withLock { state in state.timers.removeAll { $0.number == number } }
        }
    }
}
