import SternaCore
import Synchronization

/// A state in memory, and the file that it shares with other processes; or a state without a file.
///
/// The file is read once, when it is first needed, and merged into the state. A change is saved after a pause (``SavePauses``), by
/// ``save()``, and when the last reference is released: under a lock the file is read again, merged, and replaced. A file that
/// cannot be read is left unchanged, and changes are kept for the next save.
final class MergedFile<Format: MergedFileFormat>: Sendable {
    /// Reads and writes the file; nil for a state without one.
    let format: Format?

    private let content: Mutex<Content>
    private let isRead: Atomic<Bool>
    private let pauses: SavePauses
    private let work: BlockingWork

    private struct Content {
        var state: Format.State
        var isDirty = false
        /// The times of the first and of the last change for the scheduled save; nil if none is scheduled.
        var changes: (first: ContinuousClock.Instant, last: ContinuousClock.Instant)?
    }

    /// - Parameter label: the name of the threads that read and write.
    init(_ label: String, _ format: Format?, pauses: SavePauses = SavePauses(), state: Format.State) {
        self.format = format
        self.pauses = pauses
        content = Mutex(Content(state: state))
        isRead = Atomic(format == nil)
        work = BlockingWork(label, inOrder: true)
    }

    deinit {
        let (state, isDirty) = content.withLock { ($0.state, $0.isDirty) }
        guard isDirty, let format else { return }
        // Not on this thread: the last reference may be released on an event loop, which must not block.
        work.begin {
            try? FileLock.withLock(path: format.file.path) {
                var state = state
                let saved = try format.read()
                format.merge(saved, into: &state)
                _ = try format.write(state, over: saved)
            }
        }
    }

    /// Whether the file was read, or there is none.
    var isLoaded: Bool { isRead.load(ordering: .acquiring) }

    /// Whether changes wait for a save.
    var isDirty: Bool { content.withLock { $0.isDirty } }

    /// Calls a closure with the state. It schedules no save: changes that the closure makes are saved with later ones.
    func withLock<R: Sendable>(_ body: (inout Format.State) -> R) -> R { content.withLock { body(&$0.state) } }

    /// Calls a closure with the state, and schedules a save if the closure reports a change.
    func change<R: Sendable>(_ body: (inout Format.State) -> (R, isChange: Bool)) -> R {
        let (result, schedules) = content.withLock { content in
            let (result, isChange) = body(&content.state)
            guard isChange, format != nil else { return (result, false) }
            let now = ContinuousClock.now
            let first = content.changes?.first
            content.isDirty = true
            content.changes = (first ?? now, now)
            return (result, first == nil)
        }
        if schedules { scheduleSave(after: pauses.idle) }
        return result
    }

    /// Reads the file, unless it was read before. Throws `fileUnreadable` only once; the state is then used without the file.
    nonisolated(nonsending) func load() async throws {
        guard !isLoaded else { return }
        try await work.run { try self.readOnce() }
    }

    /// Reads the file, unless it was read before, and blocks the calling thread meanwhile; errors are ignored.
    func loadNow() {
        if !isLoaded { work.runBlocking { try? readOnce() } }
    }

    /// Saves all changes, and merges those of other processes. Throws `fileUnreadable` and `writeFailed`.
    nonisolated(nonsending) func save() async throws { try await work.run { try self.write() } }

    private func scheduleSave(after pause: Duration) {
        work.begin(after: pause) { [weak self] in self?.saveScheduled() }
    }

    // MARK: Called in order, by `work`

    private func readOnce() throws {
        guard let format, !isLoaded else { return }
        // Also after an error: the state is used without the file from then on.
        defer { isRead.store(true, ordering: .releasing) }
        let saved = try format.read()
        content.withLock { format.merge(saved, into: &$0.state) }
    }

    private func saveScheduled() {
        let rest: Duration? = content.withLock { content in
            guard let changes = content.changes else { return nil }
            let now = ContinuousClock.now
            let due = min(changes.last + pauses.idle, changes.first + pauses.longest)
            if content.isDirty, due > now { return now.duration(to: due) }
            content.changes = nil
            return nil
        }
        if let rest {
            scheduleSave(after: rest)
        } else if content.withLock({ $0.isDirty }) {
            // Changes stay after an error, and are saved with the next one or by the caller of `save()`, which throws it.
            try? write()
        }
    }

    private func write() throws {
        guard let format else { return }
        try FileLock.withLock(path: format.file.path) {
            let saved = try format.read()
            let state = content.withLock { content in
                format.merge(saved, into: &content.state)
                content.isDirty = false
                return content.state
            }
            isRead.store(true, ordering: .releasing)
            do {
                let note = try format.write(state, over: saved)
                content.withLock { note(&$0.state) }
            } catch {
                content.withLock { $0.isDirty = true }
                throw error
            }
        }
    }
}

/// Reads and writes the file of a ``MergedFile``, and merges it into the state.
protocol MergedFileFormat: Sendable {
    associatedtype State: Sendable
    /// The content of the file.
    associatedtype Saved: Sendable

    var file: PrivateFile { get }

    /// Reads the file; one that does not exist is empty. Throws `fileUnreadable`.
    func read() throws(SternaError) -> Saved

    /// Merges what was read into the state, under the state's lock.
    func merge(_ saved: Saved, into state: inout State)

    /// Replaces what was read by a merged state, if they differ. Throws `writeFailed`.
    ///
    /// - Returns: a function that notes the save in the state, which may have changed since.
    func write(_ state: State, over saved: Saved) throws(SternaError) -> (inout State) -> Void
}

/// How long a ``MergedFile`` waits before it saves changes.
struct SavePauses: Sendable {
    /// The pause after the last change; 1 s by default.
    var idle: Duration
    /// The longest time after the first unsaved change; 5 s by default.
    var longest: Duration

    init(idle: Duration = .seconds(1), longest: Duration = .seconds(5)) {
        self.idle = idle
        self.longest = longest
    }
}
