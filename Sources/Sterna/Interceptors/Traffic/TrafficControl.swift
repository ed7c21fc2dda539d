import SternaCore

extension SessionPlan {
    /// Returns the interceptors of traffic control that the settings enable, outermost first.
    static func trafficControl(_ settings: SessionSettings) -> [any Interceptor] {
        guard !settings.options.isEmpty else { return [] }
        let time = settings.engine.loopClock
        var chain: [any Interceptor] = []
        if let breaker = settings.circuitBreaker {
            chain.append(CircuitBreakerInterceptor(breaker: breaker, clock: time.clock))
        }
        if let limit = settings.rateLimit { chain.append(RateLimitInterceptor(limit: limit, time: time)) }
        return chain
    }
}
