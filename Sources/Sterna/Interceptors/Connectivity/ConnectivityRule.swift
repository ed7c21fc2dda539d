import HTTPTypes
import SternaCore

/// Decides which requests wait for the network. Functions of values.
enum ConnectivityRule {
    /// Whether a request waits before its first attempt, since it can reach nothing: the default route is lost, and its host is no address
    /// that another route leads to.
    static func holdsBefore(_ request: Request, _ path: NetworkPath, hasOtherRoute: Bool) -> Bool {
        guard path.status == .notReachable, mayWait(request), !isLocal(request.url) else { return false }
        return !hasOtherRoute
    }

    /// Whether a request waits after a failure, to be sent again.
    static func holdsAfter(_ error: SternaError, _ request: Request, _ path: NetworkPath) -> Bool {
        guard path.status == .notReachable, mayWait(request), request.isReplayable else { return false }
        return isLoss(error.kind)
    }

    /// Requests that a server may get twice, and those that it has no part of yet.
    private static func mayWait(_ request: Request) -> Bool {
        request.isIdempotent || IdempotencyKey.isSet(in: request)
    }

    /// Whether a failure may come from a lost path.
    static func isLoss(_ kind: SternaError.Kind) -> Bool {
        switch kind {
        case .timedOut, .hostNotFound, .connectionFailed, .proxyFailed, .connectionClosed, .truncated: true
        default: false
        }
    }

    /// Whether a URL leads to this machine.
    private static func isLocal(_ url: HTTPURL) -> Bool {
        let host = url.hostWithoutBrackets
        guard let address = IPAddress(host)?.unmapped else {
            return host == "localhost" || host.hasSuffix(".localhost") || host == "localhost."
        }
        return address.family == .v4 ? address.bytes.first == 127 : address == IPAddress(v6: 0, 1)
    }
}
