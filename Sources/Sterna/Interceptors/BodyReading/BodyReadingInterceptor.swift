import SternaCore

/// Reads a response's body to its end where the call collects it, so that what is above, a retry or an application interceptor, sees
/// the result of the call and not only its head.
///
/// It is in the chain of sessions that have something above it; without, the session reads the body itself.
struct BodyReadingInterceptor: Interceptor {
    nonisolated(nonsending) func intercept(_ request: Request, next: Next) async throws -> Response {
        let response = try await next(request)
        guard let reading = request.options[BodyReadingKey.self], reading.applies(to: response),
            !isFollowed(response, request)
        else { return response }
        return try await read(response, to: request, by: reading)
    }

    // The body of a redirect that is followed is given up.
    private func isFollowed(_ response: Response, _ request: Request) -> Bool {
        RedirectRule.isRedirect(response.status.code) && request.options[RedirectPolicyKey.self].follows
            && response.headers.contains(.location)
    }

    private func read(_ response: Response, to request: Request, by reading: BodyReading) async throws -> Response {
        var response = response
        do {
            let body = try await response.body.collect(upTo: reading.limit, reportingTo: reading.progress)
            response.body = ResponseBody(body, trailers: response.body.trailers)
            return response
        } catch {
            response.body.cancel()
            // What is not the library's is the fault of an interceptor, which the end of the chain says.
            guard var known = error as? SternaError else { throw error }
            known.requestSent = true
            if known.response == nil { known.response = response }
            throw known.at(request)
        }
    }
}

/// How a call reads the body of its response.
struct BodyReading: Sendable {
    /// The most that is collected, in bytes.
    let limit: Int

    /// Called with how much has come.
    let progress: (@Sendable (TransferProgress) -> Void)?

    /// Whether there is something to do: a body that is there as a whole needs no reading.
    func applies(to response: Response) -> Bool {
        guard progress == nil, let whole = response.body.whole else { return true }
        return whole.count > limit
    }
}

/// Where a call that collects its body says how; nil for one that reads it while it arrives.
enum BodyReadingKey: RequestOptionKey {
    static var defaultValue: BodyReading? { nil }
}
