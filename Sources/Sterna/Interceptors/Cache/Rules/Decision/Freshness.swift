import HTTPTypes
import SternaCore

/// The freshness of a stored response (RFC 9111, 4.2), from which its age at any time follows.
///
/// Times are seconds since 1970, durations are seconds. Times are limited by ``latest``, so that no arithmetic overflows.
struct Freshness: Sendable, Hashable {
    /// The field or directive that a freshness lifetime comes from.
    enum Source: String, Sendable, Hashable {
        case sharedMaxAge = "s-maxage"
        case maxAge = "max-age"
        case expires = "Expires"
        case heuristic = "Last-Modified"
        case none
    }

    /// The freshness lifetime, counted from when the server made the response.
    var lifetime: Int64

    /// The source of the lifetime.
    var source: Source

    /// The age at arrival: `corrected_initial_age` (RFC 9111, 4.2.3).
    var initialAge: Int64

    /// When the response arrived.
    var responseTime: Int64

    /// The latest time, and, negated, the earliest: about three hundred thousand years from 1970.
    static let latest: Int64 = 10_000_000_000_000

    /// How far the clock may go back, in seconds, before the age counts as unknown.
    static let clockTolerance: Int64 = 60

    /// Calculates the freshness of a response from when it was requested and received.
    init(
        status: Int, _ fields: HTTPFields, _ control: CacheControl.Response, requestTime: Int64, responseTime: Int64,
        settings: CacheRuleSettings
    ) {
        let responseTime = Self.clamped(responseTime)
        let requestTime = min(Self.clamped(requestTime), responseTime)
        // A response without a valid Date counts as made when it arrived (RFC 9110, 6.6.1).
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

    /// Returns the age at a time (RFC 9111, 4.2.3).
    ///
    /// If the clock was set back by more than a minute since the response arrived, its age is unknown, and counts as the greatest.
    func age(at now: Int64) -> Int64 {
        let resident = Self.clamped(now) - responseTime
        guard resident >= -Self.clockTolerance else { return Self.latest }
        return initialAge + max(0, resident)
    }

    /// Returns the remaining freshness lifetime; 0 or less for a stale response (RFC 9111, 4.2).
    func timeLeft(at now: Int64) -> Int64 { lifetime - age(at: now) }

    /// Returns the time in a field; nil if the field is absent or invalid, or if its lines differ.
    static func date(_ fields: HTTPFields, _ name: HTTPField.Name) -> Int64? {
        let lines = fields[values: name]
        guard let line = lines.first, lines.allSatisfy({ $0 == line }) else { return nil }
        return HTTPDate.seconds(line) ?? HTTPDate.seconds(inUsualCase(line))
    }

    /// Returns a date with its names in HTTP's letter case, which caches ignore (RFC 9111, 4.2).
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

/// How caches treat status codes.
enum CacheStatusCodes {
    /// Returns whether a response may have a heuristic lifetime (RFC 9110, 15.1; RFC 7725, 3).
    static func isHeuristic(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 451, 501: true
        default: false
        }
    }

    /// Returns whether the cache implements what the status requires of it, for must-understand (RFC 9111, 5.2.2.3).
    static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 302, 303, 307, 308, 404, 405, 410, 414, 451, 500, 501, 502, 503, 504: true
        default: false
        }
    }

    /// Returns why responses with a status are never stored; nil if they may be.
    static func refusal(_ status: Int) -> StoreRefusal? {
        switch status {
        case ..<200: .interim
        // They depend on the request's conditions or range, not on the resource.
        case 304, 412, 416: .conditional
        // They depend on the caller, the connection or the time (RFC 6585, 3-6; RFC 8470, 5.2; RFC 9110, 15.5.20).
        case 401, 407, 408, 421, 425, 428, 429, 431, 511: .momentary
        case 600...: .unknownStatus
        default: nil
        }
    }

    /// Returns whether a status is an error that stale-if-error covers (RFC 5861, 4).
    static func isServerError(_ status: Int) -> Bool { [500, 502, 503, 504].contains(status) }
}
