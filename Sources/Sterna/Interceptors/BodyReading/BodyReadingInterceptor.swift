import SternaCore

/// Reads a response's body to its end if the call collects it. An application interceptor above then sees the result of the call, not only
/// its head.
///
/// Where requests are retried the ``RetryInterceptor`` reads the body in its place, since a body that breaks off is a failure, too.
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

    /// Reads the body of a response.
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
            // A download may have taken it over.
            if (error as? SternaError)?.downloadTask == nil { response.body.cancel() }
            // An error that is not the library's comes from an interceptor; the end of the chain says so.
            guard var known = error as? SternaError else { throw error }
            known.requestSent = true
            if known.response == nil { known.response = response }
            throw known.at(request)
        }
    }
}

/// How a call reads the body of its response.
struct BodyReading: Sendable {
    /// The maximum size of a collected body, in bytes.
    let limit: Int

    /// Called with download progress.
    let progress: (@Sendable (TransferProgress) -> Void)?

    /// Called with the response's head; returns the response whose body is read. Nil to read it as it is.
    var admit: (@Sendable (Response) async throws -> Response)?

    init(
        limit: Int, progress: (@Sendable (TransferProgress) -> Void)?,
        admit: (@Sendable (Response) async throws -> Response)? = nil
    ) {
        (self.limit, self.progress, self.admit) = (limit, progress, admit)
    }

    /// Returns how the chain reads the body of a response; nil if the caller reads it, or if it is there. A call that says nothing
    /// reads what is delivered whole.
    ///
    /// The body of a redirect that is followed is discarded; if it is not followed after all, the ``RedirectInterceptor`` reads it.
    ///
    /// - Parameter isFinal: whether no redirect follows.
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

    /// Whether the body must be read; a complete body need not be.
    private func applies(to response: Response) -> Bool {
        guard progress == nil, admit == nil, let whole = response.body.whole else { return true }
        return whole.count > limit
    }
}
