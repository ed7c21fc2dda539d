/// A step between the session and the transport that sees every request on its way down and its response on the way up.
///
/// It may change the request (a copy), return a response without calling `next`, call `next` more than once, or change the
/// response. It runs in the caller's isolation unless it is declared `@concurrent`, and must not block it with long work.
public protocol Interceptor: Sendable {
    /// Handles a request; `next` passes a request on and returns its response.
    ///
    /// A `SternaError` that this throws reaches the caller unchanged, and `CancellationError` cancels the call. Any other error
    /// reaches the interceptors above unchanged, and the caller as the `underlying` error of
    /// ``SternaError/Kind/interceptorFailed``.
    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response
}

/// The rest of the chain below an interceptor, with the transport at its end.
public struct Chain: Sendable {
    @usableFromInline let interceptors: [any Interceptor]
    @usableFromInline let index: Int
    @usableFromInline let transport: any Transport

    /// Starts a chain at its first interceptor.
    public init(_ interceptors: [any Interceptor], transport: any Transport) {
        self.init(interceptors, index: 0, transport: transport)
    }

    @usableFromInline
    init(_ interceptors: [any Interceptor], index: Int, transport: any Transport) {
        self.interceptors = interceptors
        self.index = index
        self.transport = transport
    }

    /// Passes a request on.
    // Inlined, since a call for each step would double the cost of a chain.
    @inlinable
    @inline(__always)
    nonisolated(nonsending) public func callAsFunction(_ request: Request) async throws -> Response {
        guard index < interceptors.count else { return try await transport.send(request) }
        let below = Chain(interceptors, index: index + 1, transport: transport)
        return try await interceptors[index].intercept(request, next: below)
    }
}

/// Sends requests to their servers and returns the responses.
public protocol Transport: Sendable {
    /// Sends a request once; returns when the response's head has arrived. Throws `SternaError`.
    nonisolated(nonsending) func send(_ request: Request) async throws -> Response
}
