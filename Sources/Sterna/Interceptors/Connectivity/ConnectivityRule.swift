import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform

/// Decides which requests wait for the network.
enum ConnectivityRule {
    /// Returns whether a request waits before its first attempt: it may be sent twice, the default route is lost, and no other
    /// route may lead to its host.
    static func holdsBefore(_ request: Request, _ path: RoutePath, hasOtherRoute: Bool) -> Bool {
        guard path.status == .notReachable, mayWait(request), !isLocal(request.url) else { return false }
        return !hasOtherRoute
    }

    /// Returns whether a failed request waits to be sent again. A host that refused the connection was reachable.
    ///
    /// - Parameters:
    ///   - wasAway: whether the default route was lost before the attempt; its loss is then not the cause if another route leads to
    ///     the host.
    ///   - hasOtherRoute: whether another route may lead to the host; certain for an address, only possible for a name.
    static func holdsAfter(
        _ error: SternaError, _ request: Request, _ path: RoutePath, wasAway: Bool, hasOtherRoute: Bool
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

    /// Returns whether an error reports a missing path. The system may report it before the monitor's notice of the loss arrives.
    static func saysLost(_ error: SternaError) -> Bool {
        guard let code = (error.underlying as? IOError)?.errnoCode else { return false }
        return [ENETUNREACH, ENETDOWN, EHOSTUNREACH, EADDRNOTAVAIL].contains(code)
    }

    /// Returns whether the server may receive a request twice: it is idempotent, or has an Idempotency-Key.
    private static func mayWait(_ request: Request) -> Bool {
        request.isIdempotent || IdempotencyKey.isSet(in: request)
    }

    /// Returns whether a lost path may cause this kind of error.
    static func isLoss(_ kind: SternaError.Kind) -> Bool {
        switch kind {
        case .timedOut, .hostNotFound, .connectionFailed, .proxyFailed, .connectionClosed, .truncated: true
        default: false
        }
    }

    /// Returns whether a URL's host is a loopback address or `localhost`.
    private static func isLocal(_ url: HTTPURL) -> Bool {
        let host = url.hostWithoutBrackets
        guard let address = IPAddress(host)?.unmapped else {
            return host == "localhost" || host.hasSuffix(".localhost") || host == "localhost."
        }
        return address.family == .v4 ? address.bytes.first == 127 : address == IPAddress(v6: 0, 1)
    }
}
