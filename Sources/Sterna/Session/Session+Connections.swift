import HTTPTypes
public import SternaCore
import SternaTransport

/// Opens connections before they are needed.
extension Session {
    /// Opens connections to a URL's origin ahead of its first requests. This resolves names, contacts proxies and checks
    /// certificates, but sends no request.
    ///
    ///     try await api.warmUp(connections: 4)
    ///
    /// - Parameters:
    ///   - reference: relative to the base URL, or absolute; the base URL itself by default.
    ///   - count: the number of connections to have open, including those already open; 1 by default. The engine's limits on
    ///     connections apply.
    ///
    /// Throws the errors of opening a connection, and `invalidURL` or `originRefused` for the reference. Opens nothing in a session
    /// with a transport of its own.
    public func warmUp(_ reference: some URLConvertible = "", connections count: Int = 1) async throws {
        let url = try plan.url(of: reference)
        guard plan.settings.network.transport == nil else { return }
        do {
            try await plan.engineTransport.warmUp(url, connections: count, timeouts: plan.settings.timeouts)
        } catch {
            throw SternaError.wrap(error, as: .connectionFailed, phase: .connect, "The connection could not be opened.")
                .at(url)
        }
    }
}
