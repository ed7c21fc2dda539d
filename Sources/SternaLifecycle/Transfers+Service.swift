public import ServiceLifecycle
public import SternaTransfers

/// A queue of transfers as a service of swift-service-lifecycle.
extension TransferQueue: Service {
    /// Waits for the group's graceful shutdown, or for cancellation, then stops the queue: see ``SternaTransfers/TransferQueue/stop()``.
    /// Resumable state is kept.
    public func run() async throws {
        await ShutdownSignal.wait()
        await stop()
    }
}

/// A store of transfers as a service of swift-service-lifecycle.
extension TransferStore: Service {
    /// Waits for the group's graceful shutdown, or for cancellation, then stops the running transfers.
    ///
    /// Their state is on the disk: a later process resumes them by
    /// ``SternaTransfers/TransferStore/resumeAll(with:named:startsAtOnce:)``.
    public func run() async throws {
        await ShutdownSignal.wait()
        await interrupt()
    }
}
