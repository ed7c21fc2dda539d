import ServiceLifecycle

enum ShutdownSignal {
    /// Waits until the group shuts down gracefully, or the task is cancelled.
    static func wait() async {
        // Its only error is that of the cancelled task.
        try? await gracefulShutdown()
    }
}
