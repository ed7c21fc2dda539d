import SternaCore
import SternaSerialization

/// The JSON form of cookies, in files and by `Codable`:
///
///     {
///       "version": 1,
///       "cookies": [
///         {
///           "name": "sid", "value": "…", "domain": "example.com", "hostOnly": true, "path": "/",
///           "secure": true, "httpOnly": true, "partitioned": false, "sameSite": "lax", "expires": 1767225600.5,
///           "created": 1735689600, "accessed": 1735689601.25, "updated": 1735689600
///         }
///       ]
///     }
///
/// A jar's file also has a member `removed`: the removed cookies, with `name`, `domain`, `hostOnly`, `path` and `updated`, so that
/// no process with an older state adds them again.
///
/// Times are seconds since 1970 in UTC, with up to three decimals. `expires` and `sameSite` may be missing, as may flags that are
/// false, and `accessed` and `updated` if they equal `created`. Unknown members are an error: a later format has another version
/// number.
extension CookieSnapshot {
    enum JSONLimits {
        static let bytes = 64 << 20
        static let cookies = 200_000
        static let version = 1
    }

    init(parsing bytes: [UInt8]) throws(CookieFault) {
        self.init(cookies: try CookieFile(parsing: bytes).cookies)
    }
}

/// The content of a file of cookies.
struct CookieFile: Sendable, Hashable {
    var cookies: [Cookie]
    var removals = CookieRemovals()
    /// The lines of a parsed `cookies.txt`; nil for JSON, and for content to be written.
    var text: CookiesText?

    private typealias JSONLimits = CookieSnapshot.JSONLimits

    init(cookies: [Cookie], removals: CookieRemovals = CookieRemovals(), text: CookiesText? = nil) {
        (self.cookies, self.removals, self.text) = (cookies, removals, text)
    }

    /// Returns the JSON form, in UTF-8.
    func json() -> [UInt8] {
        var members: [(String, JSON)] = [
            ("version", .number(.init(JSONLimits.version))), ("cookies", .array(cookies.map(CookieJSON.json))),
        ]
        if !removals.times.isEmpty {
            let list = removals.times.sorted {
                ($0.value, $0.key.domain, $0.key.name) < ($1.value, $1.key.domain, $1.key.name)
            }
            members.append(("removed", .array(list.map { CookieJSON.json($0.key, $0.value) })))
        }
        // Serializing cannot fail: all numbers are finite.
        return (try? JSON.object(.init(pairs: members)).serialized(.pretty)) ?? []
    }

    init(parsing bytes: [UInt8]) throws(CookieFault) {
        guard bytes.count <= JSONLimits.bytes else {
            throw CookieFault(reason: "they are longer than \(JSONLimits.bytes) bytes")
        }
        let root: JSON
        do {
            root = try JSON(
                parsing: bytes,
                limits: JSON.ParseLimits(depth: 3, bytes: JSONLimits.bytes, values: 16 * JSONLimits.cookies))
        } catch {
            throw CookieFault(reason: "they are not JSON")
        }
        guard let file = root.object, Set(file.keys).subtracting(["removed"]) == ["version", "cookies"],
            let list = file["cookies"]?.array, let removed = (file["removed"] ?? .array([])).array
        else { throw CookieFault(reason: "this is no list of cookies") }
        guard file["version"]?.int == JSONLimits.version else {
            throw CookieFault(reason: "they are of another version")
        }
        guard list.count <= JSONLimits.cookies, removed.count <= JSONLimits.cookies else {
            throw CookieFault(reason: "there are too many")
        }
        var cookies: [Cookie] = []
        cookies.reserveCapacity(list.count)
        for (index, item) in list.enumerated() {
            guard let object = item.object, let cookie = CookieJSON.cookie(object) else {
                throw CookieFault(reason: "cookie \(index + 1) is invalid")
            }
            cookies.append(cookie)
        }
        var times: [CookieRemovals.Key: CookieTime] = [:]
        for (index, item) in removed.enumerated() {
            guard let (key, time) = item.object.flatMap(CookieJSON.removal) else {
                throw CookieFault(reason: "removed cookie \(index + 1) is invalid")
            }
            times[key] = max(times[key] ?? time, time)
        }
        self.init(cookies: cookies, removals: CookieRemovals(times: times))
    }
}

/// Why cookies cannot be read, as a part of a sentence; it never contains a part of them.
struct CookieFault: Error, Hashable {
    let reason: String
}

/// One cookie as JSON.
enum CookieJSON {
    static let names: Set<String> = [
        "name", "value", "domain", "hostOnly", "path", "secure", "httpOnly", "partitioned", "sameSite", "expires",
        "created",
        "accessed", "updated",
    ]

    static func json(_ cookie: Cookie) -> JSON {
        var members: [(String, JSON)] = [
            ("name", .string(cookie.name)), ("value", .string(cookie.value)), ("domain", .string(cookie.domain)),
        ]
        if cookie.isHostOnly { members.append(("hostOnly", true)) }
        members.append(("path", .string(cookie.path)))
        if cookie.isSecure { members.append(("secure", true)) }
        if cookie.isHTTPOnly { members.append(("httpOnly", true)) }
        if cookie.isPartitioned { members.append(("partitioned", true)) }
        if let sameSite = cookie.sameSite { members.append(("sameSite", .string(sameSite.rawValue))) }
        if let expiry = cookie.expiry { members.append(("expires", number(expiry))) }
        members.append(("created", number(cookie.creation)))
        if cookie.lastAccess != cookie.creation { members.append(("accessed", number(cookie.lastAccess))) }
        if cookie.update != cookie.creation { members.append(("updated", number(cookie.update))) }
        return .object(.init(pairs: members))
    }

    /// Reads a cookie; nil for an invalid one.
    static func cookie(_ object: JSON.Object) -> Cookie? {
        guard object.keys.allSatisfy(names.contains), let name = object["name"]?.string,
            let value = object["value"]?.string, let domain = object["domain"]?.string,
            let path = object["path"]?.string, let isHostOnly = flag(object, "hostOnly"),
            let isSecure = flag(object, "secure"), let isHTTPOnly = flag(object, "httpOnly"),
            let isPartitioned = flag(object, "partitioned"), let creation = object["created"].flatMap(time),
            let expiry = optional(object, "expires", time), let lastAccess = optional(object, "accessed", time),
            let update = optional(object, "updated", time),
            let sameSite = optional(object, "sameSite", { $0.string.flatMap(Cookie.SameSite.init) })
        else { return nil }
        let cookie = Cookie(
            name: name, value: value, domain: domain, isHostOnly: isHostOnly, path: path, isSecure: isSecure,
            isHTTPOnly: isHTTPOnly, isPartitioned: isPartitioned, sameSite: sameSite, expiry: expiry,
            creation: creation,
            lastAccess: lastAccess ?? creation, update: update ?? creation)
        return CookieRules.refusal(of: cookie) == nil ? cookie : nil
    }

    static func json(_ removed: CookieRemovals.Key, _ time: CookieTime) -> JSON {
        var members: [(String, JSON)] = [("name", .string(removed.name)), ("domain", .string(removed.domain))]
        if removed.isHostOnly { members.append(("hostOnly", true)) }
        members += [("path", .string(removed.path)), ("updated", number(time))]
        return .object(.init(pairs: members))
    }

    /// Reads the removal of a cookie; nil for an invalid one.
    static func removal(_ object: JSON.Object) -> (CookieRemovals.Key, CookieTime)? {
        guard object.keys.allSatisfy(["name", "domain", "hostOnly", "path", "updated"].contains),
            let name = object["name"]?.string, let domain = object["domain"]?.string, let path = object["path"]?.string,
            let isHostOnly = flag(object, "hostOnly"), let time = object["updated"].flatMap(time)
        else { return nil }
        return (.init(name: name, domain: domain, path: path, isHostOnly: isHostOnly), time)
    }

    private static func number(_ time: CookieTime) -> JSON {
        // Whole seconds are written without a fraction.
        time.milliseconds % 1_000 == 0
            ? .number(.init(time.milliseconds / 1_000)) : .number(.init(time.seconds))
    }

    private static func time(_ json: JSON) -> CookieTime? { json.double.map { CookieTime(seconds: $0) } }

    /// Reads a flag: false for a missing member, nil for another type.
    private static func flag(_ object: JSON.Object, _ name: String) -> Bool? {
        object[name].map(\.bool) ?? false
    }

    /// Reads an optional member: `.some(nil)` if it is missing, nil if it is invalid.
    private static func optional<Value>(
        _ object: JSON.Object, _ name: String, _ read: (JSON) -> Value?
    ) -> Value?? {
        guard let member = object[name] else { return .some(nil) }
        return read(member).map { .some($0) }
    }
}

extension Cookie: Codable {
    /// Decodes a cookie in the format of ``CookieSnapshot/FileFormat/json``.
    ///
    /// Throws `DecodingError` for a cookie that no server could set.
    public init(from decoder: any Decoder) throws {
        guard let object = try JSON(from: decoder).object, let cookie = CookieJSON.cookie(object) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "This is not a valid cookie."))
        }
        self = cookie
    }

    /// Writes the cookie **with its value**.
    public func encode(to encoder: any Encoder) throws { try CookieJSON.json(self).encode(to: encoder) }
}
