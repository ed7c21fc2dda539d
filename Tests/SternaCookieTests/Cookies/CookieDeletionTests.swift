import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// What becomes of a cookie that a server sets again, to delete it, with a lifetime; docs/Cookies.md has the table for users.
@Suite("Cookies: deletion by dates")
struct CookieDeletionTests {
    enum Fate: Sendable, Hashable {
        /// No request has the cookie, with neither value.
        case deleted
        /// Until the session ends.
        case session
        /// For so many seconds.
        case seconds(Int64)
    }

    /// 400 days.
    private static let longest = Fate.seconds(34_560_000)

    /// It is Tuesday, 14 November 2023, 22:13:20.
    static let rows: [(attributes: String, fate: Fate)] = [
        ("Max-Age=0", .deleted), ("Max-Age=-1", .deleted), ("Max-Age=1", .seconds(1)), ("max-age=0", .deleted),
        // Not a number: the attribute is ignored.
        ("Max-Age=\"0\"", .session), ("Max-Age=", .session), ("Max-Age=0s", .session),
        // Not a date.
        ("Expires=0", .session), ("Expires=-1", .session), ("Expires=", .session), ("Expires=now", .session),
        ("Expires=Tue, 14 Nov 2023 22:13:19 GMT", .deleted), ("Expires=Tue, 14 Nov 2023 22:13:20 GMT", .deleted),
        ("Expires=Tue, 14 Nov 2023 22:13:21 GMT", .seconds(1)),
        ("Expires=Thu, 01 Jan 1970 00:00:00 GMT", .deleted), ("Expires=Thu, 01 Jan 1970 00:00:01 GMT", .deleted),
        ("Expires=Wed, 31 Dec 1969 23:59:59 GMT", .deleted), ("Expires=Thu, 01-Jan-1970 00:00:00 GMT", .deleted),
        ("Expires=Mon, 01 Jan 1900 00:00:00 GMT", .deleted), ("Expires=Mon, 01 Jan 1601 00:00:00 GMT", .deleted),
        // Years before 1601 are no dates, but 0000 counts as 2000, as any year below 70.
        ("Expires=Sat, 01 Jan 1600 00:00:00 GMT", .session), ("Expires=Sat, 01 Jan 0000 00:00:00 GMT", .deleted),
        // Two digits: 70 to 99 are in the twentieth century, others in the twenty-first.
        ("Expires=Thu, 01-Jan-70 00:00:00 GMT", .deleted), ("Expires=Sun, 06-Nov-94 08:49:37 GMT", .deleted),
        ("Expires=Fri, 31-Dec-99 23:59:59 GMT", .deleted), ("Expires=Sat, 01-Jan-00 00:00:00 GMT", .deleted),
        ("Expires=Sun, 01-Jan-23 00:00:00 GMT", .deleted), ("Expires=Tue, 14-Nov-23 22:13:21 GMT", .seconds(1)),
        ("Expires=Tue, 01-Jan-69 00:00:00 GMT", longest),
        ("Expires=Sun Nov  6 08:49:37 1994", .deleted), ("Expires=Thu, 31 Feb 1994 00:00:00 GMT", .session),
        // The weekday and the zone are not read: every time is in UTC.
        ("Expires=Mon, 01 Jan 1970 00:00:01 GMT", .deleted), ("Expires=Tue, 14 Nov 2023 22:13:21 +0100", .seconds(1)),
        ("Expires=Fri, 31 Dec 9999 23:59:59 GMT", longest), ("Max-Age=99999999999999999999", longest),
        // Max-Age precedes Expires; of several the last counts.
        ("Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", .seconds(60)),
        ("Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60", .seconds(60)),
        ("Max-Age=0; Expires=Fri, 31 Dec 9999 23:59:59 GMT", .deleted),
        ("Max-Age=x; Expires=Thu, 01 Jan 1970 00:00:01 GMT", .deleted), ("Max-Age=0; Max-Age=60", .seconds(60)),
        ("Max-Age=60; Max-Age=0", .deleted), ("Expires=Thu, 01 Jan 1970 00:00:00 GMT; Expires=0", .deleted),
    ]

    @Test("A lifetime deletes the cookie, ends it later, or leaves it to the session", arguments: rows)
    func fates(attributes: String, fate: Fate) throws {
        let url = "http://a.test/"
        for first in ["a=1", "a=1; Max-Age=1000"] {
            var scene = CookieScene()
            try scene.set(first, from: url)
            try scene.set("a=2; \(attributes)", from: url)
            try expectEqual(scene.field(url), fate == .deleted ? nil : "a=2")
            switch fate {
            case .deleted: expectEqual(scene.state.all(scene.now).count, 0)
            case .session: expectEqual(scene.state.all(scene.now).map(\.isSessionOnly), [true])
            case .seconds(let seconds):
                scene.wait(seconds - 1)
                try expectEqual(scene.field(url), "a=2")
                scene.wait(1)
                try expectNil(scene.field(url))
            }
        }
    }

    @Test("A deletion concerns the cookie with its name, domain, path and scope alone") func others() throws {
        var scene = CookieScene()
        let url = "http://www.a.test/x/y"
        let lines = ["a=1; Path=/", "a=2; Path=/x", "a=3; Path=/; Domain=a.test", "b=4; Path=/"]
        for line in lines { try scene.set(line, from: url) }
        try expectEqual(scene.field(url), "a=2; a=1; a=3; b=4")
        for (line, left) in [
            ("a=; Path=/y; Max-Age=0", "a=2; a=1; a=3; b=4"), ("a=; Path=/; Max-Age=0", "a=2; a=3; b=4"),
            ("a=; Path=/; Domain=a.test; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "a=2; b=4"),
            // The default path is /x.
            ("a=; Max-Age=-1", "b=4"),
        ] {
            try scene.set(line, from: url)
            try expectEqual(scene.field(url), left)
        }
    }
}
