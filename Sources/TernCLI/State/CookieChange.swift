import Sterna

/// The difference between the cookies that a command found and those that it leaves, for a file that other commands may have
/// changed meanwhile.
struct CookieChange: Sendable {
    private let changed: [Cookie]
    private let removed: [Key: Cookie]

    /// The key of a cookie in a jar. Texts are compared byte by byte.
    private struct Key: Hashable {
        let name: [UInt8]
        let domain: String
        let path: [UInt8]
        let isHostOnly: Bool

        init(_ cookie: Cookie) {
            (name, path) = (Array(cookie.name.utf8), Array(cookie.path.utf8))
            (domain, isHostOnly) = (cookie.domain, cookie.isHostOnly)
        }
    }

    /// Compares the cookies before and after.
    init(from before: [Cookie], to after: [Cookie]) {
        let known = Self.byKey(before)
        let left = Self.byKey(after)
        changed = after.filter { cookie in !(known[Key(cookie)].map { Self.isSame($0, cookie) } ?? false) }
        removed = known.filter { left[$0.key] == nil }
    }

    /// Whether nothing has changed but the times of use.
    var isEmpty: Bool { changed.isEmpty && removed.isEmpty }

    /// Returns the cookies of a file with the change: of two that were set, the later one stays; a cookie that another command
    /// has set again meanwhile is not removed.
    func applied(to cookies: CookieSnapshot) -> CookieSnapshot {
        let jar = CookieJar(limits: .command)
        jar.restore(
            CookieSnapshot(
                cookies: cookies.cookies.filter { cookie in
                    !(removed[Key(cookie)].map { Self.isSame($0, cookie) } ?? false)
                }))
        jar.merge(CookieSnapshot(cookies: changed))
        return jar.snapshot()
    }

    private static func byKey(_ cookies: [Cookie]) -> [Key: Cookie] {
        Dictionary(cookies.map { (Key($0), $0) }) { _, last in last }
    }

    /// Whether two cookies with one key are the same but for the times of their use.
    private static func isSame(_ one: Cookie, _ other: Cookie) -> Bool {
        one.value.utf8.elementsEqual(other.value.utf8) && one.expires == other.expires
            && one.creationDate == other.creationDate && one.isSecure == other.isSecure
            && one.isHTTPOnly == other.isHTTPOnly && one.isPartitioned == other.isPartitioned
            && one.sameSite == other.sameSite
    }
}
