import SternaCore

/// Runs work that takes long on the threads that all tasks share.
enum Elsewhere {
    /// A task that runs on an event loop would keep it from its connections, and an actor from its other work.
    static func run<T: Sendable>(_ work: @Sendable () throws(SternaError) -> T) async throws(SternaError) -> T {
        try await withTaskExecutorPreference(globalConcurrentExecutor) { () async throws(SternaError) in
            try work()
        }
    }
}
