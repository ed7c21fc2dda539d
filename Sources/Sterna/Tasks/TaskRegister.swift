import SternaTransport
import Synchronization

/// The unfinished tasks of a session and of those derived from it.
///
/// The register does not keep tasks alive: a running task retains itself, and a task that was never resumed ends with its last
/// reference.
final class TaskRegister: Sendable {
    private struct Entry: Sendable {
        weak var task: SessionTask?
        let scope: SessionScope
        /// Whether the task is complete, and its last callback pending.
        var isComplete = false
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var waits: [(scope: SessionScope, forCallbacks: Bool, done: @Sendable () -> Void)] = []

        /// Removes the waits whose scopes have no tasks left.
        mutating func takeDone() -> [@Sendable () -> Void] {
            guard !waits.isEmpty else { return [] }
            let isOver = waits.map { wait in
                !entries.values.contains { (wait.forCallbacks || !$0.isComplete) && wait.scope.contains($0.scope) }
            }
            let done = zip(waits, isOver).filter(\.1).map(\.0.done)
            waits = zip(waits, isOver).filter { !$1 }.map(\.0)
            return done
        }
    }

    private let state = Mutex(State())

    private struct WeakEngine {
        weak var engine: Engine?
    }

    private let known = Mutex<[WeakEngine]>([])

    /// The engines that carry the calls of the session and of those derived from it.
    var engines: [Engine] { known.withLock { $0.compactMap(\.engine) } }

    /// Adds the engine of a session.
    func add(_ engine: Engine) {
        known.withLock { known in
            guard known.last?.engine !== engine, !known.contains(where: { $0.engine === engine }) else { return }
            known.removeAll { $0.engine == nil }
            known.append(WeakEngine(engine: engine))
        }
    }

    func add(_ task: SessionTask) {
        state.withLock { $0.entries[task.id] = Entry(task: task, scope: task.session.plan.scope) }
    }

    /// Notes that a task is complete.
    func complete(_ id: UInt64) {
        let done = state.withLock { state in
            state.entries[id]?.isComplete = true
            return state.takeDone()
        }
        for act in done { act() }
    }

    /// Removes a task after its last callback.
    func remove(_ id: UInt64) {
        let done = state.withLock { state in
            state.entries[id] = nil
            return state.takeDone()
        }
        for act in done { act() }
    }

    /// The unfinished tasks of a scope and of those below it, in the order of their creation.
    func tasks(of scope: SessionScope) -> [SessionTask] {
        // The references are released outside the lock, since releasing the last one of a task removes it.
        let found = state.withLock { state in
            state.entries.values.filter { scope.contains($0.scope) }.compactMap(\.task)
        }
        return found.sorted { $0.id < $1.id }
    }

    /// Calls a closure when a scope has no unfinished task; at once if it has none now.
    ///
    /// - Parameter forCallbacks: whether to wait for the last callbacks of tasks, too.
    func whenEmpty(_ scope: SessionScope, forCallbacks: Bool = false, _ done: @escaping @Sendable () -> Void) {
        let ready = state.withLock { state in
            state.waits.append((scope, forCallbacks, done))
            return state.takeDone()
        }
        for act in ready { act() }
    }
}
