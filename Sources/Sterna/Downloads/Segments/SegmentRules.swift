import HTTPTypes
import SternaCore

/// Decides whether a file is requested over several connections, with the limits for it.
struct SegmentRules: Sendable, Hashable {
    /// The maximum number of connections of one download.
    static let most = 16

    /// The minimum number of missing bytes.
    var leastMissing: Int64 = 8 << 20

    /// The minimum number of bytes that one connection takes over from another.
    var leastPart: Int64 = 1 << 20

    /// The minimum time, in seconds, that the shared rest would take on one connection: another must be worth its handshake.
    var leastTime = 2.0

    /// How long the throughput is measured before another connection is opened, in seconds.
    var interval = 1.0

    /// The minimum gain of another connection, as a fraction of the throughput before.
    var gain = 0.1

    /// The loss at which the last connection is closed again, as a fraction of the throughput before.
    var loss = 0.05

    /// Returns the maximum number of connections for a file, after the head of its first response.
    ///
    /// Several require a known length, a strong validator, and a server that supports ranges: it sent a 206, or Accept-Ranges.
    ///
    /// - Parameters:
    ///   - wanted: the caller's limit.
    ///   - known: the state after the response's head.
    func connections(_ wanted: Int, status: Int, fields: FieldSection, _ known: ResumeRule.Known) -> Int {
        guard wanted > 1, known.validator != nil, let length = known.length else { return 1 }
        guard status == 206 || Self.acceptsRanges(fields) else { return 1 }
        guard known.present.remaining(of: length) >= leastMissing else { return 1 }
        return min(wanted, Self.most)
    }

    /// Returns whether a response says that the server supports byte ranges (RFC 9110, 14.3).
    private static func acceptsRanges(_ fields: FieldSection) -> Bool {
        fields[values: .acceptRanges].contains { line in
            line.split(separator: ",").contains { unit in
                unit.filter { $0 != " " && $0 != "\t" }.lowercased() == "bytes"
            }
        }
    }
}
