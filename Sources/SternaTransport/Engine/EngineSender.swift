import HTTPTypes
import NIOCore
package import SternaCore
import SternaSecurity

/// Sends a transport's requests. A type of its own because the engine refers to the transport weakly, which makes every other
/// reference to such an object more expensive.
package final class EngineSender: Transport {
    let engine: Engine
    let origins: OriginTable

    init(engine: Engine, origins: OriginTable) {
        self.engine = engine
        self.origins = origins
    }

    nonisolated(nonsending) package func send(_ request: Request) async throws -> Response {
        let endpoint = try origins.endpoint(of: request, engine)
        guard !endpoint.isRefused else { throw Self.unprotected(endpoint) }
        guard let call = request.call else {
            let now = engine.options.clock.now
            let deadline = request.ownDeadline?.instant ?? now + request.timeouts.amounts.total
            guard deadline > now else { throw Exchange.deadlinePassed(in: .prepare).at(request) }
            return try await perform(exchange(request, to: endpoint, deadline: deadline))
        }
        let own = request.ownDeadline?.instant ?? .distantFuture
        let isFirst = call.attempts == 0
        // The first attempt usually follows the session's deadline check at once. If an interceptor delays it, the connection
        // checks the deadline again before it writes.
        if !isFirst || own < .distantFuture {
            guard min(own, call.limit) > engine.options.clock.now else {
                throw Exchange.deadlinePassed(in: .prepare).at(request)
            }
        }
        let exchange = exchange(request, to: endpoint, deadline: own)
        exchange.isFurtherAttempt = !isFirst
        if !call.begin(exchange) { exchange.cancel() }
        call.log?.add(request)
        do {
            if let recorder = call.recorder { exchange.recorder = recorder.attemptBegan(request) }
            let response = try await perform(exchange)
            // A streamed body that is still arriving is part of the attempt.
            if response.body.stream == nil, response.duplex == nil { call.end(exchange) }
            return response
        } catch {
            call.end(exchange)
            throw error
        }
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
            .policy,
            "the request to \(endpoint.host) does not use TLS, but the host's policy pins keys, or the host has no policy",
            advice: "Use https, or give the host a policy without pins.")
        return SternaError(
            .certificateRejected, phase: .prepare, "Nothing was sent: \(failure)", underlying: failure)
    }

    // Prefers the endpoint's home event loop, then the caller's, then one with an idle connection. Otherwise the exchange queues
    // for the first free connection on any loop.
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
