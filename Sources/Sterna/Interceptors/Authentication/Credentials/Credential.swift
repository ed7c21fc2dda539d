import SternaCore

/// A user's name and password, or a token, for challenges of servers (RFC 9110, 11).
///
///     let api = try Session(baseURL: "https://api.example.com") {
///         $0.auth.credential = Credential(user: "ada", password: password)
///     }
///
/// Unlike an ``SternaCore/Authorization``, it is sent to a protection space only after the server has asked for it. A name and a
/// password answer Digest and Basic; a token answers Bearer. Descriptions and mirrors do not show the password or the token.
public struct Credential: Sendable, Hashable {
    /// The user's name; nil for a token.
    public var user: String? { name?.text }

    /// The password or the token, for a ``CredentialStore`` that keeps it.
    public var secret: String { key.text }

    private let name: ExactText?
    private let key: ExactText

    /// Makes a credential of a user's name and password, both not percent-encoded.
    ///
    /// Only Digest can send a name with a colon; with Basic (RFC 7617, 2) the request fails with `invalidHeader`.
    public init(user: String, password: String) {
        name = ExactText(user)
        key = ExactText(password)
    }

    private init(token: String) {
        name = nil
        key = ExactText(token)
    }

    /// Makes a credential of a token (RFC 6750).
    public static func bearer(_ token: String) -> Credential { Credential(token: token) }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The user's name with `***` for the password, or `Bearer ***`.
    public var description: String {
        user.map { "\(FieldSyntax.printable($0)):\(Redaction.mark)" } ?? "Bearer \(Redaction.mark)"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Shows only the user's name.
    public var customMirror: Mirror { Mirror(self, children: ["user": user as Any], displayStyle: .struct) }
}

extension Userinfo {
    /// The credential of a URL's user information; nil if it is not UTF-8.
    var credential: Credential? {
        isUTF8 ? Credential(user: decodedUsername, password: decodedPassword) : nil
    }
}
