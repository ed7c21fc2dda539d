public import SternaCore
import SternaSecurity
public import SternaTransport

extension Session {
    /// Returns the certificates of a URL's host, and the session policy's evaluation of them; sends no request.
    ///
    ///     let seen = try await api.inspectTrust(of: "https://example.com")
    ///     for certificate in seen.evaluation.certificates { print(certificate.pin) }
    ///
    /// Throws the errors of opening a connection, and `invalidRequest` for a URL without TLS.
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
