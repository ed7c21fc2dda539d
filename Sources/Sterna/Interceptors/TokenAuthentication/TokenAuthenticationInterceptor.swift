import SternaCore

/// Sends requests with the token of a ``TokenAuthentication``, and once more if it was rejected.
struct TokenAuthenticationInterceptor: Interceptor {
    let tokens: TokenAuthentication
    let time: LoopClock

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        guard tokens.applies(to: request), let ticket = try await firstTicket(request) else {
            return try await next(request)
        }
        let response = try await next(try tokens.applied(ticket, to: request))
        guard tokens.options.isRejected(request, response) else { return response }
        return try await renew(ticket, response, request, next)
    }

    nonisolated(nonsending) private func firstTicket(
        _ request: Request
    ) async throws(SternaError) -> TokenRule.Ticket? {
        do throws(SternaError) {
            return try await tokens.ticket(for: request, time)
        } catch {
            var error = error
            // The refresh was sent, but not this request.
            error.requestSent = false
            throw error.at(request)
        }
    }

    // A separate function, whose locals would otherwise occupy memory in every waiting request.
    @inline(never)
    nonisolated(nonsending) private func renew(
        _ ticket: TokenRule.Ticket, _ response: Response, _ request: Request, _ next: Chain
    ) async throws -> Response {
        guard request.isReplayable else {
            tokens.reject(.init(ticket: ticket, response: response))
            return response
        }
        // The refresh may need the connection that the body would occupy. After a refresh, the response is at most part of an
        // error, so the rest of a long body is not read.
        var response = response
        response.body = await response.body.collected()
        if response.body.whole == nil, tokens.canRefresh { response.body.cancel() }
        let new: TokenRule.Ticket?
        do {
            new = try await tokens.ticket(
                for: request, insteadOf: .init(ticket: ticket, response: response), time)
        } catch var error {
            response.body.cancel()
            // Also after a cancellation. The error of a refresh may have its own response.
            if error.response == nil { error.response = response }
            error.requestSent = true
            throw error.at(request)
        }
        guard let new else { return response }
        response.body.cancel()
        request.recorder?.expect(.retry)
        return try await next(try tokens.applied(new, to: request))
    }
}
