import HTTPTypes
import NIOCore
package import SternaCore
import SternaSecurity

/// Sends a transport's requests. By itself, since the engine refers to the transport weakly, and every other reference to such an
/// object costs more for it.
package final class EngineSender: Transport {
    let engine: Engine
    let origins: OriginTable

    init(engine: Engine, origins: OriginTable) {
        self.engine = engine
        self.origins = origins
    }

    nonisolated(nonsending) package func send(_ request: Request) async throws -> Response {
        let endpoint = try origins.endpoint(for: request.url, of: engine)
        guard !endpoint.isRefused else { throw Self.unprotected(endpoint) }
        let now = NIODeadline.now()
        let deadline = request.deadline?.instant ?? now + request.timeouts.amounts.total
        guard deadline > now else { throw Exchange.deadlinePassed(in: .prepare).at(request) }
        let exchange = exchange(request, to: endpoint, deadline: deadline)
        if let recorder = request.recorder { exchange.recorder = recorder.attemptBegan(request) }
        return try await perform(exchange)
    }

    nonisolated(nonsending) func perform(_ exchange: Exchange) async throws -> Response {
        defer { exchange.taken() }
        return try await withTaskCancellationHandler {
            // The exchange resumes the continuation once, on every path.
            try await withUnsafeThrowingContinuation { exchange.begin($0) }
        } onCancel: {
            exchange.cancel()
        }
    }

    static func unprotected(_ endpoint: Endpoint) -> SternaError {
        let failure = TrustFailure(
            .policy, "\(endpoint.host) is asked without TLS, and its policy pins keys, or there is none for it",
            advice: "Write https, or give the host a policy without pins.")
        return SternaError(
            .certificateRejected, phase: .prepare, "Nothing was sent: \(failure)", underlying: failure)
    }

    // On the event loop that has the connection, or that the caller runs on, or that has an idle connection; else wherever one is
    // free first.
    private func exchange(_ request: Request, to endpoint: Endpoint, deadline: NIODeadline) -> Exchange {
        let shard = endpoint.homeShard.map { engine.shards[$0] } ?? engine.currentShard
        let reserved = shard == nil ? endpoint.reserve() : nil
        let exchange = Exchange(
            request, endpoint: endpoint, shard: shard ?? reserved ?? engine.shards[0],
            hasReservation: reserved != nil, deadline: deadline)
        exchange.startsInQueue = shard == nil && reserved == nil
        return exchange
    }
}
