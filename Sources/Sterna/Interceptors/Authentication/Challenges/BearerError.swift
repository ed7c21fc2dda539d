public import SternaCore

/// Why a server refuses a token (RFC 6750, 3).
public struct BearerError: Sendable, Hashable {
    /// The code: `invalid_request`, `invalid_token`, `insufficient_scope` (RFC 6750, 3.1), or another one of the server.
    public let code: String

    /// The server's explanation for developers (`error_description`), as it was received; nil if it is missing.
    public let explanation: String?

    /// The URI of a page about the error (`error_uri`), as it was received; nil if it is missing.
    public let page: String?

    /// The scopes that the resource requires, separated by spaces; nil if they are missing.
    public let scope: String?
}

extension BearerError: CustomStringConvertible {
    /// The code and at most 200 characters of the explanation, without control characters.
    public var description: String {
        let code = FieldSyntax.printable(code)
        guard let explanation else { return code }
        return "\(code) (\(FieldSyntax.printable(explanation, limit: 200)))"
    }
}

/// A challenge of a server or a proxy: an authentication scheme with its parameters.
public typealias AuthenticationChallenge = SternaCore.AuthenticationChallenge

extension AuthenticationChallenge {
    /// The error of a Bearer challenge; nil for another scheme, and without an `error` parameter, as for a request that carried no
    /// token (RFC 6750, 3.1).
    public var bearerError: BearerError? {
        guard hasScheme("Bearer"), let code = self["error"], !code.isEmpty else { return nil }
        return BearerError(
            code: code, explanation: self["error_description"], page: self["error_uri"], scope: self["scope"])
    }
}

extension Response {
    /// The challenges in all WWW-Authenticate lines (RFC 9110, 11.6.1), in order. Malformed lines, and those beyond 32 KiB, are
    /// left out.
    public var challenges: [AuthenticationChallenge] {
        AuthenticationChallenge.parse(section[values: .wwwAuthenticate])
    }
}
