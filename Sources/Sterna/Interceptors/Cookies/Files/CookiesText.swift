public import SternaCore

/// Reads and writes `cookies.txt`, the form of Netscape's browser, of curl, wget and browser extensions.
///
///     # Netscape HTTP Cookie File
///     #HttpOnly_.example.com	TRUE	/	TRUE	1767225600	sid	31d4d96e407aad42
///
/// A line has seven fields between tabs: the domain, whether hosts below it receive the cookie, the path, whether only secure connections
/// carry it, the end of its life in seconds since 1970 (0 for a cookie that ends with the session), name and value. `#HttpOnly_` marks
/// cookies that scripts must not see; other lines that begin with `#`, and empty ones, are comments.
extension CookieSnapshot {
    enum TextLimits {
        static let bytes = 64 << 20
        static let cookies = 200_000
    }

    /// Reads the cookies of a `cookies.txt`.
    ///
    /// Lines that are no cookie are passed over, as curl does; so is a cookie that no server could set. The order is that of the lines.
    ///
    /// - Throws: `decodingFailed` for more than 64 MiB or 200,000 cookies.
    public init(cookiesText bytes: some Sequence<UInt8>) throws(SternaError) {
        do {
            try self.init(cookiesText: Array(bytes), now: .now)
        } catch {
            throw SternaError(.decodingFailed, phase: .decode, "The cookies cannot be read: \(error.reason).")
        }
    }

    init(cookiesText bytes: [UInt8], now: CookieTime) throws(CookieFault) {
        guard bytes.count <= TextLimits.bytes else {
            throw CookieFault(reason: "they are longer than \(TextLimits.bytes) bytes")
        }
        var cookies: [Cookie] = []
        // A byte order mark.
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let cookie = CookieLine.cookie(line, now) else { continue }
            guard cookies.count < TextLimits.cookies else { throw CookieFault(reason: "there are too many") }
            cookies.append(cookie)
        }
        self.init(cookies: cookies)
    }

    /// Whether a file is empty, begins as a `cookies.txt` does, or has a cookie: any other is kept from being overwritten.
    static func isCookiesText(_ bytes: [UInt8]) -> Bool {
        var isEmpty = true
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let title = String(decoding: line.prefix(64), as: UTF8.self).lowercased()
            if isEmpty, title.contains("# netscape http cookie file") || title.contains("# http cookie file") {
                return true
            }
            if CookieLine.cookie(line, .now) != nil { return true }
            if !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { isEmpty = false }
        }
        return isEmpty
    }

    /// Returns the cookies as a `cookies.txt`. **It contains their values.**
    ///
    /// The form has no `SameSite`, no `Partitioned` and no fractions of a second. A cookie with a tab in its name or path has no line.
    public func cookiesText() -> [UInt8] {
        var text = Array("# Netscape HTTP Cookie File\n# https://curl.se/docs/http-cookies.html\n\n".utf8)
        for cookie in cookies {
            guard let line = CookieLine.text(cookie) else { continue }
            text += Array(line.utf8)
            text.append(UInt8(ascii: "\n"))
        }
        return text
    }
}

/// A line of `cookies.txt`.
enum CookieLine {
    private static let httpOnly = "#HttpOnly_"

    /// Nil for a comment, and for what is no cookie.
    static func cookie(_ line: ArraySlice<UInt8>, _ now: CookieTime) -> Cookie? {
        var line = line
        while line.last == UInt8(ascii: "\r") { line.removeLast() }
        let isHTTPOnly = line.starts(with: httpOnly.utf8)
        if isHTTPOnly { line = line.dropFirst(httpOnly.utf8.count) }
        guard !line.isEmpty, line.first != UInt8(ascii: "#"), line.count <= 16_384 else { return nil }
        let fields = line.split(separator: 0x09, maxSplits: 6, omittingEmptySubsequences: false).map {
            String(validating: $0, as: UTF8.self)
        }
        // A line without a value may lack the tab before it.
        guard fields.count >= 6, let domain = fields[0].flatMap(CookieRules.host), let hasSubdomains = flag(fields[1]),
            let path = fields[2], let isSecure = flag(fields[3]), let expiry = fields[4].flatMap(expiry),
            let name = fields[5], let value = fields.count > 6 ? fields[6] : ""
        else { return nil }
        let cookie = Cookie(
            name: name, value: value, domain: domain, isHostOnly: !hasSubdomains, path: path, isSecure: isSecure,
            isHTTPOnly: isHTTPOnly, isPartitioned: false, sameSite: nil, expiry: expiry, creation: now, lastAccess: now,
            update: now)
        return CookieRules.refusal(of: cookie) == nil ? cookie : nil
    }

    /// Nil for a cookie that a line cannot have.
    static func text(_ cookie: Cookie) -> String? {
        guard !cookie.name.utf8.contains(0x09), !cookie.path.utf8.contains(0x09) else { return nil }
        let domain = (cookie.isHTTPOnly ? httpOnly : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain
        // The second in which a cookie expires may have begun, but 0 would make it one of the session.
        let expiry = cookie.expiry.map { max($0.milliseconds / 1_000, 1) } ?? 0
        let fields = [
            domain, cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE", "\(expiry)",
            cookie.name, cookie.value,
        ]
        return fields.joined(separator: "\t")
    }

    private static func flag(_ text: String?) -> Bool? {
        switch text?.lowercased() {
        case "true": true
        case "false": false
        default: nil
        }
    }

    /// A time, or nil within for a cookie that ends with the session; nil for what is no number.
    private static func expiry(_ text: String) -> CookieTime?? {
        // Some programs write fractions.
        guard let seconds = Double(text), seconds.isFinite else { return nil }
        return .some(seconds == 0 ? nil : CookieTime(seconds: seconds))
    }
}
