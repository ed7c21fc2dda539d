import HTTPTypes
import SternaCore

/// Decides what a redirect means for a request: a function of values, without I/O.
enum RedirectRule {
    enum Decision {
        /// The response is not a redirect to follow.
        case deliver
        case follow(Request)
        case refuse(SternaError)
    }

    /// Decides whether to follow a response.
    ///
    /// - Parameters:
    ///   - request: the request that received the response.
    ///   - count: the number of redirects followed before.
    ///   - hasNewBody: whether the request has a body that was not sent yet.
    static func decide(
        _ request: Request, _ response: Response, policy: RedirectPolicy, count: Int, hasNewBody: Bool = false
    ) -> Decision {
        guard policy.follows, isRedirect(response.status.code) else { return .deliver }
        let locations = response.section[values: .location]
        guard let location = locations.first else { return .deliver }
        guard locations.allSatisfy({ $0.utf8.elementsEqual(location.utf8) }) else {
            return .refuse(
                SternaError(
                    .redirectRefused, phase: .read,
                    "The server redirects to several targets at once: its Location fields differ."
                ))
        }
        guard !location.isEmpty else { return .deliver }
        guard count < policy.limit else {
            return .refuse(
                SternaError(
                    .tooManyRedirects, phase: .read,
                    "The server redirected more than \(policy.limit) times; the redirects may form a loop."))
        }
        let target: HTTPURL
        do {
            target = try HTTPURL(location, relativeTo: request.url.removingUserinfo())
        } catch {
            return .refuse(
                SternaError(
                    .redirectRefused, phase: .read,
                    "The server redirects to an address that is not an http or https URL: \(error)"))
        }
        guard target.scheme == .http || target.scheme == .https else {
            return .refuse(
                SternaError(
                    .redirectRefused, phase: .read,
                    "The server redirects to a \(target.scheme.rawValue) URL, which Sterna does not follow."))
        }
        if request.url.scheme.isSecure, !target.scheme.isSecure, !policy.allowsInsecure {
            return .refuse(
                SternaError(
                    .redirectRefused, phase: .read,
                    "The server redirects from https to http (\(Redaction.show(target))); the redirect was refused because "
                        + "it would give up encryption."))
        }
        return follow(request, to: target, status: response.status.code, hasNewBody: hasNewBody)
    }

    /// Whether a status redirects if the response has a Location (RFC 9110, 15.4).
    static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    private static func follow(
        _ request: Request, to location: HTTPURL, status: Int, hasNewBody: Bool
    ) -> Decision {
        let target = location.removingUserinfo()
        var next = request
        // A target without a fragment inherits the one before it (RFC 9110, 10.2.2).
        next.url =
            target.fragment == nil && request.url.fragment != nil
            ? target.replacingFragment(request.url.fragment) : target
        if changesToGet(request.method, status) {
            next.method = .get
            next.body = nil
            for name in contentFields { next.headers[name] = nil }
        } else if !hasNewBody, !request.isReplayable {
            return .refuse(
                SternaError(
                    .bodyNotReplayable, phase: .read,
                    "The server redirects with \(status), but the body cannot be sent a second time; "
                        + "send it to \(Redaction.show(target)) instead."))
        }
        if request.url.origin != target.origin { dropSecrets(of: &next) }
        // Like curl and Go. The caller's own credentials, which stay within one origin, take precedence.
        if let userinfo = location.userinfo, !next.headers.contains(.authorization) {
            do {
                next.headers[.authorization] = try Authorization.fieldValue(of: userinfo)
            } catch {
                return .refuse(
                    SternaError(
                        .redirectRefused, phase: .read,
                        "The server redirects with credentials that cannot be sent: \(error.detail)"))
            }
        }
        return .follow(next)
    }

    /// Whether a redirect changes the method to GET: a 303 for all methods except GET and HEAD, 301 and 302 for POST by convention
    /// (RFC 9110, 15.4.2).
    private static func changesToGet(_ method: Request.Method, _ status: Int) -> Bool {
        switch status {
        case 303: method != .get && method != .head
        case 301, 302: method == .post
        default: false
        }
    }

    private static let contentFields: [HTTPField.Name] = [
        .contentType, .contentEncoding, .contentLanguage, .contentLocation,
    ]

    private static func dropSecrets(of request: inout Request) {
        request.headers = SecretHeaders.removed(from: request.headers, request.options[SecretHeadersKey.self])
        // A Host field that was set by hand names the old origin.
        if let host = HTTPField.Name("Host") { request.headers[host] = nil }
    }
}
