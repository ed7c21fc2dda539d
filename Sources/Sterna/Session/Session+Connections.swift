import HTTPTypes
public import SternaCore
import SternaTransport

/// Connections before they are needed.
extension Session {
    /// Opens connections to a URL's origin, so that the first requests find them: names are resolved, proxies asked and
    /// certificates judged, and nothing is requested.
    ///
    ///     try await api.warmUp(connections: 4)
    ///
    /// - Parameters:
    ///   - reference: relative to the base URL, or absolute; the base URL itself by default.
    ///   - count: how many are to be open, those that are there already included.
    ///
    /// Throws what opening a connection throws. A session with a transport of its own has no connections, and nothing happens.
    public func warmUp(_ reference: some URLConvertible = "", connections count: Int = 1) async throws {
        let url = try plan.url(of: reference)
        guard plan.settings.transport == nil else { return }
        do {
            try await plan.engineTransport.warmUp(url, connections: count, timeouts: plan.settings.timeouts)
        } catch {
            throw SternaError.wrap(error, as: .connectionFailed, phase: .connect, "No connection.").at(url)
        }
    }
}
