import NIOCore
public import SternaCore
import SternaSerialization

/// A client of an OAuth 2 authorization server: it obtains tokens by the client-credentials grant (RFC 6749, 4.4) and by refresh
/// tokens (RFC 6749, 6). Descriptions and mirrors do not show its secret.
///
///     let client = OAuth2Client(tokenURL: "https://login.example.com/token", id: "app", secret: secret)
///     let tokens = try TokenAuthentication(for: ["https://api.example.com"], client: client, scope: "read")
///     let api = try Session(baseURL: "https://api.example.com") { $0.auth.tokens = tokens }
///
/// The token endpoint must be https, or a loopback host that is reached without a proxy. Its redirects are not followed, and its
/// response must be a JSON object of at most 64 KiB with a token of the type `Bearer`.
public struct OAuth2Client: Sendable {
    /// How the client authenticates (RFC 6749, 2.3.1).
    public enum Authentication: Sendable, Hashable {
        /// By Basic authentication, which every server must support for clients with a secret.
        case basic
        /// By `client_id` and `client_secret` in the body. A client without a secret always sends its `client_id` in the body.
        case body
    }

    /// The URL of the token endpoint.
    public var tokenURL: any URLConvertible

    /// The client's identifier.
    public var id: String

    /// The client's secret; nil for a public client.
    public var secret: String?

    /// How the client authenticates; by Basic authentication by default.
    public var authentication = Authentication.basic

    /// Whether the token endpoint may be http on any host, so that others can read secrets and tokens on the way; false by default.
    public var allowsInsecure = false

    /// The session that sends the requests; the shared one by default.
    public var session = Session.shared

    public init(tokenURL: any URLConvertible, id: String, secret: String? = nil) {
        self.tokenURL = tokenURL
        self.id = id
        self.secret = secret
    }

    /// Obtains a token for the client itself (RFC 6749, 4.4).
    ///
    /// - Parameter scope: the scopes to request, separated by spaces; nil for the server's default.
    /// - Throws: `unacceptableStatus` with the server's reason if it refuses; `decodingFailed` for a response that RFC 6749 does
    ///   not permit; `invalidURL` or `invalidRequest` for an unusable token endpoint; and errors of the request.
    public func clientCredentials(scope: String? = nil) async throws -> AccessToken {
        try await token([("grant_type", "client_credentials"), ("scope", scope)])
    }

    /// Obtains a new token by the refresh token of another one (RFC 6749, 6). The new token keeps the refresh token unless the
    /// server sends another.
    ///
    /// - Parameter scope: narrower scopes than those that were granted, separated by spaces; nil for the same.
    /// - Throws: `invalidRequest` for a token without a refresh token; otherwise as ``clientCredentials(scope:)``.
    public func refresh(_ token: AccessToken, scope: String? = nil) async throws -> AccessToken {
        guard let refreshToken = token.refreshToken else {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "The token has expired and came without a refresh token; the user has to log in again.")
        }
        var new = try await self.token([
            ("grant_type", "refresh_token"), ("refresh_token", refreshToken), ("scope", scope),
        ])
        if new.refreshToken == nil { new.refreshToken = refreshToken }
        if new.scope == nil { new.scope = scope ?? token.scope }
        return new
    }

    // MARK: Sending

    /// The maximum length of a response, in bytes.
    private static let longestAnswer = 64 << 10

    private func token(_ fields: [(String, String?)]) async throws -> AccessToken {
        let url = try checkedURL()
        var fields = fields
        var headers: Headers = ["Accept": "application/json"]
        if authentication == .basic, let secret {
            headers["Authorization"] = Authorization.basic(FormText.encoded(id), FormText.encoded(secret)).fieldValue
        } else {
            fields += [("client_id", id), ("client_secret", secret)]
        }
        let form = fields.compactMap { name, value in value.map { "\(name)=\(FormText.encoded($0))" } }
        let draft = RequestDraft(
            .post, url, body: .text(form.joined(separator: "&"), mediaType: "application/x-www-form-urlencoded"),
            headers: headers
        ) {
            $0.redirects = .doNotFollow
            $0.auth.usesTokens = false
            $0.responseSerializer = DataResponseSerializer().validating(statuses: 100..<1_000)
        }
        let reply = try await own.send(draft)
        do throws(SternaError) {
            return try OAuth2Response.token(
                status: reply.status, mediaType: reply.headers[.contentType], body: Array(buffer: reply.body))
        } catch {
            var error = error
            var head = reply.response
            head.body = ResponseBody()
            error.response = head
            error.requestSent = true
            error.method = .post
            throw error.at(url)
        }
    }

    /// The session without credentials for other servers: the request authenticates itself, and a 401 is the result.
    private var own: Session {
        session.with {
            $0.limits.collectedBytes = min($0.limits.collectedBytes, Self.longestAnswer)
            $0.network.allowsOtherOrigins = true
            $0.auth.header = nil
            $0.auth.tokens = nil
            $0.auth.policy = AuthenticationPolicy(schemes: [])
            $0.auth.credential = nil
            $0.auth.credentialStore = nil
            $0.auth.netrc = nil
            $0.auth.challengeHandler = nil
            $0.auth.signing = SigningChoices()
        }
    }

    private func checkedURL() throws(SternaError) -> HTTPURL {
        let url: HTTPURL
        do {
            url = try tokenURL.resolve(against: nil).removingUserinfo()
        } catch {
            throw SternaError(.invalidURL, phase: .prepare, "The URL of the token endpoint is invalid: \(error)")
        }
        let isLocal = url.isOnLoopback && !session.plan.settings.network.proxies.receives(url)
        guard url.scheme == .https || url.scheme == .http && (allowsInsecure || isLocal) else {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "The token endpoint is not https, so that secrets could be read on the way; nothing was sent."
            ).at(url)
        }
        return url
    }
}

extension OAuth2Client: CustomStringConvertible, CustomReflectable {
    /// The token endpoint and the client's identifier.
    public var description: String {
        "OAuth2Client(\(id), \(Redaction.show(reference: tokenURL.urlReference())))"
    }

    /// Shows the client without its secret.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "tokenURL": Redaction.show(reference: tokenURL.urlReference()), "id": id, "hasSecret": secret != nil,
                "authentication": authentication,
            ], displayStyle: .struct)
    }
}

extension TokenAuthentication {
    /// Creates an authentication whose tokens an OAuth 2 client obtains: by the refresh token of the last token, or else by the
    /// client-credentials grant.
    ///
    /// A client without a secret renews a token only by its refresh token; without one, requests fail with `invalidRequest`.
    ///
    /// - Parameters:
    ///   - token: the first token; nil to obtain one when the first request needs it.
    ///   - urls: absolute URLs, whose origins receive the token.
    ///   - scope: the scopes to request in the client-credentials grant, separated by spaces.
    ///   - received: called with each new token, so that it can be stored: its refresh token may be the only valid one.
    /// - Throws: `invalidURL` for a URL that is not absolute, or neither http nor https.
    public convenience init(
        _ token: AccessToken? = nil, for urls: [any URLConvertible], client: OAuth2Client, scope: String? = nil,
        options: Options = Options(), received: (@Sendable (AccessToken) async -> Void)? = nil
    ) throws(SternaError) {
        try self.init(token, for: urls, options: options) { expired in
            let new: AccessToken
            if let expired, expired.refreshToken != nil || client.secret == nil {
                new = try await client.refresh(expired)
            } else {
                new = try await client.clientCredentials(scope: scope)
            }
            await received?(new)
            return new
        }
    }
}
