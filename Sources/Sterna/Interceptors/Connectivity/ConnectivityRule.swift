import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform

/// Decides which requests wait for the network. Functions of values.
enum ConnectivityRule {
    /// Whether a request waits before its first attempt, since it can reach nothing: the default route is lost, and no other one may lead to
    /// its host.
    static func holdsBefore(_ request: Request, _ path: NetworkPath, hasOtherRoute: Bool) -> Bool {
        guard path.status == .notReachable, mayWait(request), !isLocal(request.url) else { return false }
        return !hasOtherRoute
    }

    /// Whether a request waits after a failure, to be sent again. A host that has refused the connection was reached.
    ///
    /// - Parameters:
    ///   - wasAway: whether the default route was lost before the attempt: it is no reason for the failure then, where another one leads to
    ///     the host.
    ///   - hasOtherRoute: whether one may. To an address it is known, to a name it is not.
    static func holdsAfter(
        _ error: SternaError, _ request: Request, _ path: NetworkPath, wasAway: Bool, hasOtherRoute: Bool
    ) -> Bool {
        guard path.status == .notReachable, mayWait(request), request.isReplayable, !isLocal(request.url) else {
            return false
        }
        if hasOtherRoute, IPAddress(request.url.hostWithoutBrackets) != nil || wasAway && error.kind != .hostNotFound {
            return false
        }
        return isLoss(error.kind) && !isRefusal(error)
    }

    private static func isRefusal(_ error: SternaError) -> Bool {
        (error.underlying as? IOError)?.errnoCode == ECONNREFUSED
    }

    /// Whether the system has said that there is no path, which it may have done before its message about the loss was read.
    static func saysLost(_ error: SternaError) -> Bool {
        guard let code = (error.underlying as? IOError)?.errnoCode else { return false }
        return [ENETUNREACH, ENETDOWN, EHOSTUNREACH, EADDRNOTAVAIL].contains(code)
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
