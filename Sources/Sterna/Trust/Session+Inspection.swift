public import SternaCore
import SternaSecurity
public import SternaTransport

extension Session {
    /// Returns the certificates of a URL's host, and their evaluation by the session's policy for that host; sends no request.
    ///
    ///     let seen = try await api.inspectTrust(of: "https://example.com")
    ///     for certificate in seen.evaluation.certificates { print(certificate.pin) }
    ///
    /// Throws `invalidURL`, `originRefused`, `invalidRequest` for a URL without TLS, and the errors of opening a connection if the
    /// server has presented no certificate. If it has, an error of the handshake is part of the result.
    public func inspectTrust(of reference: some URLConvertible) async throws -> TrustInspection {
        let url = try plan.url(of: reference)
        do {
            return try await plan.engineTransport.inspect(url, timeouts: plan.settings.timeouts)
        } catch {
            throw SternaError.wrap(error, as: .connectionFailed, phase: .connect, "The connection could not be opened.")
                .at(url)
        }
    }
}
