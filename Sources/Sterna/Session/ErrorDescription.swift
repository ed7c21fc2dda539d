import SternaCore

/// Converts an error that left the chain of a call into a `SternaError`.
enum ErrorDescription {
    /// Returns the error with the details of its request, and of the response received, if it has none.
    ///
    /// An error that is not a `SternaError` comes from user code: an interceptor, the session's own transport, or a body made by
    /// one of them. `CancellationError` keeps its meaning; any other becomes the cause of `interceptorFailed`.
    ///
    /// - Parameters:
    ///   - response: the response whose body was being read; nil if the call failed before.
    ///   - point: the call's position in the chain; nil in a session without interceptors.
    static func describe(
        _ error: any Error, of request: Request, answeredBy response: Response? = nil, at point: CallTrace.Point? = nil
    ) -> SternaError {
        var known = error as? SternaError ?? foreign(error, of: request, isRead: response != nil, at: point)
        if known.method == nil { known.method = request.method }
        if let response {
            known.requestSent = true
            if known.response == nil { known.response = response }
        }
        return known.at(request)
    }

    private static func foreign(
        _ error: any Error, of request: Request, isRead: Bool, at point: CallTrace.Point?
    ) -> SternaError {
        let text = CodingReason.text(error)
        var described = SternaError(
            .interceptorFailed, phase: .prepare, "An interceptor failed: \(text)", underlying: error)
        described.method = point?.method
        described.url = point?.url.map(Redaction.show)
        described.redirects = point?.redirects ?? []
        switch point?.outcome ?? (point == nil ? .transportFailure : nil) {
        case .response(let response):
            described.response = response
            described.requestSent = true
            described.phase = .read
        case .failure(let failure):
            described.phase = failure.phase
            described.attempt = failure.attempt
            described.requestSent = failure.requestSent
            described.response = failure.response
            described.proxyResponse = failure.proxyResponse
            if described.redirects.isEmpty { described.redirects = failure.redirects }
        case .transportFailure:
            described.detail = "The session's transport failed: \(text)"
            described.requestSent = true
            described.phase = .wait
        case nil:
            // An attempt is still in progress: the interceptor did not wait for it.
            guard let call = request.call, let point, call.attempts > point.attempts else { break }
            described.requestSent = true
            described.phase = .wait
        }
        if isRead {
            described.detail = "The body of the response failed: \(text)"
            described.phase = .read
        }
        guard error is CancellationError else { return described }
        let cancelled = SternaError.cancelled(phase: described.phase)
        (described.kind, described.detail, described.underlying) = (cancelled.kind, cancelled.detail, nil)
        return described
    }
}
