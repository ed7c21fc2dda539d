import HTTPTypes
import SternaCore
import SternaTransport

/// A request that confirms a path, and finds captive portals.
///
///     var options = ReachabilityOptions()
///     options.probe = ReachabilityProbe("https://example.com/generate_204")
///
/// It is a GET without redirects and retries, on a connection of its own. As a captive portal may receive it, it has none of the session's
/// header fields, credentials and cookies, and its interceptors and decisions do not see it. The expected status confirms the path; any other
/// answer comes from a captive portal, and so does a certificate that is not valid for the URL's host.
public struct ReachabilityProbe: Sendable {
    /// The URL; plain http finds more portals.
    public var url: String

    /// The status that the server answers with; 204 by default.
    public var status = 204

    /// The time for the whole request; 5 s by default.
    public var timeLimit = Duration.seconds(5)

    /// The session whose trust and proxies apply; ``Session/shared`` by default.
    public var session: Session?

    public init(_ url: String, status: Int = 204) { (self.url, self.status) = (url, status) }

    /// Sends the request, and judges what comes back.
    func run() async -> NetworkPath.Confirmation {
        // No connection, and no address of a name, of before the change.
        let engine = Engine()
        defer { engine.closeIdleConnections() }
        let probe = (session ?? .shared).with {
            $0.engine = engine
            $0.removeIdentity()
            // Limits on traffic are among them, and handlers.
            $0.options = RequestOptions()
            $0.cache = nil
            $0.hsts = nil
            $0.retry = .none
            $0.redirects = .doNotFollow
            $0.allowsOtherOrigins = true
            $0.waitsForConnectivity = false
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

    /// Judges a failure: an answer in place of the server's is a portal's.
    static func judge(_ error: SternaError, expected: Int) -> NetworkPath.Confirmation {
        if error.response != nil { return error.status == expected ? .confirmed : .captivePortal }
        switch error.kind {
        case .certificateRejected, .malformedResponse: return .captivePortal
        default: return .failed
        }
    }
}
