import SternaCore

/// Reads and writes `cookies.txt`, the format of Netscape's browser, curl, wget and browser extensions.
///
///     # Netscape HTTP Cookie File
///     #HttpOnly_.example.com	TRUE	/	TRUE	1767225600	sid	31d4d96e407aad42
///
/// A line has seven fields separated by tabs: domain, whether subdomains receive the cookie, path, whether only secure connections
/// carry it, expiry in seconds since 1970 (0 or empty for a session cookie), name and value. `#HttpOnly_` marks cookies that are
/// hidden from scripts; other lines that begin with `#`, and empty ones, are comments.
extension CookieSnapshot {
    enum TextLimits {
        static let bytes = 64 << 20
        static let cookies = 200_000
    }

    init(cookiesText bytes: [UInt8], now: CookieTime) throws(CookieFault) {
        self.init(cookies: try CookiesText(parsing: bytes, now: now).cookies)
    }
}

extension Cookie {
    /// Whether a `cookies.txt` can contain the cookie: false if its name, path or value has a tab, which separates fields. Some
    /// programs refuse the whole file for one field too many.
    public var hasTextLine: Bool { ![name, path, value].contains { $0.utf8.contains(0x09) } }
}

/// A parsed `cookies.txt`, with comments and invalid lines.
struct CookiesText: Sendable, Hashable {
    private struct Line: Sendable, Hashable {
        let bytes: ArraySlice<UInt8>
        /// The key of its cookie in a jar; nil for a comment and an invalid line.
        let key: CookieRemovals.Key?
    }

    private var lines: [Line] = []

    /// The cookies of the lines, in their order.
    private(set) var cookies: [Cookie] = []

    private var hasCookieLine = false

    /// Makes an empty file.
    init() {}

    /// - Parameter suffixes: the domains for which no cookie may be set. Lines with such cookies are kept in the file, but not
    ///   read.
    init(parsing bytes: [UInt8], suffixes: PublicSuffixList? = nil, now: CookieTime) throws(CookieFault) {
        guard bytes.count <= CookieSnapshot.TextLimits.bytes else {
            throw CookieFault(reason: "they are longer than \(CookieSnapshot.TextLimits.bytes) bytes")
        }
        // A byte order mark.
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        var all = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if all.last?.isEmpty == true { all.removeLast() }
        lines.reserveCapacity(all.count)
        for line in all {
            let read = CookieLine.cookie(line, now)
            hasCookieLine = hasCookieLine || read != nil
            guard let cookie = read, cookie.isHostOnly || suffixes?.isPublicSuffix(cookie.domain) != true else {
                lines.append(Line(bytes: line, key: nil))
                continue
            }
            guard cookies.count < CookieSnapshot.TextLimits.cookies else {
                throw CookieFault(reason: "there are too many")
            }
            lines.append(Line(bytes: line, key: .init(cookie)))
            cookies.append(cookie)
        }
    }

    static let title = Array("# Netscape HTTP Cookie File\n# https://curl.se/docs/http-cookies.html\n\n".utf8)

    private static func isTitle(_ line: ArraySlice<UInt8>) -> Bool {
        let start = String(decoding: line.prefix(64), as: UTF8.self).lowercased()
        return start.contains("# netscape http cookie file") || start.contains("# http cookie file")
    }

    private static func isBlank(_ line: ArraySlice<UInt8>) -> Bool {
        line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    }

    /// Whether the file is empty, begins like a `cookies.txt`, or has a cookie. Other files must not be overwritten.
    var isOne: Bool {
        guard let first = lines.first(where: { !Self.isBlank($0.bytes) }) else { return true }
        return Self.isTitle(first.bytes) || hasCookieLine
    }

    /// Returns the file with other cookies, and the cookies that it cannot represent.
    ///
    /// Comments, invalid lines, and lines of unchanged cookies are kept byte for byte: other programs have their own notation of
    /// expiries and ports, and may not read another. New cookies are appended.
    ///
    /// - Returns: nil in place of bytes if no line changes.
    func replacing(by new: [Cookie]) -> (bytes: [UInt8]?, leftOut: [Cookie]) {
        // Of several lines with the same key, the last counts.
        var former: [CookieRemovals.Key: Cookie] = [:]
        for cookie in cookies { former[.init(cookie)] = cookie }
        var current: [CookieRemovals.Key: Cookie] = [:]
        for cookie in new { current[.init(cookie)] = cookie }
        let isTitled = lines.first { !Self.isBlank($0.bytes) }.map { Self.isTitle($0.bytes) } ?? false
        var bytes = isTitled ? [] : Self.title
        var written: Set<CookieRemovals.Key> = []
        var isChanged = false
        for line in lines {
            if let key = line.key {
                guard let cookie = current[key] else {
                    isChanged = true
                    continue
                }
                guard let known = former[key], CookieLine.isSame(known, cookie) else {
                    isChanged = true
                    if cookie.hasTextLine, written.insert(key).inserted { Self.append(cookie, to: &bytes) }
                    continue
                }
                written.insert(key)
            }
            bytes += line.bytes
            bytes.append(UInt8(ascii: "\n"))
        }
        var leftOut: [Cookie] = []
        for cookie in new where !written.contains(.init(cookie)) {
            guard cookie.hasTextLine else {
                leftOut.append(cookie)
                continue
            }
            isChanged = true
            Self.append(cookie, to: &bytes)
        }
        return (isChanged ? bytes : nil, leftOut)
    }

    private static func append(_ cookie: Cookie, to bytes: inout [UInt8]) {
        bytes += CookieLine.content(cookie).utf8
        bytes.append(UInt8(ascii: "\n"))
    }
}

/// A line of `cookies.txt`.
enum CookieLine {
    private static let httpOnly = "#HttpOnly_"

    /// Parses a line; nil for a comment and an invalid line.
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
        guard fields.count >= 6, let domain = fields[0].flatMap(domain), let hasSubdomains = flag(fields[1]),
            let path = fields[2].map(path), let isSecure = flag(fields[3]), let expiry = fields[4].flatMap(expiry),
            let name = fields[5], let value = fields.count > 6 ? fields[6] : ""
        else { return nil }
        let cookie = Cookie(
            name: name, value: value, domain: domain, isHostOnly: !hasSubdomains, path: path, isSecure: isSecure,
            isHTTPOnly: isHTTPOnly, isPartitioned: false, sameSite: nil, expiry: expiry, creation: now, lastAccess: now,
            update: now)
        return CookieRules.refusal(of: cookie) == nil ? cookie : nil
    }

    /// Returns the line of a cookie; invalid if ``Cookie/hasTextLine`` is false.
    static func content(_ cookie: Cookie) -> String {
        let domain = (cookie.isHTTPOnly ? httpOnly : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain
        // Fractions are cut off, but 0 would make it a session cookie.
        let expiry = cookie.expiry.map { max($0.milliseconds / 1_000, 1) } ?? 0
        let fields = [
            domain, cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE", "\(expiry)",
            cookie.name, cookie.value,
        ]
        return fields.joined(separator: "\t")
    }

    /// Returns whether two cookies have the same line, byte by byte.
    static func isSame(_ left: Cookie, _ right: Cookie) -> Bool {
        content(left).utf8.elementsEqual(content(right).utf8)
    }

    /// Returns the domain in the form of URLs. Wget appends the server's port, unless it is the default one.
    private static func domain(_ text: String) -> String? {
        if let host = CookieRules.host(text) { return host }
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let port = text.utf8[text.utf8.index(after: colon)...]
        guard (1...5).contains(port.count), port.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return CookieRules.host(String(text[..<colon]))
    }

    /// Returns the path as requests have it. wget2 1.99.1 leaves out the slash of a path that no attribute gave.
    private static func path(_ text: String) -> String { text.isEmpty || text.hasPrefix("/") ? text : "/\(text)" }

    private static func flag(_ text: String?) -> Bool? {
        switch text?.lowercased() {
        case "true": true
        case "false": false
        default: nil
        }
    }

    /// Parses an expiry: `.some(nil)` for a session cookie, for which Python writes an empty field; nil for an invalid number.
    private static func expiry(_ text: String) -> CookieTime?? {
        if text.isEmpty { return .some(nil) }
        // Some programs write fractions.
        guard let seconds = Double(text), seconds.isFinite else { return nil }
        return .some(seconds == 0 ? nil : CookieTime(seconds: seconds))
    }
}
