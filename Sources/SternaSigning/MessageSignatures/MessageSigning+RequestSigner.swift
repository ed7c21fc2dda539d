import HTTPTypes
package import Sterna
package import SternaCore
import SternaPlatform

extension MessageSigning: RequestSigner {
    package static var setting: String { "auth.messageSigning" }

    package static var stage: SigningStage { .message }

    package func signs(_ url: HTTPURL, _ trail: SigningTrail, dropsCredentials: Bool) -> Bool {
        url.origin == trail.origin && !dropsCredentials
    }

    nonisolated(nonsending) package func identity() async throws -> [String] { [key.id] }

    nonisolated(nonsending) package func send(
        _ request: Request, _ offsets: ClockOffsets, on time: LoopClock, next: Chain
    ) async throws -> Response {
        try await next(try await signed(request, time))
    }

    // A separate function, whose locals would otherwise occupy memory in every waiting request.
    @inline(never)
    nonisolated(nonsending) private func signed(_ request: Request, _ time: LoopClock) async throws -> Request {
        var signer = MessageSigner(signing: self, seconds: now())
        if addsNonce {
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
                request.headers[DigestField.content] = try await DigestField.text(of: request.body)
            }
            return try signer.signed(request)
        } catch {
            throw (error as? SternaError)?.at(request) ?? error
        }
    }
}
