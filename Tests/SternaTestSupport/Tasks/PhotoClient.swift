import Dispatch
import Sterna
import Synchronization

/// What a program's blocks were called with, in order; tests wait for its entries.
final class Journal: Sendable {
    private struct State {
        var entries: [String] = []
        var waiters: [(entry: String, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var entries: [String] { state.withLock { $0.entries } }

    /// Adds an entry.
    func add(_ entry: String) { add(entry, once: false) }

    /// Adds an entry unless it is there, for calls whose number depends on the network.
    func addOnce(_ entry: String) { add(entry, once: true) }

    private func add(_ entry: String, once: Bool) {
        let ready = state.withLock { state in
            if once, state.entries.contains(entry) { return [CheckedContinuation<Void, Never>]() }
            state.entries.append(entry)
            defer { state.waiters.removeAll { $0.entry == entry } }
            return state.waiters.filter { $0.entry == entry }.map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
    }

    /// Waits until there is an entry.
    func wait(for entry: String) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                let isThere = state.entries.contains(entry)
                if !isThere { state.waiters.append((entry, continuation)) }
                return isThere
            }
            if isThere { continuation.resume() }
        }
    }
}

/// The client of a program in AFNetworking's idiom, where it would be a subclass of AFHTTPSessionManager.
final class PhotoClient: Sendable {
    let manager: Session
    let journal = Journal()

    init(_ baseURL: String, _ setMoreBlocks: (inout SessionHooks, Journal) -> Void = { _, _ in }) throws {
        let journal = journal
        var blocks = SessionHooks()
        blocks.taskCreated = { _ in journal.add("created") }
        blocks.taskResumed = { _ in journal.add("resumed") }
        blocks.taskSuspended = { _ in journal.add("suspended") }
        blocks.taskCancelled = { _ in journal.add("cancelled") }
        blocks.taskCompleted = { _, error in journal.add(error.map { "completed \($0.kind)" } ?? "completed") }
        blocks.sessionInvalidated = { journal.add("invalidated") }
        blocks.responseReceived = { _, response in
            journal.add("response \(response.status.code)")
            return .allow
        }
        setMoreBlocks(&blocks, journal)
        manager = try Session(baseURL: baseURL) {
            $0.hooks = blocks
            $0.callbacks = .queue(DispatchQueue(label: "photos"))
            $0.startsTasks = false
            $0.headers["X-Client"] = "photos"
            $0.engine = Engine()
        }
    }

    /// Waits for the end of the one task, and returns everything that was called until then.
    func finished(_ last: String = "completed") async -> [String] {
        await journal.wait(for: last)
        return journal.entries
    }
}
