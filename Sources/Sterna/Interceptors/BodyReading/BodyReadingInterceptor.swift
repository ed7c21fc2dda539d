import SternaCore

/// Reads a response's body to its end if the call collects it, so that application interceptors above receive the complete
/// response.
///
/// If requests are retried, the ``RetryInterceptor`` reads the body instead, since it also retries after a truncated body.
struct BodyReadingInterceptor: Interceptor {
    /// The maximum size of a collected body, in bytes.
    let collectedBytes: Int

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        let response = try await next(request)
        guard let reading = BodyReading(of: response, to: request, collectedBytes: collectedBytes) else {
            return response
        }
        return try await Self.read(response, to: request, by: reading)
    }

    /// Returns the response with its body read to the end.
    nonisolated(nonsending) static func read(
        _ response: Response, to request: Request, by reading: BodyReading
    ) async throws -> Response {
        var response = response
        do {
            if let admit = reading.admit { response = try await admit(response) }
            let body = try await response.body.collect(upTo: reading.limit, reportingTo: reading.progress)
            response.body = ResponseBody(body, trailers: response.body.trailers)
            return response
        } catch {
            // A download task, if any, has taken over the body.
            if (error as? SternaError)?.downloadTask == nil { response.body.cancel() }
            // Errors of other types come from interceptors; the end of the chain wraps them.
            guard var known = error as? SternaError else { throw error }
            known.requestSent = true
            if known.response == nil { known.response = response }
            throw known.at(request)
        }
    }
}

/// How a call reads the body of its response.
struct BodyReading: Sendable {
    /// The maximum size of the collected body, in bytes.
    let limit: Int

    /// Called with download progress.
    let progress: (@Sendable (TransferProgress) -> Void)?

    /// Called with the response's head before the body is read; returns the response to read. Nil reads the response unchanged.
    var admit: (@Sendable (Response) async throws -> Response)?

    init(
        limit: Int, progress: (@Sendable (TransferProgress) -> Void)?,
        admit: (@Sendable (Response) async throws -> Response)? = nil
    ) {
        (self.limit, self.progress, self.admit) = (limit, progress, admit)
    }

    /// Returns how the chain reads the body of a response; nil if the caller reads it, or if it is complete already. Without a
    /// setting of the call, the chain reads bodies that are delivered whole.
    ///
    /// The body of a followed redirect is discarded; if the redirect is not followed after all, the ``RedirectInterceptor`` reads
    /// it.
    ///
    /// - Parameter isFinal: whether the redirect of the response is not followed after all.
    init?(of response: Response, to request: Request, collectedBytes: Int, isFinal: Bool = false) {
        if let own = request.state.course.reading {
            self = own
        } else if request.delivery == .whole {
            self.init(limit: collectedBytes, progress: nil)
        } else {
            return nil
        }
        guard applies(to: response), isFinal == Self.mayBeFollowed(response, to: request) else { return nil }
    }

    private static func mayBeFollowed(_ response: Response, to request: Request) -> Bool {
        RedirectRule.isRedirect(response.status.code) && request.options[RedirectPolicyKey.self].follows
            && response.section.contains(.location)
    }

    /// Returns whether the body must be read; a complete body within the limit need not be.
    private func applies(to response: Response) -> Bool {
        guard progress == nil, admit == nil, let whole = response.body.whole else { return true }
        return whole.count > limit
    }
}
