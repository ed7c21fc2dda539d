import Crypto
import HTTPTypes
import NIOCore
package import Sterna
package import SternaCore

extension AWSSigning: RequestSigner {
    package static var setting: String { "auth.awsSigning" }

    package static var stage: SigningStage { .service }

    package func signs(_ url: HTTPURL, _ trail: SigningTrail, dropsCredentials: Bool) -> Bool {
        if dropsCredentials, trail.hasLeft { return false }
        if allows(url, from: trail.origin, hasLeft: dropsCredentials) { return true }
        if dropsCredentials { trail.leave() }
        return false
    }

    nonisolated(nonsending) package func identity() async throws -> [String] {
        let credentials = try await credentials.credentials()
        return [credentials.accessKey, credentials.secretKey]
    }

    /// Sends a request with its signature, a second time with the server's time if this machine's clock differs.
    nonisolated(nonsending) package func send(
        _ request: Request, _ offsets: ClockOffsets, on time: LoopClock, next: Chain
    ) async throws -> Response {
        let origin = request.url.origin
        let used = offsets.offset(for: origin)
        let seconds = now() + used
        let response = try await next(try await signed(request, at: seconds, time))
        let code = response.status.code
        guard code == 400 || code == 401 || code == 403,
            let offset = AWSClockSkew.offset(
                status: code, date: response[.date], signed: seconds, used: used, clock: now())
        else { return response }
        offsets.set(offset, for: origin)
        guard request.isReplayable else { return response }
        response.body.cancel()
        request.recorder?.expect(.authentication)
        return try await next(try await signed(request, at: now() + offset, time))
    }

    /// Returns the signed request; the wait for the provider and for the body ends when the call ends.
    nonisolated(nonsending) private func signed(
        _ request: Request, at seconds: Int64, _ time: LoopClock
    ) async throws -> Request {
        // Signing does not wait: it needs neither a task of its own nor a timeout.
        if request.body == nil, credentials is AWSCredentials || credentials is AWSCredentialStore {
            return try await signed(request, at: seconds)
        }
        return try await CredentialWait.wait(for: request, on: time) { try await signed(request, at: seconds) }
    }

    private func signed(_ request: Request, at seconds: Int64) async throws -> Request {
        let known: AWSCredentials
        do {
            known = try await credentials.credentials()
        } catch {
            throw SternaError.wrap(
                error, as: .interceptorFailed, phase: .prepare, "The provider of AWS credentials failed."
            ).at(request)
        }
        do {
            let signer = try AWSRequestSigner(self, known, seconds: seconds)
            let (request, payload) = try await AWSPayload.prepare(request, self)
            switch (payload, placement) {
            case (.hash(let hash), .header): return try signer.signed(request, payloadHash: hash)
            case (.hash(let hash), .query):
                var presigned = request
                presigned.url = try signer.presigned(
                    request, payloadHash: isS3 ? AWSRequestSigner.unsignedPayload : hash)
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
