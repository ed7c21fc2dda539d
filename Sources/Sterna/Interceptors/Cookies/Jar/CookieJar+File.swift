import SternaCore
import Synchronization

/// How long a jar with a file waits before it saves changes.
struct SavePauses: Sendable {
    /// Since the last change.
    var idle = Duration.seconds(1)
    /// Since the first one that is not saved.
    var longest = Duration.seconds(5)
}

extension CookieJar.Content {
    /// Notes a change that is to be saved; returns whether a save has to be scheduled for it.
    mutating func noteChange() -> Bool {
        isDirty = true
        let now = ContinuousClock.now
        guard let first = changes?.first else {
            changes = (now, now)
            return true
        }
        changes = (first, now)
        return false
    }
}

extension CookieJar {
    /// Whether requests have to load the file first.
    var isUnread: Bool { !isRead.load(ordering: .acquiring) }

    /// Reads the file, unless that was done. Throws `fileUnreadable`; requests go on without the file then.
    public func load() async throws {
        guard isUnread else { return }
        try await work.run { try self.readOnce() }
    }

    /// Saves all changes now, and takes over those of others. What the file cannot have is in ``unsavedCookies`` afterwards.
    ///
    /// - Throws: `fileUnreadable` for a file that is not one of a jar, and `writeFailed`.
    public func save() async throws { try await work.run { try self.write() } }

    // For functions that may wait for the disk; the file is read once only.
    func loadNow() {
        if isUnread { work.runBlocking { try? readOnce() } }
    }

    func scheduleSave(after pause: Duration) {
        work.begin(after: pause) { [weak self] in self?.saveScheduled() }
    }

    func saveReleased() {
        let (cookies, isDirty) = content.withLock { ($0.cookies, $0.isDirty) }
        guard isDirty, let storage else { return }
        let now = now()
        // Not here, since the last reference may go on an event loop.
        work.begin {
            _ = try? FileLock.withLock(path: storage.file.path) {
                var cookies = cookies
                let saved = try storage.read(now: now)
                storage.merge(saved, into: &cookies, now: now)
                try storage.write(cookies.state.file(now: now), over: saved)
            }
        }
    }

    // MARK: Called in order, by `work`

    private func readOnce() throws(SternaError) {
        guard let storage, isUnread else { return }
        // Also after an error: later requests do without the file, too.
        defer { isRead.store(true, ordering: .releasing) }
        let now = now()
        let saved = try storage.read(now: now)
        content.withLock { storage.merge(saved, into: &$0.cookies, now: now) }
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
            // Changes stay after an error, and are saved with the next one or by the caller, who learns of it.
            try? write()
        }
    }

    private func write() throws {
        guard let storage else { return }
        try FileLock.withLock(path: storage.file.path) {
            let now = now()
            let saved = try storage.read(now: now)
            let (new, removals) = content.withLock { content in
                storage.merge(saved, into: &content.cookies, now: now)
                content.isDirty = false
                let file = content.cookies.state.file(now: now)
                return (file, storage.format == .json ? nil : content.cookies.state.takeRemovals())
            }
            isRead.store(true, ordering: .releasing)
            let leftOut: [Cookie]
            do {
                leftOut = try storage.write(new, over: saved)
            } catch {
                content.withLock { content in
                    content.isDirty = true
                    if let removals { content.cookies.state.noteRemovals(removals, now: now) }
                }
                throw error
            }
            guard storage.format == .cookiesText else { return }
            let missing = Set(leftOut.map { CookieRemovals.Key($0) })
            let lines = CookieLines(new.cookies.filter { !missing.contains(.init($0)) })
            content.withLock { content in
                content.cookies.lines = lines
                content.unsaved = leftOut
            }
        }
    }
}
