import SternaCore
import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// A jar keeps the Cookie field that it made last, for requests that have the same one.
@Suite("Cookies: the last field")
struct LastCookieFieldTests {
    private static let start = CookieTime(seconds: Int64(1_790_000_000))

    private static func state(_ lines: String..., url: String = "https://a.test/") throws -> CookieJarState {
        var state = CookieJarState()
        for (number, line) in lines.enumerated() {
            let now = CookieTime(milliseconds: start.milliseconds - 1_000 + Int64(number))
            try state.store(SetCookie(parsing: line), from: HTTPURL(url), now: now)
        }
        return state
    }

    private static func field(
        _ state: inout CookieJarState, _ url: String, after seconds: Int64 = 0,
        _ change: (inout CookieRequest) -> Void = { _ in }
    ) throws -> String? {
        var request = CookieRequest(url: try HTTPURL(url))
        change(&request)
        return state.field(for: request, now: start.advanced(bySeconds: seconds))
    }

    @Test("The field is kept for all paths of a server, and used again")
    func again() throws {
        var state = try Self.state("a=1; Path=/", "b=2; Path=/")
        try expectEqual(Self.field(&state, "https://a.test/x?y"), "a=1; b=2")
        let kept = try #require(state.lastField)
        #expect(try kept.isField(of: CookieRequest(url: HTTPURL("https://a.test/other")), Self.start))
        try expectEqual(Self.field(&state, "https://a.test/other", after: 5), "a=1; b=2")
        // The kept field was used, which counts as a use of its cookies.
        expectEqual(state.lastField?.lastUse, Self.start.advanced(bySeconds: 5))
        expectEqual(
            state.all(Self.start).map(\.lastAccess), Array(repeating: Self.start.advanced(bySeconds: 5), count: 2))
    }

    @Test("Another server, port, path or connection has a field of its own")
    func others() throws {
        var state = try Self.state("a=1; Path=/; Secure", "b=2; Path=/", "c=3; Path=/; Domain=a.test")
        try expectEqual(Self.field(&state, "https://a.test/"), "a=1; b=2; c=3")
        try expectEqual(Self.field(&state, "http://a.test/"), "b=2; c=3")
        try expectEqual(Self.field(&state, "https://a.test/"), "a=1; b=2; c=3")
        try expectEqual(Self.field(&state, "https://a.test/") { $0.isSecure = false }, "b=2; c=3")
        try expectEqual(Self.field(&state, "https://www.a.test/"), "c=3")
        try expectEqual(Self.field(&state, "https://b.test/"), nil)
        try expectEqual(Self.field(&state, "https://a.test:8443/"), "a=1; b=2; c=3")
        var paths = try Self.state("a=1; Path=/", "b=2; Path=/x")
        try expectEqual(Self.field(&paths, "https://a.test/x"), "b=2; a=1")
        try expectEqual(Self.field(&paths, "https://a.test/y"), "a=1")
        try expectEqual(Self.field(&paths, "https://a.test/x/z"), "b=2; a=1")
    }

    @Test("The kept field is not used with cookies of the caller, nor for requests of another site")
    func callers() throws {
        var state = try Self.state("a=1; Path=/; SameSite=Strict", "b=2; Path=/; SameSite=None; Secure")
        try expectEqual(Self.field(&state, "https://a.test/"), "a=1; b=2")
        try expectEqual(Self.field(&state, "https://a.test/") { $0.caller = CallerCookies(field: "a=9") }, "b=2")
        try expectEqual(
            Self.field(&state, "https://a.test/") {
                $0.site = try? CookieSite(HTTPURL("https://elsewhere.test/").origin)
            }, "b=2")
        try expectEqual(Self.field(&state, "https://a.test/"), "a=1; b=2")
    }

    @Test("A cookie that is set or removed changes the field")
    func changes() throws {
        var state = try Self.state("a=1; Path=/", "b=2; Path=/")
        try expectEqual(Self.field(&state, "https://a.test/"), "a=1; b=2")
        try state.store(SetCookie(parsing: "a=3; Path=/"), from: HTTPURL("https://a.test/"), now: Self.start)
        try expectEqual(Self.field(&state, "https://a.test/"), "a=3; b=2")
        state.remove(now: Self.start) { $0.name == "b" }
        try expectEqual(Self.field(&state, "https://a.test/"), "a=3")
        try state.store(SetCookie(parsing: "c=4; Path=/x"), from: HTTPURL("https://a.test/"), now: Self.start)
        try expectEqual(Self.field(&state, "https://a.test/x"), "c=4; a=3")
        state.restore([], now: Self.start)
        try expectEqual(Self.field(&state, "https://a.test/"), nil)
    }

    @Test("The field expires with its first cookie, which a clock that is set back revives")
    func expiry() throws {
        var state = try Self.state("a=1; Path=/; Max-Age=10", "b=2; Path=/")
        try expectEqual(Self.field(&state, "https://a.test/", after: 8), "a=1; b=2")
        try expectEqual(Self.field(&state, "https://a.test/", after: 9), "b=2")
        try expectEqual(Self.field(&state, "https://a.test/", after: 8), "a=1; b=2")
    }

    @Test("The cookies of a field that is used again are evicted last")
    func eviction() throws {
        var state = CookieJarState(limits: CookieLimits(total: 2))
        let (one, other) = (try HTTPURL("https://a.test/"), try HTTPURL("https://b.test/"))
        try state.store(SetCookie(parsing: "a=1; Path=/"), from: one, now: Self.start)
        try state.store(SetCookie(parsing: "b=2; Path=/"), from: other, now: Self.start.advanced(bySeconds: 2))
        try expectEqual(Self.field(&state, "https://a.test/", after: 1), "a=1")
        try expectEqual(Self.field(&state, "https://a.test/", after: 3), "a=1")
        try state.store(SetCookie(parsing: "c=3; Path=/"), from: other, now: Self.start.advanced(bySeconds: 4))
        expectEqual(state.all(Self.start).map(\.name), ["a", "c"])
    }
}
