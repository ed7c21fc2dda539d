import SternaCore

/// A token that a server has issued to a client, such as an OAuth 2 access token (RFC 6749, 1.4). Its texts are secrets, which no
/// description or mirror shows.
public struct AccessToken: Sendable, Hashable {
    /// The token that requests carry.
    public var value: String

    /// The token that a new one can be obtained with (RFC 6749, 1.5); nil for none.
    public var refreshToken: String?

    /// The time for which the token is good, from the moment at which ``TokenAuthentication`` receives it; nil if it is unknown. Zero
    /// or less of a token that a refresh has just obtained counts as unknown.
    ///
    /// Of a token that was stored for some time, give what is left of it.
    public var lifetime: Duration?

    /// The scopes that the server has granted, as it wrote them; nil for those that were asked for.
    public var scope: String?

    public init(_ value: String, refreshToken: String? = nil, lifetime: Duration? = nil, scope: String? = nil) {
        self.value = value
        self.refreshToken = refreshToken
        self.lifetime = lifetime
        self.scope = scope
    }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says what the token has, without its texts.
    public var description: String {
        "AccessToken(\(Redaction.mark)\(lifetime.map { ", for \($0)" } ?? "")\(refreshToken == nil ? "" : ", can be refreshed"))"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Shows the lifetime and the scope alone.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "lifetime": lifetime as Any, "hasRefreshToken": refreshToken != nil, "scope": scope as Any,
            ], displayStyle: .struct)
    }
}
