import NIOCore
import NIOPosix
import SternaCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What to say when a connection cannot be opened.
enum DialFailure {
    static func error(_ cause: any Error, host: String, port: Int, timeout: Duration) -> SternaError {
        if let known = cause as? SternaError { return known }
        if let cause = cause as? NIOConnectionError {
            guard let first = cause.connectionErrors.first else {
                return SternaError(
                    .hostNotFound, phase: .resolve,
                    "The host “\(host)” has no address: the name is misspelt, or the name service does not answer.",
                    underlying: cause)
            }
            return error(first.error, host: host, port: port, timeout: timeout)
        }
        if let cause = cause as? ChannelError, case .connectTimeout = cause {
            return SternaError(
                .timedOut, phase: .connect,
                "No connection to \(host) on port \(port) within \(Exchange.seconds(timeout)).", underlying: cause)
        }
        if let cause = cause as? IOError {
            let why =
                cause.errnoCode == ECONNREFUSED
                ? "nothing listens there (connection refused)" : String(cString: strerror(cause.errnoCode))
            return SternaError(
                .connectionFailed, phase: .connect, "Cannot connect to \(host) on port \(port): \(why).",
                underlying: cause)
        }
        return SternaError(
            .connectionFailed, phase: .connect, "Cannot connect to \(host) on port \(port).", underlying: cause)
    }
}
