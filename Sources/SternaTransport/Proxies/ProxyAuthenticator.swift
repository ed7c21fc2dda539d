public import HTTPTypes
public import SternaCore

/// Provides credentials to proxies that ask for them by 407 (RFC 9110, 11.7).
///
/// ```swift
/// final class Login: ProxyAuthenticator {
///     func authorization(for challenge: ProxyChallenge) async throws -> ProxyAuthorization? {
///         guard challenge.refusedCount == 0 else { return nil }
///         return .password("ada", try await keychain.password(for: challenge.proxy.host))
///     }
/// }
///
/// settings.network.proxies.authenticator = login
/// ```
///
/// It is called once for each proxy, however many connections wait for the credentials. From then on they are sent without a
/// challenge, whatever the origin. If the proxy refuses them, they are discarded, and the authenticator is called again: at most
/// three times for each new connection, and for each forwarded request.
///
/// Requests for https URLs are challenged when their connections are opened. Requests for http URLs, which a proxy forwards,
/// are challenged themselves: the session sends them again with the credentials if their bodies can be sent again. Without
/// credentials, the caller receives the 407 as its response.
///
/// Schemes that authenticate a connection instead of a request (NTLM, Negotiate) are not supported, since connections share the
/// credentials.
public protocol ProxyAuthenticator: AnyObject, Sendable {
    /// Returns the credentials for a challenge, or nil to give up: connections that wait for them then fail with `proxyFailed`.
    ///
    /// It runs in a task of its own, outside the event loops, and may wait for a user's input. Meanwhile only the deadlines of the
    /// waiting requests apply, and none of the limits of a dial. The task is cancelled once no request waits for the credentials.
    /// An error that it throws becomes the `underlying` error of the requests that fail with it.
    func authorization(for challenge: ProxyChallenge) async throws -> ProxyAuthorization?
}

/// A request as a proxy sees it, for credentials that depend on it.
public struct ProxyRequest: Sendable, Hashable {
    /// The method: CONNECT for a tunnel.
    public let method: HTTPRequest.Method

    /// The request target: host and port for a tunnel (RFC 9112, 3.2.3), the whole URL for a forwarded request (3.2.2).
    public let target: String
}

/// A proxy's demand for credentials.
public struct ProxyChallenge: Sendable {
    /// The proxy, without credentials.
    public let proxy: Proxy

    /// The request that the proxy was asked to carry out.
    public let request: ProxyRequest

    /// The schemes that the proxy accepts, in its order. Malformed Proxy-Authenticate fields are left out; the list may be
    /// empty.
    public let challenges: [AuthenticationChallenge]

    /// The number of credentials that the proxy has refused so far for this connection, or for this request if the proxy
    /// forwards it. Counts the authenticator's, and the user name and password of the proxy's URL.
    public let refusedCount: Int

    /// The head of the proxy's response.
    public let response: Response

    /// Returns whether the proxy accepts a scheme, by its name in any case.
    public func offers(_ scheme: String) -> Bool { challenges.contains { $0.hasScheme(scheme) } }
}

/// An answer to a proxy's challenge: the value of Proxy-Authorization, or a closure that makes one for each request.
///
/// Descriptions and mirrors show no credentials.
public struct ProxyAuthorization: Sendable {
    enum Content: Sendable {
        case fixed(Authorization)
        case password(user: String, password: String)
        case each(@Sendable (ProxyRequest) async throws -> Authorization)
    }

    let content: Content

    /// Uses the same credentials for every request.
    public init(_ authorization: Authorization) { content = .fixed(authorization) }

    private init(_ content: Content) { self.content = content }

    /// Returns a user's name and password for Basic authentication (RFC 7617), in UTF-8.
    public static func basic(_ user: String, _ password: String) -> ProxyAuthorization {
        ProxyAuthorization(.basic(user, password))
    }

    /// Answers with the strongest scheme that the proxy offers: Digest (RFC 7616), else Basic (RFC 7617).
    ///
    /// Nonces and their counts are shared by all connections to the proxy. A nonce that is out of date is replaced without asking
    /// the authenticator again.
    public static func password(_ user: String, _ password: String) -> ProxyAuthorization {
        ProxyAuthorization(.password(user: user, password: password))
    }

    /// Returns credentials made for each request, for schemes that the library does not know.
    ///
    /// - Parameter make: called in a task of its own before each request to the proxy, possibly for several requests at once. State
    ///   that it keeps between them (a nonce and its count, say) lasts as long as the proxy accepts its credentials. If it throws,
    ///   the connection, or the forwarded request, fails.
    public static func each(
        _ make: @escaping @Sendable (ProxyRequest) async throws -> Authorization
    ) -> ProxyAuthorization {
        ProxyAuthorization(.each(make))
    }
}

extension ProxyAuthorization: CustomStringConvertible, CustomReflectable {
    /// The scheme if it is known; the credentials are never shown.
    public var description: String {
        switch content {
        case .fixed(let authorization): authorization.description
        case .password: "a user name and password ***"
        case .each: "made for each request"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: ["content": description]) }
}
