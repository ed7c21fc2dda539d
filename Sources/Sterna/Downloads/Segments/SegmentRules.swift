import HTTPTypes
import SternaCore

/// Decides whether a file is fetched over several connections, and holds the numbers that bound it.
struct SegmentRules: Sendable, Hashable {
    /// The most connections of one download.
    static let most = 16

    /// The fewest bytes that have to be missing.
    var leastMissing: Int64 = 8 << 20

    /// The fewest bytes of a part that one connection takes over from another.
    var leastPart: Int64 = 1 << 20

    /// The shortest time in seconds that a connection would need for the rest that it shares: a new connection has to be worth its
    /// handshake.
    var leastTime = 2.0

    /// How long the throughput is measured before another connection is opened, in seconds.
    var interval = 1.0

    /// The gain that a further connection must have brought, as a fraction of the throughput before.
    var gain = 0.1

    /// The loss at which the last connection is given up again, as a fraction of the throughput before.
    var loss = 0.05

    /// Returns the number of connections that a file may be fetched over, once the head of a response is there.
    ///
    /// Several need a length, a strong validator, and a server that supports ranges: it sent a part, or says so.
    /// - Parameters:
    ///   - wanted: the caller's limit.
    ///   - known: what the response has told.
    func connections(_ wanted: Int, status: Int, fields: FieldSection, _ known: ResumeRule.Known) -> Int {
        guard wanted > 1, known.validator != nil, let length = known.length else { return 1 }
        guard status == 206 || Self.acceptsRanges(fields) else { return 1 }
        guard known.present.remaining(of: length) >= leastMissing else { return 1 }
        return min(wanted, Self.most)
    }

    /// Whether a response says that the server supports ranges in bytes (RFC 9110, 14.3).
    private static func acceptsRanges(_ fields: FieldSection) -> Bool {
        fields[values: .acceptRanges].contains { line in
            line.split(separator: ",").contains { unit in
                unit.filter { $0 != " " && $0 != "\t" }.lowercased() == "bytes"
            }
        }
    }
}
