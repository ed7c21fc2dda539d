/// Receives network events. All methods default to no-ops, so one whose parameters have other types compiles, and is never called.
///
/// The events of one request arrive in order. The caller's task reports its begin, its end and its retries, and event
/// loops report the rest. Every
/// method must return at once.
public protocol NetworkObserver: Sendable {
    /// A request begins; called once per request, for any number of attempts.
    func requestBegan(_ request: ObservedRequest)

    /// An attempt begins.
    func attemptBegan(_ request: ObservedRequest, reason: AttemptMetrics.Reason)

    /// The host's addresses were found for a new connection.
    func hostResolved(_ request: ObservedRequest, host: String, addresses: [IPAddress])

    /// A new connection is open, to an address and port or a path.
    func connected(_ request: ObservedRequest, to address: String)

    /// A proxy has reached the server.
    func proxyConnected(_ request: ObservedRequest, proxy: String)

    /// A proxy has reached the server; calls ``proxyConnected(_:proxy:)`` by default.
    ///
    /// The answer is the head of the proxy's 2xx answer to CONNECT (RFC 9110, 9.3.6), over HTTP/1.1 or HTTP/2. It is nil for a
    /// proxy that forwards requests, and for SOCKS. Any other answer becomes ``SternaError/proxyResponse`` of the error.
    func proxyConnected(_ request: ObservedRequest, proxy: String, answer: Response?)

    /// The TLS handshake with the server is complete.
    func tlsEstablished(_ request: ObservedRequest, version: String?)

    /// The attempt has its connection.
    func connectionAcquired(_ request: ObservedRequest, isReused: Bool)

    /// The last byte of the request was written.
    func requestSent(_ request: ObservedRequest, bytes: Int64)

    /// An interim response arrived (RFC 9110, 15.2).
    func informationalReceived(_ request: ObservedRequest, _ response: InformationalResponse)

    /// The response's head arrived.
    func responseBegan(_ request: ObservedRequest, status: Int)

    /// The last byte of the response arrived.
    func responseEnded(_ request: ObservedRequest, bytes: Int64)

    /// The attempt has failed.
    func attemptFailed(_ request: ObservedRequest, _ error: SternaError)

    /// A retry was decided on; its attempt begins after a wait.
    func retryScheduled(_ request: ObservedRequest, _ retry: ScheduledRetry)

    /// The request has ended, successfully or not.
    func requestEnded(_ request: ObservedRequest, _ metrics: RequestMetrics)
}

extension NetworkObserver {
    public func requestBegan(_ request: ObservedRequest) {}
    public func attemptBegan(_ request: ObservedRequest, reason: AttemptMetrics.Reason) {}
    public func hostResolved(_ request: ObservedRequest, host: String, addresses: [IPAddress]) {}
    public func connected(_ request: ObservedRequest, to address: String) {}
    public func proxyConnected(_ request: ObservedRequest, proxy: String) {}
    public func proxyConnected(_ request: ObservedRequest, proxy: String, answer: Response?) {
        proxyConnected(request, proxy: proxy)
    }
    public func tlsEstablished(_ request: ObservedRequest, version: String?) {}
    public func connectionAcquired(_ request: ObservedRequest, isReused: Bool) {}
    public func requestSent(_ request: ObservedRequest, bytes: Int64) {}
    public func informationalReceived(_ request: ObservedRequest, _ response: InformationalResponse) {}
    public func responseBegan(_ request: ObservedRequest, status: Int) {}
    public func responseEnded(_ request: ObservedRequest, bytes: Int64) {}
    public func attemptFailed(_ request: ObservedRequest, _ error: SternaError) {}
    public func retryScheduled(_ request: ObservedRequest, _ retry: ScheduledRetry) {}
    public func requestEnded(_ request: ObservedRequest, _ metrics: RequestMetrics) {}
}

/// The request and time of an observed event.
public struct ObservedRequest: Sendable, Hashable {
    /// A number that is unique within this process.
    public let id: UInt64

    /// The number of the attempt, counted from 1; 0 before the first.
    public let attempt: Int

    /// The request's method.
    public let method: String

    /// The URL without user information, its secret-looking query values replaced.
    public let url: String

    /// The time of the event, counted from the request's begin.
    public let time: Duration
}
