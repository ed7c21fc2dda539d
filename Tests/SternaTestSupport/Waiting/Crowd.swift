import Synchronization

/// Counts concurrent visitors: the present number, the maximum and the total.
final class Crowd: Sendable {
    private let counts = Mutex((now: 0, most: 0, all: 0))

    var now: Int { counts.withLock { $0.now } }
    var most: Int { counts.withLock { $0.most } }
    var all: Int { counts.withLock { $0.all } }

    /// Returns the total, this visitor included.
    @discardableResult
    func enter() -> Int {
        counts.withLock { counts in
            counts.now += 1
            counts.most = max(counts.most, counts.now)
            counts.all += 1
            return counts.all
        }
    }

    func leave() { counts.withLock { $0.now -= 1 } }

    func with<R>(_ work: () async throws -> R) async rethrows -> R {
        enter()
        defer { leave() }
        return try await work()
    }
}
