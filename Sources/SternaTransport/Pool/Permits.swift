import NIOCore
import Synchronization

/// The permits of an engine to open connections, shared by its shards.
final class Permits: Sendable {
    private let book: Mutex<PermitBook>

    // Whether somebody waits for others to close connections; seen without the lock by whoever has one to spare.
    private let starving = Atomic<Bool>(false)
    private let needy = Atomic<Bool>(false)
    private let nextID = Atomic<Int>(0)

    init(limit: Int) { book = Mutex(PermitBook(limit: limit)) }

    /// A number for an endpoint that no other has.
    func makeID() -> Int { nextID.wrappingAdd(1, ordering: .relaxed).oldValue }

    /// Whether an endpoint waits for another one's connection to be closed.
    var isStarving: Bool { starving.load(ordering: .sequentiallyConsistent) }

    /// Whether an endpoint that has none waits for another one's connection.
    var isNeedy: Bool { needy.load(ordering: .relaxed) }

    /// Takes a permit, or puts the shard in line for one where it is to wait.
    func take(_ endpoint: Endpoint, shard: Int, waits: Bool = true) -> PermitBook.Answer {
        let answer = change(endpoint) {
            $0.take(endpoint.id, limit: endpoint.maximumConnections, shard: shard, waits: waits)
        }
        if waits, answer != .granted { endpoint.inLine.wrappingAdd(1, ordering: .sequentiallyConsistent) }
        return answer
    }

    /// Takes a shard out of the line for a permit once; whether it stood there.
    func leaveLine(_ endpoint: Endpoint, shard: Int) -> Bool {
        let left = change(endpoint) { $0.leave(endpoint.id, shard: shard) }
        if left { endpoint.inLine.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
        return left
    }

    /// Gives a shard's permit back, and tells whoever gets it.
    func give(_ endpoint: Endpoint, shard: Int) {
        var left = change(endpoint) { $0.give(endpoint.id, shard: shard) }
        while let grant = left.popLast() {
            if let endpoint = waiting.withLock({ $0[grant.endpoint]?.endpoint }) {
                change(endpoint) { _ in }
                endpoint.granted(to: grant.shard)
            } else {
                // Nobody is left who could use it.
                left += book.withLock { $0.give(grant.endpoint, shard: grant.shard) }
            }
        }
    }

    // What others look at without the lock is written while it is held.
    private func change<R: Sendable>(_ endpoint: Endpoint, _ change: (inout PermitBook) -> R) -> R {
        book.withLock { book in
            let result = change(&book)
            starving.store(book.starving > 0, ordering: .sequentiallyConsistent)
            needy.store(book.hasNeedyEndpoint, ordering: .relaxed)
            endpoint.isNeeded.store(book.hasNeedyShard(endpoint.id), ordering: .relaxed)
            return result
        }
    }

    /// How many permits of an endpoint are out, and how many shards wait for one.
    func counts(of endpoint: Endpoint) -> (open: Int, waiting: Int) { book.withLock { $0.counts(of: endpoint.id) } }

    // MARK: Endpoints

    private struct WeakEndpoint {
        weak var endpoint: Endpoint?
    }

    private let waiting = Mutex<[Int: WeakEndpoint]>([:])

    /// Makes an endpoint known by its number.
    func add(_ endpoint: Endpoint) { waiting.withLock { $0[endpoint.id] = WeakEndpoint(endpoint: endpoint) } }

    /// All that are there, in the order in which they came.
    var endpoints: [Endpoint] {
        waiting.withLock { $0.sorted { $0.key < $1.key }.compactMap(\.value.endpoint) }
    }

    func remove(_ id: Int) { waiting.withLock { $0[id] = nil } }
}
