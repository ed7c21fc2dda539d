import SternaCore

@testable import Sterna

/// A jar of a test, with a clock that stands still.
struct CookieScene {
    var state: CookieJarState
    var now = CookieTime(seconds: Int64(1_700_000_000))

    init(_ limits: CookieLimits = CookieLimits()) { state = CookieJarState(limits: limits) }

    mutating func wait(_ seconds: Int64) { now = now.advanced(bySeconds: seconds) }

    /// Stores a Set-Cookie line; returns why it is refused.
    @discardableResult
    mutating func set(_ line: String, from url: String, site: String? = nil, navigates: Bool = false) throws
        -> CookieRefusal?
    {
        let url = try HTTPURL(url)
        let site = try site.map { CookieSite(try HTTPURL($0).origin, isNavigation: navigates) }
        do throws(CookieRefusal) {
            try state.store(SetCookie(parsing: line), from: url, site: site, now: now)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the Cookie field of a request.
    mutating func field(
        _ url: String, site: String? = nil, navigates: Bool = false, isSafe: Bool = true
    ) throws -> String? {
        let site = try site.map { CookieSite(try HTTPURL($0).origin, isNavigation: navigates) }
        return state.field(for: CookieRequest(url: try HTTPURL(url), site: site, isSafe: isSafe), now: now)
    }
}
