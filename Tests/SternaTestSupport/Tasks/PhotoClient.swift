import Dispatch
import Sterna
import Synchronization

/// The calls of a program's blocks, in order; tests wait for its entries.
final class Journal: Sendable {
    private struct State {
        var entries: [String] = []
        var waiters: [(entry: String, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var entries: [String] { state.withLock { $0.entries } }

    /// Adds an entry.
    func add(_ entry: String) { add(entry, once: false) }

    /// Adds an entry unless it exists, for calls whose number depends on the network.
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

    /// Waits for an entry.
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

    /// The calls of deciding blocks, and of those of requests.
    let journal = Journal()

    /// The events of tasks.
    let events = Journal()

    init(
        _ baseURL: String, _ setMoreBlocks: (inout TaskDecisions, Journal) -> Void = { _, _ in },
        told: @escaping @Sendable (SternaEvent, Journal) -> Void = { _, _ in }
    ) throws {
        let (journal, events) = (journal, events)
        var blocks = TaskDecisions()
        blocks.responseReceived = { _, response in
            journal.add("response \(response.status.code)")
            return .allow
        }
        setMoreBlocks(&blocks, journal)
        let observer = EventObserver(.tasks) { event in
            if let line = Self.line(event) { events.add(line) }
            told(event, events)
        }
        manager = try Session(baseURL: baseURL) {
            $0.tasks.decisions = blocks
            $0.events.observers = [observer]
            $0.callbacks = .queue(DispatchQueue(label: "photos"))
            $0.tasks.startsImmediately = false
            $0.headers["X-Client"] = "photos"
            $0.network.engine = Engine()
        }
    }

    private static func line(_ event: SternaEvent) -> String? {
        switch event.kind {
        case .taskCreated: "created"
        case .taskResumed: "resumed"
        case .taskSuspended: "suspended"
        case .taskCancelled: "cancelled"
        case .taskCompleted(let error): error.map { "completed \($0.kind)" } ?? "completed"
        case .sessionInvalidated: "invalidated"
        default: nil
        }
    }

    /// Waits for the end of the one task, and returns the events until then, followed by the calls of blocks.
    func finished(_ last: String = "completed") async -> [String] {
        await events.wait(for: last)
        return events.entries + journal.entries
    }
}
