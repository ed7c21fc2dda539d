public import SternaCore
import SternaSecurity
public import SternaTransport

extension Session {
    /// Looks at the certificates of a URL's host, and what the session's policy makes of them; nothing is asked of the server.
    ///
    ///     let seen = try await api.inspectTrust(of: "https://example.com")
    ///     for certificate in seen.evaluation.certificates { print(certificate.pin) }
    ///
    /// Throws what opening a connection throws, and `invalidRequest` for a URL without TLS.
    public func inspectTrust(of reference: some URLConvertible) async throws -> TrustInspection {
        var request = try plan.request(for: .get(reference))
        // It is never sent.
        request.recorder = nil
        do {
            return try await plan.engineTransport.inspect(request.url, timeouts: request.timeouts)
        } catch {
            throw plan.describe(error, request)
        }
    }
}
