import HTTPTypes
import SternaCore

/// The state that a session keeps from its servers' responses, and clears at their request (Clear-Site-Data).
struct NetworkState: Sendable {
    let cookieJar: CookieJar?
    var cookieSecurity = CookieSecurity()
    let hsts: HSTSStore?
    let alternatives: AltSvcStore

    /// Whether this interceptor adds the jar's cookies to requests.
    var sendsCookies = false

    /// The credentials that the session sends without a challenge.
    var authentication: AuthenticationMemory?

    /// Removes the stored responses of an origin; nil without a cache.
    var removeStored: (@Sendable (Origin) async -> Void)?

    /// Returns whether the certificates of connections to a URL are verified without exceptions.
    let isVerified: @Sendable (HTTPURL) -> Bool

    /// Whether requests pass unchanged.
    @inline(__always)
    var isUnused: Bool { alternatives.isUnused && (!sendsCookies || cookieJar?.isUnused ?? true) }

    /// Returns a request with the cookies of the jar, and with the alternative services of its origin for the transport.
    // A separate function, whose locals would otherwise occupy memory in every waiting request.
    @inline(never)
    nonisolated(nonsending) func added(to request: Request) async -> Request {
        var request = request
        if sendsCookies, let cookieJar, !cookieJar.isUnused {
            // An unusable file is an error of `save()`, not of requests.
            if cookieJar.isUnread { try? await cookieJar.load() }
            request = cookieJar.added(to: request, cookieSecurity)
        }
        return alternatives.isUnused ? request : offering(request)
    }

    private func offering(_ request: Request) -> Request {
        let services = alternatives.services(for: request.url.origin)
        guard !services.isEmpty else { return request }
        var request = request
        request.state.attempt.alternatives = services
        return request
    }

    @inline(never)
    nonisolated(nonsending) func take(
        _ fields: StateFields, from response: Response, to request: Request
    ) async {
        let url = request.url
        if let cookieJar, cookieJar.isUnread { try? await cookieJar.load() }
        if fields.contains(.clearing) { await clear(by: response, url) }
        if fields.contains(.cookies) { takeCookies(response, request) }
        guard url.scheme.isSecure, isVerified(url) else { return }
        if fields.contains(.transportSecurity) { hsts?.learn(from: response, url) }
        alternatives.note(response, from: url)
    }

    private func takeCookies(_ response: Response, _ request: Request) {
        guard let cookieJar, request.state.choices.handlesCookies != false else { return }
        cookieJar.store(
            response.section, from: request.url, isSecure: cookieSecurity.isSecure(request.url),
            site: request.options[CookieSiteKey.self])
    }

    private nonisolated(nonsending) func clear(by response: Response, _ url: HTTPURL) async {
        let asked = ClearSiteData.asked(by: response, isStored: false)
        if asked.contains(.cookies) {
            let site = ClearedSite(of: url, cookieJar?.suffixes ?? .builtIn)
            cookieJar?.remove { site.contains($0.domain) }
            authentication?.forget { site.contains($0.host) }
        }
        if asked.contains(.cache) { await removeStored?(url.origin) }
        if asked.contains(.storage) { alternatives.remove(url.origin) }
    }
}
