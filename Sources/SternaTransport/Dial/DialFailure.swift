import NIOCore
import NIOPosix
import SternaCore
import SternaPlatform

/// Errors for connections that cannot be opened.
enum DialFailure {
    static func error(_ cause: any Error, target: Dialer.Target, timeout: Duration) -> SternaError {
        let host = "\(target.proxy == nil ? "" : "the proxy ")\(target.host)"
        if var known = cause as? SternaError {
            if target.proxy != nil, known.kind == .hostNotFound {
                known.detail = "The proxy was not found. \(known.detail)"
            }
            return known
        }
        if let cause = cause as? ChannelError, case .connectTimeout = cause {
            return SternaError(
                .timedOut, phase: .connect,
                "No connection to \(host) on port \(target.port) within \(Exchange.seconds(timeout)).",
                underlying: cause
            ).advised(.raiseConnect)
        }
        guard let cause = cause as? NoAddressAnswered, let first = cause.reasons.first else {
            if cause is NoAddressAnswered {
                return SternaError(.hostNotFound, phase: .resolve, "The host “\(target.host)” has no address.")
            }
            return SternaError.wrap(
                cause, as: .hostNotFound, phase: .resolve, "The address of \(host) cannot be found: \(line(cause))")
        }
        var why = reason(first.1)
        if cause.reasons.count > 1 {
            why = cause.reasons.map { "\($0.0): \(reason($0.1))" }.joined(separator: "; ")
        }
        return SternaError(
            .connectionFailed, phase: .connect, "Cannot connect to \(host) on port \(target.port): \(why).",
            underlying: first.1
        ).advised(target.proxy == nil ? .checkServer : .checkProxyServer)
    }

    static func error(_ cause: any Error, socket path: String) -> SternaError {
        if let known = cause as? SternaError { return known }
        if let cause = cause as? ChannelError, case .connectTimeout(let limit) = cause {
            return SternaError(
                .timedOut, phase: .connect,
                "No connection to the socket “\(FieldSyntax.printable(path))” within "
                    + "\(Exchange.seconds(.nanoseconds(limit.nanoseconds))).", underlying: cause
            ).advised(.checkSocket)
        }
        return SternaError(
            .connectionFailed, phase: .connect,
            "Cannot connect to the socket “\(FieldSyntax.printable(path))”: \(reason(cause)).", underlying: cause
        ).advised(.checkSocket)
    }

    private static func reason(_ cause: any Error) -> String {
        guard let cause = cause as? IOError else { return line(cause) }
        return cause.errnoCode == ECONNREFUSED
            ? "nothing listens there (connection refused)" : String(cString: strerror(cause.errnoCode))
    }

    private static func line(_ error: any Error) -> String { FieldSyntax.printable("\(error)", limit: 300) }
}
