import NIOCore
import Synchronization

/// An engine's permits to open connections, shared by its endpoints.
///
/// The lock is never taken while an endpoint's queue is locked.
final class Permits: Sendable {
    private let limiter: Mutex<ConnectionLimiter>

    // Whether an endpoint waits for others to close connections. Shards with a spare connection read it without the lock.
    private let starving = Atomic<Bool>(false)
    private let needy = Atomic<Bool>(false)
    private let nextID = Atomic<Int>(0)

    init(limit: Int) { limiter = Mutex(ConnectionLimiter(limit: limit)) }

    /// Returns a unique number for an endpoint.
    func makeID() -> Int { nextID.wrappingAdd(1, ordering: .relaxed).oldValue }

    /// Whether an endpoint waits for another one to close a connection.
    var isStarving: Bool { starving.load(ordering: .sequentiallyConsistent) }

    /// Whether one of the first eight waiting endpoints has no connection at all.
    var isNeedy: Bool { needy.load(ordering: .relaxed) }

    /// Takes a permit. If the limit for all is reached, queues the endpoint, provided that it waits.
    func take(_ endpoint: Endpoint, waits: Bool = true) -> ConnectionLimiter.Outcome {
        change { $0.take(endpoint.id, limit: endpoint.maximumConnections, waits: waits) }
    }

    /// Removes an endpoint from the queue for permits. Returns whether it was queued.
    func leavePermitQueue(_ endpoint: Endpoint) -> Bool { change { $0.leave(endpoint.id) } }

    /// Gives an endpoint's permit back, and notifies the endpoint that receives it.
    func give(_ endpoint: Endpoint) {
        var next = change { $0.give(endpoint.id) }
        while let id = next {
            if let endpoint = known.withLock({ $0[id]?.endpoint }) { return endpoint.permitGranted() }
            // The receiving endpoint no longer exists.
            next = change { $0.give(id) }
        }
    }

    // Values that shards read without the lock are written under it.
    private func change<R: Sendable>(_ change: (inout ConnectionLimiter) -> R) -> R {
        limiter.withLock { limiter in
            let result = change(&limiter)
            starving.store(limiter.starving > 0, ordering: .sequentiallyConsistent)
            needy.store(limiter.hasNeedyEndpoint, ordering: .relaxed)
            return result
        }
    }

    /// Whether a connection has a permit.
    var areInUse: Bool { limiter.withLock { $0.open > 0 } }

    /// Returns how many permits an endpoint uses.
    func open(of endpoint: Endpoint) -> Int { limiter.withLock { $0.open(of: endpoint.id) } }

    // MARK: Endpoints

    private struct WeakEndpoint {
        weak var endpoint: Endpoint?
    }

    private let known = Mutex<[Int: WeakEndpoint]>([:])

    /// Registers an endpoint under its number.
    func add(_ endpoint: Endpoint) { known.withLock { $0[endpoint.id] = WeakEndpoint(endpoint: endpoint) } }

    /// All existing endpoints, in order of creation.
    var endpoints: [Endpoint] {
        known.withLock { $0.sorted { $0.key < $1.key }.compactMap(\.value.endpoint) }
    }

    func remove(_ id: Int) { known.withLock { $0[id] = nil } }
}
