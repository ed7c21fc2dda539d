import HTTPTypes
import RawStructuredFieldValues
import SternaCore

/// Reads RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers): lists of policies' names with parameters, such as
/// `"default";r=50;t=30` and `"default";q=100;w=60` (RFC 9651).
enum RateLimitField {
    private static let limit = HTTPField.Name("RateLimit")
    private static let policy = HTTPField.Name("RateLimit-Policy")

    /// The longest field that is read, in bytes.
    private static let longest = 4_096

    /// The longest time that a server may ask for; a longer one counts as that.
    private static let longestPause: Int64 = 86_400

    /// Returns how long a response asks to hold back further requests; nil if it does not.
    ///
    /// - Parameter wait: the wait of its Retry-After, which counts for 429.
    static func pause(status: Int, _ section: FieldSection, retryAfter wait: Duration?) -> Duration? {
        if status == 429, let wait { return min(wait, .seconds(longestPause)) }
        let windows = windows(lines(policy, section))
        let exhausted = pauses(lines(limit, section), windows).max()
        if status == 429 { return exhausted ?? .seconds(1) }
        return exhausted
    }

    private static func lines(_ name: HTTPField.Name?, _ section: FieldSection) -> [String] {
        name.map { section[values: $0] } ?? []
    }

    /// Returns the waits of the policies of which nothing remains.
    static func pauses(_ lines: [String], _ windows: [String: Int64]) -> [Duration] {
        items(lines).compactMap { name, values in
            guard let remaining = values("r"), remaining <= 0 else { return nil }
            // Without its own time a policy's whole window counts.
            guard let time = values("t") ?? windows[name], time > 0 else { return nil }
            return .seconds(min(time, longestPause))
        }
    }

    /// Returns the windows of policies in seconds, by name.
    static func windows(_ lines: [String]) -> [String: Int64] {
        var found: [String: Int64] = [:]
        for (name, values) in items(lines) { found[name] = values("w") }
        return found
    }

    /// Returns the members of a field; none if it breaks the grammar (RFC 9651, 4.2).
    private static func items(_ lines: [String]) -> [(name: String, values: (String) -> Int64?)] {
        guard !lines.isEmpty, lines.reduce(0, { $0 + $1.utf8.count }) <= longest else { return [] }
        var parser = StructuredFieldValueParser(Array(lines.joined(separator: ", ").utf8))
        guard let members = try? parser.parseListFieldValue() else { return [] }
        return members.compactMap { member in
            guard case .item(let item) = member else { return nil }
            let name: String
            switch item.rfc9651BareItem {
            case .string(let text), .token(let text): name = text
            default: return nil
            }
            return (
                name,
                { key in
                    guard case .integer(let number)? = item.rfc9651Parameters[key] else { return nil }
                    return number
                }
            )
        }
    }
}
