import NIOCore
import Synchronization

/// The permits of an engine to open connections, shared by its endpoints.
///
/// Its lock is never taken within an endpoint's queue.
final class Permits: Sendable {
    private let book: Mutex<PermitBook>

    // Whether an endpoint waits for others to close connections; seen without the lock by a shard that has one to spare.
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

    /// Takes a permit, or puts the endpoint in line for one where it is to wait.
    func take(_ endpoint: Endpoint, waits: Bool = true) -> PermitBook.Answer {
        change { $0.take(endpoint.id, limit: endpoint.maximumConnections, waits: waits) }
    }

    /// Takes an endpoint out of the line for a permit once; whether it stood there.
    func leaveLine(_ endpoint: Endpoint) -> Bool { change { $0.leave(endpoint.id) } }

    /// Gives an endpoint's permit back, and tells the endpoint that gets it.
    func give(_ endpoint: Endpoint) {
        var next = change { $0.give(endpoint.id) }
        while let id = next {
            if let endpoint = known.withLock({ $0[id]?.endpoint }) { return endpoint.permitGranted() }
            // Nothing is left that could use it.
            next = change { $0.give(id) }
        }
    }

    // What shards look at without the lock is written while it is held.
    private func change<R: Sendable>(_ change: (inout PermitBook) -> R) -> R {
        book.withLock { book in
            let result = change(&book)
            starving.store(book.starving > 0, ordering: .sequentiallyConsistent)
            needy.store(book.hasNeedyEndpoint, ordering: .relaxed)
            return result
        }
    }

    /// How many permits of an endpoint are out.
    func open(of endpoint: Endpoint) -> Int { book.withLock { $0.open(of: endpoint.id) } }

    // MARK: Endpoints

    private struct WeakEndpoint {
        weak var endpoint: Endpoint?
    }

    private let known = Mutex<[Int: WeakEndpoint]>([:])

    /// Makes an endpoint known by its number.
    func add(_ endpoint: Endpoint) { known.withLock { $0[endpoint.id] = WeakEndpoint(endpoint: endpoint) } }

    /// All that are there, in the order in which they came.
    var endpoints: [Endpoint] {
        known.withLock { $0.sorted { $0.key < $1.key }.compactMap(\.value.endpoint) }
    }

    func remove(_ id: Int) { known.withLock { $0[id] = nil } }
}
