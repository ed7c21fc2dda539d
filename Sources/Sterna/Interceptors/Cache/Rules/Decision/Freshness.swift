import HTTPTypes
import SternaCore

/// The freshness of a stored response (RFC 9111, 4.2), without the moment for which it is asked.
///
/// Moments are seconds since 1970, lengths of time are seconds; nothing overflows, since moments are kept within ``latest``.
struct Freshness: Sendable, Hashable {
    /// What a lifetime comes from.
    enum Source: String, Sendable, Hashable {
        case sharedMaxAge = "s-maxage"
        case maxAge = "max-age"
        case expires = "Expires"
        case heuristic = "Last-Modified"
        case none
    }

    /// How long the response is fresh after it was made.
    var lifetime: Int64

    /// What the lifetime comes from.
    var source: Source

    /// The age when the response arrived: `corrected_initial_age`.
    var initialAge: Int64

    /// The moment at which the response arrived.
    var responseTime: Int64

    /// The latest moment, and less the earliest: about three hundred thousand years from 1970.
    static let latest: Int64 = 10_000_000_000_000

    /// How far a clock may go back before ages that it shows are not believed, in seconds.
    static let clockTolerance: Int64 = 60

    /// Reads the freshness of a response that was requested and arrived at these moments.
    init(
        status: Int, _ fields: HTTPFields, _ control: CacheControl.Response, requestTime: Int64, responseTime: Int64,
        settings: CacheRuleSettings
    ) {
        let responseTime = Self.clamped(responseTime)
        let requestTime = min(Self.clamped(requestTime), responseTime)
        // A response without a valid Date was made when it arrived (RFC 9110, 6.6.1).
        let date = Self.date(fields, .date) ?? responseTime
        self.responseTime = responseTime
        let apparentAge = max(0, responseTime - date)
        let correctedAge = Self.age(fields) + (responseTime - requestTime)
        initialAge = max(apparentAge, correctedAge)
        (lifetime, source) = Self.lifetime(status, fields, control, date: date, settings: settings)
    }

    private static func lifetime(
        _ status: Int, _ fields: HTTPFields, _ control: CacheControl.Response, date: Int64, settings: CacheRuleSettings
    ) -> (Int64, Source) {
        if settings.isShared, let seconds = control.sharedMaxAge { return (seconds, .sharedMaxAge) }
        if let seconds = control.maxAge { return (seconds, .maxAge) }
        // A malformed field may hide an explicit lifetime.
        if control.isMalformed { return (0, .none) }
        if fields.contains(.expires) {
            guard let expires = self.date(fields, .expires) else { return (0, .expires) }
            return (min(max(0, expires - date), CacheControl.longest), .expires)
        }
        guard CacheStatusCodes.isHeuristic(status) || control.isPublic, let modified = self.date(fields, .lastModified),
            modified < date
        else { return (0, .none) }
        let percent = min(max(0, settings.heuristicPercent), 100)
        return (min((date - modified) * percent / 100, max(0, settings.heuristicLimit)), .heuristic)
    }

    /// Returns the age at a moment (RFC 9111, 4.2.3).
    ///
    /// If the clock was set back by more than a minute since the response arrived, its age is unknown and counts as the longest.
    func age(at now: Int64) -> Int64 {
        let resident = Self.clamped(now) - responseTime
        guard resident >= -Self.clockTolerance else { return Self.latest }
        return initialAge + max(0, resident)
    }

    /// Returns for how long the response stays fresh; 0 or less for a stale one (RFC 9111, 4.2).
    func timeLeft(at now: Int64) -> Int64 { lifetime - age(at: now) }

    /// Returns the moment of a field; nil if there is none, if it is invalid, and for several lines that differ.
    static func date(_ fields: HTTPFields, _ name: HTTPField.Name) -> Int64? {
        let lines = fields[values: name]
        guard let line = lines.first, lines.allSatisfy({ $0 == line }) else { return nil }
        return HTTPDate.seconds(line) ?? HTTPDate.seconds(inUsualCase(line))
    }

    /// Returns a date with its names in the case that they have in HTTP: caches ignore the case (RFC 9111, 4.2).
    private static func inUsualCase(_ text: String) -> String {
        var isInWord = false
        let bytes = text.utf8.prefix(64).map { byte -> UInt8 in
            let small = byte | 0x20
            guard small >= 0x61, small <= 0x7A, byte < 0x80 else {
                isInWord = false
                return byte
            }
            defer { isInWord = true }
            return isInWord ? small : small & 0xDF
        }
        let words = String(decoding: bytes, as: UTF8.self)
        return words.hasSuffix(" Gmt") ? String(words.dropLast(4)) + " GMT" : words
    }

    /// Returns the value of Age: its first member, or 0 if that is invalid (RFC 9111, 5.1).
    static func age(_ fields: HTTPFields) -> Int64 {
        guard let line = fields[values: .age].first else { return 0 }
        let first = line.utf8.prefix { $0 != UInt8(ascii: ",") }
        return CacheControl.seconds(String(decoding: Blanks.trimmed(first), as: UTF8.self)) ?? 0
    }

    static func clamped(_ moment: Int64) -> Int64 { min(max(moment, -latest), latest) }
}

/// Status codes by what caches may do with their responses.
enum CacheStatusCodes {
    /// Whether a response may have a heuristic lifetime (RFC 9110, 15.1; RFC 7725, 3).
    static func isHeuristic(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 451, 501: true
        default: false
        }
    }

    /// Whether what the status asks of a cache is known and done, as must-understand requires (RFC 9111, 5.2.2.3).
    static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 302, 303, 307, 308, 404, 405, 410, 414, 451, 500, 501, 502, 503, 504: true
        default: false
        }
    }

    /// Why responses of a status are never stored; nil for others.
    static func refusal(_ status: Int) -> StoreRefusal? {
        switch status {
        case ..<200: .interim
        // They speak of the request's conditions or range, and not of the resource.
        case 304, 412, 416: .conditional
        // They speak of the caller, of the connection or of the moment (RFC 6585, 3-6; RFC 8470, 5.2; RFC 9110, 15.5.20).
        case 401, 407, 408, 421, 425, 428, 429, 431, 511: .momentary
        case 600...: .unknownStatus
        default: nil
        }
    }

    /// Whether a response counts as an error that stale-if-error covers (RFC 5861, 4).
    static func isServerError(_ status: Int) -> Bool { [500, 502, 503, 504].contains(status) }
}
