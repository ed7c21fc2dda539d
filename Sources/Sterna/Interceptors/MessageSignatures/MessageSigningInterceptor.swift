import HTTPTypes
import SternaCore
import SternaPlatform

/// Records the origin of a call's first request, above redirects; requests to other origins are not signed.
struct MessageOriginInterceptor: Interceptor {
    /// The origin of the session's base URL; nil without one.
    let base: Origin?

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        guard let choice = request.options[MessageSigningOptionKey.self], choice.signing != nil else {
            return try await next(request)
        }
        let origin = request.url.origin
        guard choice.isOfRequest || base == nil || base == origin else { return try await next(request) }
        var request = request
        request.state.course.messageOrigin = origin
        return try await next(request)
    }
}

/// Signs each attempt by HTTP Message Signatures (RFC 9421).
struct MessageSigningInterceptor: Interceptor {
    let time: LoopClock

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        guard let signing = request.options[MessageSigningOptionKey.self]?.signing,
            request.state.course.messageOrigin == request.url.origin,
            !request.state.access.dropsCredentials
        else { return try await next(request) }
        return try await next(try await signed(request, by: signing))
    }

    // A separate function, whose locals would otherwise occupy memory in every waiting request.
    @inline(never)
    nonisolated(nonsending) private func signed(_ request: Request, by signing: MessageSigning) async throws -> Request
    {
        var signer = MessageSigner(signing: signing, seconds: signing.now())
        if signing.addsNonce {
            signer.nonce = Data((0..<16).map { _ in UInt8.random(in: 0 ... .max) }).base64EncodedString()
        }
        guard request.body != nil, signer.needsDigest(request) else {
            return try await Self.signed(request, by: signer)
        }
        // The wait for the body ends when the call ends.
        return try await CredentialWait.wait(for: request, on: time) { [signer] in
            try await Self.signed(request, by: signer)
        }
    }

    private static func signed(_ request: Request, by signer: MessageSigner) async throws -> Request {
        var request = request
        do {
            if signer.needsDigest(request) {
                if let body = request.body, !body.isReplayable {
                    var collected = try await body.collected()
                    collected.trailers = body.trailers
                    request.body = collected
                }
                request.headers[ContentDigestField.name] = try await ContentDigestField.value(of: request.body)
            }
            return try signer.signed(request)
        } catch {
            throw (error as? SternaError)?.at(request) ?? error
        }
    }
}
