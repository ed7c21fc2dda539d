public import ServiceLifecycle
public import SternaTransport

/// An engine as a service of swift-service-lifecycle:
///
///     let engine = Engine()
///     let api = try Session(baseURL: "https://api.example.com") { $0.network.engine = engine }
///     let group = ServiceGroup(services: [engine, server], gracefulShutdownSignals: [.sigterm], logger: logger)
///     try await group.run()
///
/// A group shuts its services down in reverse order: those that send requests stand behind the engine.
extension Engine: Service {
    /// Waits for the group's graceful shutdown, then shuts the engine down: requests with a connection may end within 30 s, see
    /// ``SternaTransport/Engine/shutDown(within:)``. Cancellation, also by the group's `maximumGracefulShutdownDuration`, ends them at
    /// once. `Engine.shared` only closes its idle connections.
    public func run() async throws {
        await ShutdownSignal.wait()
        await shutDown()
    }
}
