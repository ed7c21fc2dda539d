import HTTPTypes
public import Sterna
import SternaCore
import SternaTransport

/// A request that confirms a path, and finds captive portals.
///
///     var options = ReachabilityOptions()
///     options.probe = ReachabilityProbe("https://example.com/generate_204")
///
/// It is a GET without redirects and retries, on a connection of its own. Since a captive portal may receive it, it has none of the
/// session's ``Sterna/SessionSettings/headers``, credentials and cookies, and its interceptors and decisions do not see it. The
/// expected status confirms the path. Any other response counts as a captive portal's, as do a malformed response and a certificate
/// that is rejected.
public struct ReachabilityProbe: Sendable {
    /// The URL; plain http finds more portals.
    public var url: String

    /// The status of the response that confirms the path; 204 by default.
    public var status = 204

    /// The time for the whole request; 5 s by default.
    public var timeLimit = Duration.seconds(5)

    /// The session whose trust and proxies apply; ``Sterna/Session/shared`` by default.
    public var session: Session?

    public init(_ url: String, status: Int = 204) { (self.url, self.status) = (url, status) }

    /// Sends the request, and judges the response or the error.
    func run() async -> NetworkPath.Confirmation {
        // A new engine uses no connection and no resolved address from before the change.
        let engine = Engine()
        defer { engine.closeIdleConnections() }
        let probe = (session ?? .shared).with {
            $0.network.engine = engine
            $0.removeIdentity()
            // The options include limits on traffic, and handlers.
            $0.options = RequestOptions()
            $0.cache.store = nil
            $0.trust.hsts = nil
            $0.retry = .none
            $0.redirects = .doNotFollow
            $0.network.allowsOtherOrigins = true
            $0.network.waitsForConnectivity = false
            $0.timeouts.total = timeLimit
        }
        do {
            let reply = try await probe.get(url)
            return reply.response.status.code == status ? .confirmed : .captivePortal
        } catch let error as SternaError {
            return Self.judge(error, expected: status)
        } catch {
            return .failed
        }
    }

    /// Judges a failure: an unexpected response counts as a captive portal's.
    static func judge(_ error: SternaError, expected: Int) -> NetworkPath.Confirmation {
        if error.response != nil { return error.status == expected ? .confirmed : .captivePortal }
        switch error.kind {
        case .certificateRejected, .malformedResponse: return .captivePortal
        default: return .failed
        }
    }
}
