import HTTPTypes
import SternaCore

/// Sends the cookies of a jar.
///
/// It is below redirects, retries and authentication, so that each request has the jar's current cookies for its own URL.
/// ``NetworkStateInterceptor`` stores the cookies of responses, and also sends cookies if no interceptor between the two needs to
/// see them.
struct CookieInterceptor: Interceptor {
    let jar: CookieJar
    let security: CookieSecurity

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        guard !jar.isUnused else { return try await next(request) }
        // An unusable file is an error of `save()`, not of requests.
        if jar.isUnread { try? await jar.load() }
        return try await next(jar.added(to: request, security))
    }
}

extension CookieJar {
    /// Returns a request with the cookies of the jar, which must have been loaded.
    // A separate function, whose locals would otherwise occupy memory in every waiting request.
    @inline(never)
    func added(to request: Request, _ security: CookieSecurity) -> Request {
        let options = request.options
        guard request.state.choices.handlesCookies != false else { return request }
        var asked = CookieRequest(
            url: request.url, isSecure: security.isSecure(request.url), site: options[CookieSiteKey.self],
            isSafe: CookieRules.isSafe(request.method))
        let own = request.headers[.cookie]
        if let own {
            guard options[CallerCookieFieldKey.self] == .merged else { return request }
            asked.caller = CallerCookies(field: own)
        }
        guard let field = field(for: asked) else { return request }
        var request = request
        if let own {
            request.headers[fields: .cookie] = [header(own.isEmpty ? field : "\(own); \(field)")]
        } else {
            request.headers.append(header(field))
        }
        return request
    }
}

extension CookieRules {
    /// Whether a method is safe (RFC 9110, 9.2.1).
    static func isSafe(_ method: HTTPRequest.Method) -> Bool {
        method == .get || method == .head || method == .options || method == .trace
    }

    /// Returns the cookies of a Cookie field, which contains only names and values.
    static func cookies(ofField field: String, to url: HTTPURL, now: CookieTime) -> [Cookie] {
        field.utf8.split(separator: UInt8(ascii: ";")).compactMap { part in
            guard let pair = try? SetCookie(parsing: Array(part)[...]) else { return nil }
            return Cookie(
                name: pair.name, value: pair.value, domain: url.host, isHostOnly: true, path: "/", isSecure: false,
                isHTTPOnly: false, isPartitioned: false, sameSite: nil, expiry: nil, creation: now, lastAccess: now,
                update: now)
        }
    }
}

extension Request {
    /// The cookies of the request's Cookie field, with the request's host as their domain. A request of ``SessionTask/requests``
    /// has all cookies that were sent, including those of the session's jar.
    public var cookies: [Cookie] {
        guard let field = headers[.cookie] else { return [] }
        return CookieRules.cookies(ofField: field, to: url, now: .now)
    }
}

extension Response {
    /// The cookies that the response sets, as a jar would accept them from its URL, including expired cookies, which remove others.
    /// Invalid cookies are left out. A loopback URL counts as secure, as if it had been reached directly.
    public var cookies: [Cookie] {
        section.bytes(of: .setCookie).compactMap { line in
            guard let field = try? SetCookie(parsing: line[...]) else { return nil }
            return try? CookieRules.cookie(
                field, from: url, isSecure: url.scheme.isSecure || url.isOnLoopback, .builtIn, now: .now)
        }
    }
}
