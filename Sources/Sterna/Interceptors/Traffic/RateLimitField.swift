import HTTPTypes
import RawStructuredFieldValues
import SternaCore

/// Reads RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers): lists of policies' names with parameters, such as
/// `"default";r=50;t=30` and `"default";q=100;w=60` (RFC 9651).
///
/// Servers still send the formats of older drafts, which are read, too: `RateLimit: limit=100, remaining=50, reset=30` (-06 and
/// -07), and the fields RateLimit-Remaining and RateLimit-Reset (until -05).
enum RateLimitField {
    private static let limit = HTTPField.Name("RateLimit")
    private static let policy = HTTPField.Name("RateLimit-Policy")
    private static let remaining = HTTPField.Name("RateLimit-Remaining")
    private static let reset = HTTPField.Name("RateLimit-Reset")

    /// The maximum length of a parsed field, in bytes.
    private static let longest = 4_096

    /// The maximum pause that a server may ask for, in seconds; longer ones are reduced to it.
    private static let longestPause: Int64 = 86_400

    /// Returns how long a response asks to delay further requests; nil if it does not.
    ///
    /// - Parameter wait: the wait of its Retry-After, which counts only for 429.
    static func pause(status: Int, _ section: FieldSection, retryAfter wait: Duration?) -> Duration? {
        if status == 429, let wait { return min(wait, .seconds(longestPause)) }
        let limits = lines(limit, section)
        let exhausted =
            limits.isEmpty
            ? oldPause(remaining: lines(remaining, section), reset: lines(reset, section))
            : pauses(limits, windows(lines(policy, section))).max()
        if status == 429 { return exhausted ?? .seconds(1) }
        return exhausted
    }

    private static func lines(_ name: HTTPField.Name?, _ section: FieldSection) -> [String] {
        name.map { section[values: $0] } ?? []
    }

    /// Returns the waits of the exhausted policies.
    static func pauses(_ lines: [String], _ windows: [String: Int64]) -> [Duration] {
        if let old = dictionaryPause(lines) { return [old] }
        return items(lines).compactMap { name, values in
            guard let remaining = values("r"), remaining <= 0 else { return nil }
            // Without a `t` parameter, the policy's whole window counts.
            guard let time = values("t") ?? windows[name], time > 0 else { return nil }
            return .seconds(min(time, longestPause))
        }
    }

    /// Returns the wait of a field in the format `limit=100, remaining=0, reset=30`; nil for another format, or if requests remain.
    private static func dictionaryPause(_ lines: [String]) -> Duration? {
        guard var parser = parser(lines), let members = try? parser.parseDictionaryFieldValue() else { return nil }
        func number(_ key: String) -> Int64? {
            guard case .item(let item)? = members[key], case .integer(let number) = item.rfc9651BareItem else {
                return nil
            }
            return number
        }
        if members["limit"] != nil {
            guard let limit = number("limit"), limit >= 0 else { return nil }
        }
        guard number("remaining") == 0, let time = number("reset"), time > 0 else { return nil }
        return .seconds(min(time, longestPause))
    }

    /// Returns the wait of the fields RateLimit-Remaining and RateLimit-Reset; nil unless each is a number in a single line, or if
    /// requests remain.
    ///
    /// Some servers send a time in seconds since 1970 instead of a duration, so numbers of more than a day are ignored.
    static func oldPause(remaining: [String], reset: [String]) -> Duration? {
        guard number(remaining) == 0, let time = number(reset), time > 0, time <= longestPause else { return nil }
        return .seconds(time)
    }

    /// Returns the number of a field with a single line of at most 15 digits.
    private static func number(_ lines: [String]) -> Int64? {
        guard lines.count == 1, let line = lines.first, (1...15).contains(line.utf8.count),
            line.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int64(line)
    }

    /// Returns the windows of policies in seconds, by name.
    static func windows(_ lines: [String]) -> [String: Int64] {
        var found: [String: Int64] = [:]
        for (name, values) in items(lines) { found[name] = values("w") }
        return found
    }

    /// Returns the members of a field; none if its syntax is invalid (RFC 9651, 4.2).
    private static func items(_ lines: [String]) -> [(name: String, values: (String) -> Int64?)] {
        guard var parser = parser(lines), let members = try? parser.parseListFieldValue() else { return [] }
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

    /// Returns a parser of a field; nil if the field is missing or too long.
    private static func parser(_ lines: [String]) -> StructuredFieldValueParser<[UInt8]>? {
        guard !lines.isEmpty, lines.reduce(0, { $0 + $1.utf8.count }) <= longest else { return nil }
        return StructuredFieldValueParser(Array(lines.joined(separator: ", ").utf8))
    }
}
