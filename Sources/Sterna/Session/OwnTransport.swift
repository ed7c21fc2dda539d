import SternaCore

/// Wraps a session's own transport, and records the requests of tasks as the engine does.
struct OwnTransport: Transport {
    let base: any Transport

    nonisolated(nonsending) func send(_ request: Request) async throws -> Response {
        request.call?.log?.add(request)
        return try await base.send(request)
    }
}
