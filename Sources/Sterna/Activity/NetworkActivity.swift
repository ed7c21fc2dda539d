public import SternaCore
import SternaTransport
import Synchronization

/// Shows that tasks are under way: AFNetworkActivityIndicatorManager, with an action in place of the status bar.
///
///     let activity = NetworkActivity { isActive in print(isActive ? "working" : "idle") }
///     let api = try Session { $0.observers = [activity.observer] }
///
/// It counts the running tasks of all sessions that it observes, and what ``increment()`` and ``decrement()`` add: calls that return
/// their response, such as `get`, are no tasks. Short activities are not shown, and pauses between them are passed over.
public final class NetworkActivity: Sendable {
    /// What is shown, and what is to follow.
    public enum State: String, Sendable, Hashable {
        case notActive
        /// Something is under way, not yet for long enough.
        case delayingStart
        case active
        /// Nothing is under way any more, not yet for long enough.
        case delayingEnd
    }

    /// Adds up tasks for the whole program. It has no action until ``setAction(_:)``.
    public static let shared = NetworkActivity()

    private struct Content {
        var rule = ActivityRule()
        var startDelay: Duration
        var endDelay: Duration
        var isEnabled = true
        var action: (@Sendable (Bool) -> Void)?
        var tasks: Set<UInt64> = []
        var timer: ClockTimer?
        /// Tells a timer that was replaced while it ran.
        var timerNumber = 0
    }

    private let content: Mutex<Content>
    private let callbackQueue: UserCallbackQueue
    private let time: @Sendable () -> LoopClock

    /// Makes an object that shows nothing yet.
    ///
    /// - Parameters:
    ///   - startDelay: how long activity must last to be shown; 1 s by default.
    ///   - endDelay: how long nothing must be under way until it is no longer shown; 170 ms by default.
    ///   - callbacks: where the action runs; the main queue by default.
    ///   - action: called when activity begins and ends to be shown, in order.
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

    public var state: State { content.withLock { $0.rule.state } }

    /// Whether activity is shown.
    public var isActive: Bool { [.active, .delayingEnd].contains(state) }

    /// The number of activities under way.
    public var count: Int { content.withLock { $0.rule.count } }

    /// Whether anything is counted; yes by default. Turning it off ends what is shown, and forgets what is under way.
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

    /// How long nothing must be under way until activity is no longer shown. A delay that has begun is not changed.
    public var endDelay: Duration {
        get { content.withLock { $0.endDelay } }
        set { content.withLock { $0.endDelay = newValue } }
    }

    /// Replaces the action.
    public func setAction(_ action: (@Sendable (_ isActive: Bool) -> Void)?) {
        content.withLock { $0.action = action }
    }

    // MARK: Counting

    /// Adds an activity that is no task.
    public func increment() { add(1) }

    /// Removes an activity that was added, once for each ``increment()``: tasks count in the same way, as in AFNetworking. Has no effect if nothing
    /// is under way.
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
    /// Counts the tasks of a session that has it among its ``SessionSettings/observers``.
    public var observer: EventObserver {
        EventObserver(.tasks) { [self] event in
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
