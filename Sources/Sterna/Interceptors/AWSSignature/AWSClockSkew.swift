import HTTPTypes
import SternaCore
import Synchronization

/// Decides whether a refusal is due to this machine's clock: a function of values.
enum AWSClockSkew {
    /// The largest difference that is no reason to sign again, in seconds; services allow five minutes or more.
    static let tolerance: Int64 = 240

    /// Returns the seconds to add to the clock for this server; nil if the response gives no reason to sign again.
    ///
    /// - Parameters:
    ///   - status: the status of the response; services answer 400, 401 or 403 to a signature of another time.
    ///   - date: the Date field of the response.
    ///   - signed: the time that the request was signed with.
    ///   - used: the offset that ``signed`` has.
    ///   - clock: the time of this machine's clock when the response arrived.
    static func offset(status: Int, date: String?, signed: Int64, used: Int64, clock: Int64) -> Int64? {
        guard [400, 401, 403].contains(status), let server = date.flatMap(HTTPDate.seconds) else { return nil }
        guard (server - signed).magnitude > UInt64(tolerance) else { return nil }
        // A slow answer needs no other offset. A wrong one, of a former response, is replaced even by zero.
        let offset = server - clock
        return (offset - used).magnitude > UInt64(tolerance) ? offset : nil
    }
}

/// The differences between this machine's clock and those of servers.
final class AWSClockOffsets: Sendable {
    // A structure, since the runtime would have to look up a bare dictionary's type to destroy it.
    private struct State {
        var offsets: [Origin: Int64] = [:]
    }

    private let state = Mutex(State())

    /// The most origins that are remembered.
    private static let limit = 1_000

    /// Returns the seconds to add for an origin.
    func offset(for origin: Origin) -> Int64 { state.withLock { $0.offsets[origin] ?? 0 } }

    func set(_ offset: Int64, for origin: Origin) {
        state.withLock { state in
            if state.offsets.count >= Self.limit, state.offsets[origin] == nil { state.offsets.removeAll() }
            state.offsets[origin] = offset
        }
    }
}
