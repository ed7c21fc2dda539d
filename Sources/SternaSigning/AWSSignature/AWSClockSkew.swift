import HTTPTypes
import SternaCore

/// Decides whether a server refused a request because of this machine's clock: a pure function.
enum AWSClockSkew {
    /// The maximum difference without a second signature, in seconds; services allow five minutes or more.
    static let tolerance: Int64 = 240

    /// Returns the seconds to add to the clock for this server; nil if the request need not be signed again.
    ///
    /// - Parameters:
    ///   - status: the status of the response; services send 400, 401 or 403 for a signature with a wrong time.
    ///   - date: the Date field of the response.
    ///   - signed: the time of the signature, in seconds since 1970.
    ///   - used: the offset that `signed` includes, in seconds.
    ///   - clock: the time of this machine's clock when the response arrived, in seconds since 1970.
    static func offset(status: Int, date: String?, signed: Int64, used: Int64, clock: Int64) -> Int64? {
        guard [400, 401, 403].contains(status), let server = date.flatMap(HTTPDate.seconds) else { return nil }
        guard (server - signed).magnitude > UInt64(tolerance) else { return nil }
        // If only the response was slow, the offset is right. A wrong offset, from an earlier response, is replaced even by zero.
        let offset = server - clock
        return (offset - used).magnitude > UInt64(tolerance) ? offset : nil
    }
}
