import Dispatch
import SternaCore
import SternaTransport

/// Decides whether a thread may block until a task is complete, or until more of its body arrives.
struct BlockingRule: Sendable, Hashable {
    /// Whether the thread runs an event loop.
    var isOnEventLoop = false

    /// Whether the thread runs a Swift task.
    var isInSwiftTask = false

    /// Whether the thread is the main one, or runs the main queue.
    var isMain = false

    /// Whether the task waits for closures that run on the main queue.
    var waitsForMain = false

    /// Returns why the thread may not block; nil if it may.
    ///
    /// - Parameter call: the function that would block it.
    func refusal(of call: String) -> SternaError? {
        let reason: String
        if isOnEventLoop {
            reason = "an event loop, which would stop its connections. Use the task with await instead"
        } else if isInSwiftTask, !isMain {
            reason = "a Swift task, whose thread other tasks need. Use the task with await instead"
        } else if isMain, waitsForMain {
            reason = "the main thread, on which the task's closures run. Set the session's callbacks to another queue"
        } else {
            return nil
        }
        return SternaError(.invalidRequest, phase: .prepare, "\(call) would block \(reason).")
    }
}

extension BlockingRule {
    private static let mainKey = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Describes the current thread.
    static func here() -> BlockingRule {
        BlockingRule(
            isOnEventLoop: Engine.isOnEventLoop, isInSwiftTask: withUnsafeCurrentTask { $0 != nil },
            // Also true on the first thread of a program that does not run the main queue: Dispatch counts the queue as current
            // there.
            isMain: DispatchQueue.getSpecific(key: mainKey) ?? false)
    }

    /// Whether callbacks run on the main queue or its actor.
    static func isMain(_ target: CallbackTarget) -> Bool {
        switch target {
        case .queue(let queue): queue.getSpecific(key: mainKey) ?? false
        case .executor: false
        case .actor(let actor): actor === MainActor.shared
        }
    }
}
