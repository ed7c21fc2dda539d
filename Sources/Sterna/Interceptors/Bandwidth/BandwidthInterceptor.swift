import SternaCore

/// Throttles bodies to the bandwidth limits of the session and of the request.
///
/// It is the last interceptor of the chain, so that it counts encoded bytes, once for each request on the network.
struct BandwidthInterceptor: Interceptor {
    let time: LoopClock

    /// The session's limit.
    let bandwidth: BandwidthLimit?

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        let own = request.state.choices.bandwidth
        // A request that has set nil ignores the session's limit.
        var limits = own.isSetToNil() ? [] : Self.limits(bandwidth, own.flattened())
        let link = request.state.course.link
        if let link { limits = link.adding(to: limits) }
        var limited = request
        limited.body = request.body?.limited(by: limits, time)
        var response = try await next(limited)
        link?.answered(response)
        response.body = LimitedBody.wrap(response.body, of: request, by: limits, time)
        return response
    }

    /// Returns the limits to apply. The request's own is first, since it is probably the lower one; the same limit counts once.
    static func limits(_ session: BandwidthLimit?, _ own: BandwidthLimit?) -> [BandwidthLimit] {
        guard let session else { return own.map { [$0] } ?? [] }
        guard let own, own !== session else { return [session] }
        return [own, session]
    }
}
