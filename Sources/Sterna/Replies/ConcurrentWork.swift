import SternaCore

/// Runs long work on the threads that all tasks share.
enum ConcurrentWork {
    /// Long work on an event loop would delay its connections, and on an actor its other work.
    static func run<T: Sendable>(_ work: @Sendable () throws(SternaError) -> T) async throws(SternaError) -> T {
        try await withTaskExecutorPreference(globalConcurrentExecutor) { () async throws(SternaError) in
            try work()
        }
    }
}
