/// Decides which downloads of a batch run: a limited number at once, in order. A value without tasks.
struct BatchQueue: Sendable, Hashable {
    /// The number of downloads.
    let count: Int

    /// The maximum number that run at the same time.
    let limit: Int

    /// Whether the batch is suspended; it is at first.
    private(set) var isSuspended = true

    /// The first download that has not begun.
    private(set) var next = 0

    /// The downloads that have begun and not ended.
    private(set) var running: Set<Int> = []

    init(count: Int, limit: Int) {
        self.count = max(0, count)
        self.limit = max(1, limit)
    }

    /// Resumes the batch; returns the downloads to continue and those to begin.
    mutating func resume() -> (goOn: [Int], begin: [Int]) {
        guard isSuspended else { return ([], []) }
        isSuspended = false
        let goOn = running.sorted()
        return (goOn, begin())
    }

    /// Suspends the batch; returns the downloads to suspend.
    mutating func suspend() -> [Int] {
        guard !isSuspended else { return [] }
        isSuspended = true
        return running.sorted()
    }

    /// Notes the end of a download; returns those to begin in its place.
    mutating func ended(_ index: Int) -> [Int] {
        guard running.remove(index) != nil else { return [] }
        return begin()
    }

    /// Cancels the batch: nothing begins any more. Returns the downloads that had not begun.
    mutating func cancel() -> Range<Int> {
        defer { next = count }
        return next..<count
    }

    /// Whether all downloads have ended.
    var isOver: Bool { next == count && running.isEmpty }

    private mutating func begin() -> [Int] {
        guard !isSuspended else { return [] }
        var begun: [Int] = []
        while next < count, running.count < limit {
            running.insert(next)
            begun.append(next)
            next += 1
        }
        return begun
    }
}
