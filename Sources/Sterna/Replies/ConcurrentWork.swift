import SternaCore

/// Runs long computations on the threads that all Swift tasks share.
enum ConcurrentWork {
    /// Runs the work off the caller's executor: on an event loop it would delay connections, on an actor its other work.
    static func run<T: Sendable>(_ work: @Sendable () throws(SternaError) -> T) async throws(SternaError) -> T {
        try await withTaskExecutorPreference(globalConcurrentExecutor) { () async throws(SternaError) in
            try work()
        }
    }
}
