import Crypto
import HTTPTypes
import NIOCore
import SternaCore

/// Records the origin of a call's first request, above redirects. With a base URL, requests to other origins are not signed.
struct AWSOriginInterceptor: Interceptor {
    /// The origin of the session's base URL; nil without one.
    let base: Origin?

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        guard let choice = request.options[AWSSigningKey.self], choice.signing != nil else {
            return try await next(request)
        }
        let origin = request.url.origin
        guard choice.isOfRequest || base == nil || base == origin else { return try await next(request) }
        var request = request
        request.state.course.awsTrail = AWSTrail(from: origin)
        return try await next(request)
    }
}

/// Signs each attempt by AWS Signature Version 4.
struct AWSSigningInterceptor: Interceptor {
    let offsets: AWSClockOffsets
    let time: LoopClock

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        guard let signing = request.options[AWSSigningKey.self]?.signing,
            let trail = request.state.course.awsTrail, allows(request, by: signing, trail)
        else { return try await next(request) }
        return try await sign(request, by: signing, next)
    }

    private func allows(_ request: Request, by signing: AWSSigning, _ trail: AWSTrail) -> Bool {
        // Never set if the redirect policy keeps credentials across origins.
        let isDropped = request.state.access.dropsCredentials
        if isDropped, trail.hasLeft { return false }
        if signing.allows(request.url, from: trail.origin, hasLeft: isDropped) { return true }
        if isDropped { trail.leave() }
        return false
    }

    // A separate function, whose locals would otherwise occupy memory in every waiting request.
    @inline(never)
    nonisolated(nonsending) private func sign(_ request: Request, by signing: AWSSigning, _ next: Chain) async throws
        -> Response
    {
        let origin = request.url.origin
        let used = offsets.offset(for: origin)
        let seconds = signing.now() + used
        let response = try await next(try await signed(request, by: signing, at: seconds))
        let code = response.status.code
        guard code == 400 || code == 401 || code == 403,
            let offset = AWSClockSkew.offset(
                status: code, date: response[.date], signed: seconds, used: used, clock: signing.now())
        else { return response }
        offsets.set(offset, for: origin)
        guard request.isReplayable else { return response }
        response.body.cancel()
        request.recorder?.expect(.authentication)
        return try await next(try await signed(request, by: signing, at: signing.now() + offset))
    }

    /// Returns the signed request; the wait for the provider and for the body ends when the call ends.
    nonisolated(nonsending) private func signed(_ request: Request, by signing: AWSSigning, at seconds: Int64)
        async throws -> Request
    {
        // Signing does not wait: it needs neither a task of its own nor a timeout.
        if request.body == nil, signing.credentials is AWSCredentials || signing.credentials is AWSCredentialStore {
            return try await Self.signed(request, by: signing, at: seconds)
        }
        return try await CredentialWait.wait(for: request, on: time) {
            try await Self.signed(request, by: signing, at: seconds)
        }
    }

    private static func signed(_ request: Request, by signing: AWSSigning, at seconds: Int64) async throws -> Request {
        let credentials: AWSCredentials
        do {
            credentials = try await signing.credentials.credentials()
        } catch {
            throw SternaError.wrap(
                error, as: .interceptorFailed, phase: .prepare, "The provider of AWS credentials failed."
            ).at(request)
        }
        do {
            let signer = try AWSRequestSigner(signing, credentials, seconds: seconds)
            let (request, payload) = try await AWSPayload.prepare(request, signing)
            switch (payload, signing.placement) {
            case (.hash(let hash), .header): return try signer.signed(request, payloadHash: hash)
            case (.hash(let hash), .query):
                var presigned = request
                presigned.url = try signer.presigned(
                    request, payloadHash: signing.isS3 ? AWSRequestSigner.unsignedPayload : hash)
                presigned.headers[.authorization] = nil
                return presigned
            case (.chunks(let body, let checksum), _):
                return try signer.chunked(request, body, checksum: checksum)
            }
        } catch {
            throw (error as? SternaError)?.at(request) ?? error
        }
    }
}

/// How the body of a request takes part in its signature.
enum AWSPayload {
    case hash(String)
    case chunks(Body, AWSChecksum?)

    /// How a body is prepared and signed.
    enum Decision: Sendable, Hashable {
        case empty, unsigned, hashed, collectedAndHashed
        case chunked(AWSChecksum?)
        case collectedAndChunked(AWSChecksum?)
    }

    /// Decides how a body is prepared and signed: a pure function.
    ///
    /// - Parameters:
    ///   - payload: the setting.
    ///   - isS3: whether the service accepts signed chunks and unsigned bodies.
    ///   - isInQuery: whether the signature is placed in the query.
    ///   - hasBody: whether the request has a body.
    ///   - isReplayable: whether it can be read twice.
    ///   - hasLength: whether its length is known.
    static func decide(
        _ payload: AWSSigning.Payload, isS3: Bool, isInQuery: Bool, hasBody: Bool, isReplayable: Bool, hasLength: Bool
    ) -> Decision {
        if isInQuery, isS3 { return .unsigned }
        let whole: Decision = !hasBody ? .empty : isReplayable ? .hashed : .collectedAndHashed
        switch payload {
        case .unsigned: return .unsigned
        case .signed: return whole
        case .chunked(let checksum):
            guard isS3, hasBody else { return whole }
            return hasLength ? .chunked(checksum) : .collectedAndChunked(checksum)
        case .automatic: return isS3 && hasBody && !isReplayable && hasLength ? .chunked(nil) : whole
        }
    }

    /// Returns the request, whose body may have been collected, and its payload.
    static func prepare(_ request: Request, _ signing: AWSSigning) async throws -> (Request, AWSPayload) {
        // The caller may supply the hash, which is then not computed.
        if case .header = signing.placement, let known = request.headers["\(signing.vendor.prefix)content-sha256"] {
            return (request, .hash(known))
        }
        var isInQuery = false
        if case .query = signing.placement { isInQuery = true }
        var request = request
        let decision = decide(
            signing.payload, isS3: signing.isS3, isInQuery: isInQuery, hasBody: request.body != nil,
            isReplayable: request.isReplayable, hasLength: request.body?.length != nil)
        switch decision {
        case .collectedAndHashed, .collectedAndChunked:
            if let body = request.body {
                var collected = try await body.collected()
                collected.trailers = body.trailers
                request.body = collected
            }
        default: break
        }
        switch decision {
        case .empty: return (request, .hash(AWSScope.emptyHash))
        case .unsigned: return (request, .hash(AWSRequestSigner.unsignedPayload))
        case .hashed, .collectedAndHashed: return (request, .hash(try await hash(of: request.body)))
        case .chunked(let checksum), .collectedAndChunked(let checksum):
            guard let body = request.body else { return (request, .hash(AWSScope.emptyHash)) }
            return (request, .chunks(body, checksum))
        }
    }

    private static func hash(of body: Body?) async throws -> String {
        var hasher = SHA256()
        if let body {
            var reader = BodyReader(body)
            while let piece = try await reader.next() {
                piece.withUnsafeReadableBytes { hasher.update(bufferPointer: $0) }
            }
        }
        return HexText.text(of: hasher.finalize())
    }
}
