public import Sterna
public import SternaCore
import SternaTransport
import Synchronization

/// Shows that tasks are under way: AFNetworkActivityIndicatorManager, with an action in place of the status bar.
///
///     let activity = NetworkActivity { isActive in print(isActive ? "working" : "idle") }
///     let api = try Session { $0.events.observers = [activity.observer] }
///
/// It counts the running tasks of all sessions that it observes, and what ``increment()`` and ``decrement()`` add: awaited calls,
/// such as `get`, are not tasks, and are not counted. Short activities are not shown, and short pauses do not hide activity.
public final class NetworkActivity: Sendable {
    /// The state of the display.
    public enum State: String, Sendable, Hashable {
        /// No activity; nothing is shown.
        case notActive
        /// Activity has begun, but has not lasted for ``startDelay``; it is not shown.
        case delayingStart
        /// Activity is shown.
        case active
        /// Activity has ended, but ``endDelay`` has not passed; it is still shown.
        case delayingEnd
    }

    /// An object for the whole program. It has no action until ``setAction(_:)``.
    public static let shared = NetworkActivity()

    private struct Content {
        var rule = ActivityRule()
        var startDelay: Duration
        var endDelay: Duration
        var isEnabled = true
        var action: (@Sendable (Bool) -> Void)?
        var tasks: Set<UInt64> = []
        var timer: ClockTimer?
        /// Identifies the timer, so that one that was replaced while it fired has no effect.
        var timerNumber = 0
    }

    private let content: Mutex<Content>
    private let callbackQueue: UserCallbackQueue
    private let time: @Sendable () -> LoopClock

    /// Creates an object; it shows nothing yet.
    ///
    /// - Parameters:
    ///   - startDelay: how long activity must last to be shown; 1 s by default.
    ///   - endDelay: how long activity must have ended before it is hidden; 170 ms by default.
    ///   - callbacks: where the action runs; the main queue by default.
    ///   - action: called with true when activity is shown, and with false when it is hidden, in order; none by default.
    public convenience init(
        startDelay: Duration = .seconds(1), endDelay: Duration = .milliseconds(170), callbacks: CallbackTarget = .main,
        action: (@Sendable (_ isActive: Bool) -> Void)? = nil
    ) {
        self.init(startDelay, endDelay, callbacks, action) { Engine.shared.loopClock }
    }

    package init(
        _ startDelay: Duration, _ endDelay: Duration, _ callbacks: CallbackTarget,
        _ action: (@Sendable (Bool) -> Void)?, time: @escaping @Sendable () -> LoopClock
    ) {
        content = Mutex(Content(startDelay: startDelay, endDelay: endDelay, action: action))
        callbackQueue = UserCallbackQueue(callbacks)
        self.time = time
    }

    deinit { content.withLock { $0.timer }?.cancel() }

    // MARK: State

    /// The current state of the display.
    public var state: State { content.withLock { $0.rule.state } }

    /// Whether activity is shown.
    public var isActive: Bool { [.active, .delayingEnd].contains(state) }

    /// The number of activities under way.
    public var count: Int { content.withLock { $0.rule.count } }

    /// Whether activities are counted; yes by default. Turning it off hides the activity at once, and resets the count.
    public var isEnabled: Bool {
        get { content.withLock { $0.isEnabled } }
        set {
            content.withLock { content in
                content.isEnabled = newValue
                guard !newValue else { return }
                content.tasks = []
                take(content.rule.reset(), &content)
            }
        }
    }

    /// How long activity must last to be shown. A delay that has begun is not changed.
    public var startDelay: Duration {
        get { content.withLock { $0.startDelay } }
        set { content.withLock { $0.startDelay = newValue } }
    }

    /// How long activity must have ended before it is hidden. A delay that has begun is not changed.
    public var endDelay: Duration {
        get { content.withLock { $0.endDelay } }
        set { content.withLock { $0.endDelay = newValue } }
    }

    /// Replaces the action.
    public func setAction(_ action: (@Sendable (_ isActive: Bool) -> Void)?) {
        content.withLock { $0.action = action }
    }

    // MARK: Counting

    /// Adds an activity that is not a task.
    public func increment() { add(1) }

    /// Removes an activity; call it once for each ``increment()``. Tasks are part of the same count, as in AFNetworking. Has no
    /// effect if the count is 0.
    public func decrement() { add(-1) }

    private func add(_ change: Int) {
        content.withLock { content in
            guard content.isEnabled else { return }
            take(content.rule.add(change), &content)
        }
    }

    /// Carries out a step, under the lock so that actions come in order.
    private func take(_ step: ActivityRule.Step, _ content: inout Content) {
        if step.cancelsTimer || step.timer != nil {
            content.timer?.cancel()
            content.timer = nil
            content.timerNumber += 1
        }
        if let timer = step.timer {
            let delay = timer == .start ? content.startDelay : content.endDelay
            let (time, number) = (time(), content.timerNumber)
            content.timer = time.clock.schedule(in: .init(clamping: delay), on: time.loop) { [weak self] in
                self?.fired(number)
            }
        }
        if let shows = step.shows {
            callbackQueue.post { [weak self] in self?.content.withLock { $0.action }?(shows) }
        }
    }

    private func fired(_ number: Int) {
        content.withLock { content in
            guard content.timerNumber == number else { return }
            content.timer = nil
            take(content.rule.timerFired(), &content)
        }
    }
}

extension NetworkActivity {
    /// Counts the tasks of a session that has it among its ``Sterna/SessionSettings/Events/observers``.
    public var observer: EventObserver {
        EventObserver(.tasks, endedSilently: { [self] id in note(id, runs: false) }) { [self] event in
            guard let id = event.task?.id else { return }
            switch event.kind {
            case .taskResumed: note(id, runs: true)
            case .taskSuspended, .taskCompleted: note(id, runs: false)
            default: break
            }
        }
    }

    /// Counts a task once, however often it is resumed.
    private func note(_ id: UInt64, runs: Bool) {
        content.withLock { content in
            guard content.isEnabled else { return }
            let isNew = runs ? content.tasks.insert(id).inserted : content.tasks.remove(id) != nil
            if isNew { take(content.rule.add(runs ? 1 : -1), &content) }
        }
    }
}
