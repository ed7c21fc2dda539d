import HTTPTypes
import SternaCore

/// Decides whether and how a redirect is followed, without I/O.
enum RedirectRule {
    enum Decision {
        /// The response is not a redirect to follow.
        case deliver
        case follow(Request)
        /// Follows if a closure confirms, and fails otherwise.
        case confirm(Request, otherwise: SternaError)
        case refuse(SternaError)
        /// A closure has chosen the redirect response as the result.
        case keep
    }

    /// Decides whether to follow a response.
    ///
    /// - Parameters:
    ///   - request: the request that received the response.
    ///   - steps: the redirects followed before.
    ///   - hasNewBody: whether the request has a new body, which was not sent yet.
    ///   - tokens: the session's token authentication.
    ///   - requiresTLS: returns whether a URL's host must be reached over TLS.
    static func decide(
        _ request: Request, _ response: Response, policy: RedirectPolicy, after steps: [RedirectStep] = [],
        hasNewBody: Bool = false, tokens: TokenAuthentication? = nil, requiresTLS: (HTTPURL) -> Bool = { _ in false }
    ) -> Decision {
        guard policy.follows, isRedirect(response.status.code) else { return .deliver }
        let locations = response.section.references(.location)
        guard let location = locations.first else { return .deliver }
        guard locations.allSatisfy({ $0.utf8.elementsEqual(location.utf8) }) else {
            return refuse("The server redirects to several targets at once: its Location fields differ.")
        }
        guard !location.isEmpty else { return .deliver }
        guard steps.count < policy.limit else {
            var detail =
                "The server redirected more than \(max(0, policy.limit)) \(policy.limit == 1 ? "time" : "times")"
            detail += RepeatedURLs.sentence(steps, then: request.url).map { ". \($0)" } ?? ", each time to another URL."
            return .refuse(SternaError(.tooManyRedirects, phase: .read, detail))
        }
        var target: HTTPURL
        do {
            target = try HTTPURL(withHost: location, relativeTo: request.url.removingUserinfo())
        } catch {
            return refuse("The server redirects to an address that is not an http or https URL: \(error)")
        }
        // A WebSocket may be redirected to a ws or wss URL.
        if request.delivery == .duplex { target = target.forHandshake() }
        guard isHTTP(target) else {
            return refuse("The server redirects to a \(target.scheme.rawValue) URL, which Sterna does not follow.")
        }
        if !target.scheme.isSecure, requiresTLS(target), let upgraded = HSTSRule.upgraded(target) { target = upgraded }
        if request.url.scheme.isSecure, !target.scheme.isSecure, !policy.allowsInsecure || request.delivery == .duplex {
            return refuse(
                "The server redirects from https to http (\(Redaction.brief(Redaction.show(target)))); the redirect was refused because "
                    + "it would give up encryption.")
        }
        return follow(request, to: target, status: response.status.code, policy, hasNewBody: hasNewBody, tokens)
    }

    /// Returns whether a status redirects if the response has a Location (RFC 9110, 15.4).
    static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    private static func isHTTP(_ url: HTTPURL) -> Bool { url.scheme == .http || url.scheme == .https }

    private static func refuse(_ detail: String) -> Decision {
        .refuse(SternaError(.redirectRefused, phase: .read, detail))
    }

    private static func follow(
        _ request: Request, to location: HTTPURL, status: Int, _ policy: RedirectPolicy, hasNewBody: Bool,
        _ tokens: TokenAuthentication?
    ) -> Decision {
        let target = location.removingUserinfo()
        let outcome = policy.methods.outcome(request.method, status)
        var next = request
        // A target without a fragment inherits the former URL's (RFC 9110, 10.2.2).
        next.url =
            target.fragment == nil && request.url.fragment != nil
            ? target.replacingFragment(request.url.fragment) : target
        if outcome == .get || outcome == .plainGet {
            makeGet(&next, isPlain: outcome == .plainGet)
        } else if !hasNewBody, !request.isReplayable {
            return .refuse(
                SternaError(
                    .bodyNotReplayable, phase: .read,
                    "The server redirects with \(status), which repeats the body, but that comes from a stream that can be read only "
                        + "once; send it to \(Redaction.brief(Redaction.show(target))) instead, or as bytes or a file.")
            )
        }
        if request.url.origin != target.origin { leaveOrigin(&next, policy) }
        if let referrer = policy.referrer {
            next.headers[.referer] = referrer.referer(from: request.url, to: target)
        }
        // As in curl and Go. Other credentials of the request take precedence.
        if let userinfo = location.userinfo, !hasOwnCredentials(next, tokens) {
            do {
                let field = try Authorization.fieldValue(of: userinfo)
                next.headers[.authorization] = field
                next.state.access.userinfoField = field
                next.state.access.credentials = CallCredentials.replacingUserinfo(
                    of: next.state.access.credentials, by: location)
            } catch {
                return refuse("The server redirects with credentials that cannot be sent: \(error.detail)")
            }
        }
        guard outcome == .keepIfConfirmed else { return .follow(next) }
        return .confirm(
            next,
            otherwise: SternaError(
                .redirectRefused, phase: .read,
                "The server redirects a \(request.method.rawValue) request with \(status), which RFC 2616 follows only if the user confirms; "
                    + "do so in redirectHandler, or choose other redirect methods."))
    }

    // MARK: Fields

    private static let contentFields: [HTTPField.Name] = [
        .contentType, .contentEncoding, .contentLanguage, .contentLocation,
    ]

    /// The fields that ASIHTTPRequest keeps or adds again. The range belongs to an interrupted download.
    private static let plainFields: Set<HTTPField.Name> = [
        .userAgent, .accept, .acceptEncoding, .range, .ifRange, .authorization, .cookie, .proxyAuthorization,
    ]

    private static func makeGet(_ request: inout Request, isPlain: Bool) {
        request.method = .get
        request.body = nil
        for name in contentFields { request.headers[name] = nil }
        // Expect is meaningless without a body (RFC 9110, 10.1.1).
        request.headers[.expect] = nil
        guard isPlain else { return }
        request.headers = HTTPFields(request.headers.filter { plainFields.contains($0.name) })
    }

    /// Removes fields that belong to the former origin. `dropsCredentials` withholds credentials that are not fields yet:
    /// `CallCredentials.credential(_:for:)` and the signing interceptors check it.
    private static func leaveOrigin(_ request: inout Request, _ policy: RedirectPolicy) {
        // A Host field set by the caller names the former origin.
        if let host = HTTPField.Name("Host") { request.headers[host] = nil }
        dropUserinfo(&request)
        guard !policy.keepsCredentialsAcrossOrigins else { return }
        request.headers = SecretHeaders.removed(from: request.headers, request.options[SecretHeadersKey.self])
        request.state.access.dropsCredentials = true
    }

    /// Drops the credentials from the former URL's user information, which belong to that URL even if the policy keeps credentials.
    private static func dropUserinfo(_ request: inout Request) {
        if let field = request.state.access.userinfoField {
            if request.headers[.authorization] == field { request.headers[.authorization] = nil }
            request.state.access.userinfoField = nil
        }
        if let known = request.state.access.credentials {
            request.state.access.credentials = CallCredentials.replacingUserinfo(of: known, by: nil)
        }
    }

    /// Returns whether a request has, or will be given, credentials other than a URL's user information.
    private static func hasOwnCredentials(_ request: Request, _ tokens: TokenAuthentication?) -> Bool {
        if let field = request.headers[.authorization] { return field != request.state.access.userinfoField }
        if tokens?.applies(to: request) == true { return true }
        guard let known = request.state.access.credentials else { return false }
        return known.credential(.request, for: request) != nil || known.credential(.session, for: request) != nil
    }

    // MARK: Closures

    /// Returns the decision for a request that a closure returned in place of the proposed one.
    ///
    /// It keeps the call's state, and its secret fields stay secret. If its origin differs from the proposed one's, only secret
    /// fields that the closure has set are kept.
    static func settle(_ changed: Request, proposed: Request, policy: RedirectPolicy) -> Decision {
        var next = changed
        if proposed.delivery == .duplex { next.url = changed.url.forHandshake() }
        guard isHTTP(next.url) else {
            return refuse(
                "The closure for redirects leads to a \(changed.url.scheme.rawValue) URL, which Sterna does not follow."
            )
        }
        if proposed.delivery == .duplex, proposed.url.scheme.isSecure, !next.url.scheme.isSecure {
            return refuse(
                "The closure for redirects leads from https to http, which would give up a stream's encryption.")
        }
        next.continues(proposed)
        let marked = proposed.options[SecretHeadersKey.self]
        if !marked.isEmpty { next.options[SecretHeadersKey.self] = next.options[SecretHeadersKey.self].union(marked) }
        guard next.url.origin != proposed.url.origin else { return .follow(next) }
        let kept = SecretHeaders.names(next.options[SecretHeadersKey.self])
            .filter { changed.headers[values: $0] != proposed.headers[values: $0] }
            .flatMap { changed.headers[fields: $0] }
        let host = HTTPField.Name("Host").flatMap { name in
            changed.headers[values: name] != proposed.headers[values: name] ? changed.headers[fields: name] : nil
        }
        leaveOrigin(&next, policy)
        if !policy.keepsCredentialsAcrossOrigins { for field in kept { next.headers.append(field) } }
        for field in host ?? [] { next.headers.append(field) }
        return .follow(next)
    }
}
