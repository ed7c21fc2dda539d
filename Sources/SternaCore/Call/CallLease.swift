import Synchronization

/// A call's hold on an engine that is being shut down.
struct CallLease: ~Copyable, Sendable {
    private let lease = Mutex<ShutdownGrace.Lease?>(nil)

    // Lets nearly every call, which has no lease, end without taking the lock.
    private let isHeld = Atomic<Bool>(false)

    func keep(_ new: ShutdownGrace.Lease) {
        isHeld.store(true, ordering: .relaxed)
        // The former lease is released after unlocking.
        let old = lease.withLock { lease in
            defer { lease = new }
            return lease
        }
        _ = old
    }

    func release() {
        guard isHeld.load(ordering: .relaxed) else { return }
        let old = lease.withLock { $0.take() }
        _ = old
    }
}
