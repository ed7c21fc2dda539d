import SternaCore

/// A token that a server has issued to a client, such as an OAuth 2 access token (RFC 6749, 1.4). Descriptions and mirrors do not
/// show its secrets.
public struct AccessToken: Sendable, Hashable {
    /// The token that requests carry.
    public var value: String

    /// The token that obtains a new one (RFC 6749, 1.5); nil for none.
    public var refreshToken: String?

    /// How long the token is valid after ``TokenAuthentication`` receives it; nil if that is unknown. Zero or less in the result of
    /// a refresh counts as unknown.
    ///
    /// For a token that was stored for some time, set the remaining lifetime.
    public var lifetime: Duration?

    /// The scopes that the server has granted, separated by spaces; nil if they are those that were requested.
    public var scope: String?

    public init(_ value: String, refreshToken: String? = nil, lifetime: Duration? = nil, scope: String? = nil) {
        self.value = value
        self.refreshToken = refreshToken
        self.lifetime = lifetime
        self.scope = scope
    }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The lifetime, and whether the token can be refreshed.
    public var description: String {
        "AccessToken(\(Redaction.mark)\(lifetime.map { ", for \($0)" } ?? "")\(refreshToken == nil ? "" : ", can be refreshed"))"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Shows the lifetime, the scope, and whether the token has a refresh token.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "lifetime": lifetime as Any, "hasRefreshToken": refreshToken != nil, "scope": scope as Any,
            ], displayStyle: .struct)
    }
}
