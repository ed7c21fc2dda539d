public import SternaCore

/// Why a server refuses a token (RFC 6750, 3).
public struct BearerError: Sendable, Hashable {
    /// The code: `invalid_request`, `invalid_token`, `insufficient_scope`, or one of the server's own.
    public let code: String

    /// The server's explanation for developers; nil if it gives none. It may hold anything the server likes.
    public let explanation: String?

    /// The address of a page about the error; nil if the server names none.
    public let page: String?

    /// The scopes that the resource needs, separated by blanks; nil if the server names none.
    public let scope: String?
}

extension BearerError: CustomStringConvertible {
    /// The code and the explanation, without control characters.
    public var description: String {
        let code = FieldSyntax.printable(code)
        guard let explanation else { return code }
        return "\(code) (\(FieldSyntax.printable(explanation, limit: 200)))"
    }
}

/// A challenge of a server or a proxy: an authentication scheme with its parameters. The one of TLS handshakes, which SternaSecurity has
/// under the same name, is a parameter of its closures alone.
public typealias AuthenticationChallenge = SternaCore.AuthenticationChallenge

extension AuthenticationChallenge {
    /// The error of a Bearer challenge; nil for another scheme, and for a request that carried no token.
    public var bearerError: BearerError? {
        guard hasScheme("Bearer"), let code = self["error"], !code.isEmpty else { return nil }
        return BearerError(
            code: code, explanation: self["error_description"], page: self["error_uri"], scope: self["scope"])
    }
}

extension Response {
    /// The challenges of a server that asks for credentials: all of WWW-Authenticate (RFC 9110, 11.6.1), in order. Malformed lines, and
    /// those beyond 32 KiB, are left out.
    public var challenges: [AuthenticationChallenge] {
        AuthenticationChallenge.parse(section[values: .wwwAuthenticate])
    }
}
