import SternaCore

/// A user's name and password, or a token: what answers a server's challenge (RFC 9110, 11).
///
///     let api = try Session(baseURL: "https://api.example.com") { $0.credential = Credential(user: "ada", password: password) }
///
/// Unlike an ``SternaCore/Authorization`` it is sent only when a server asks for it. A name and a password answer Digest and Basic, a
/// token answers Bearer. No description of the value shows the password or the token.
public struct Credential: Sendable, Hashable {
    /// The user's name; nil for a token.
    public let user: String?

    /// The password or the token.
    package let secret: String

    /// Makes a credential of a user's name and password, both not percent-encoded.
    ///
    /// A name with a colon answers Digest alone: Basic cannot send it (RFC 7617, 2), and fails the request with `invalidHeader`.
    public init(user: String, password: String) {
        self.user = user
        secret = password
    }

    private init(token: String) {
        user = nil
        secret = token
    }

    /// Makes a credential of a token (RFC 6750).
    public static func bearer(_ token: String) -> Credential { Credential(token: token) }

    // Strings compare by canonical equivalence, but a server that receives other bytes may see another user.
    public static func == (left: Credential, right: Credential) -> Bool {
        left.secret.utf8.elementsEqual(right.secret.utf8) && (left.user == nil) == (right.user == nil)
            && (left.user ?? "").utf8.elementsEqual((right.user ?? "").utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in (user ?? "").utf8 { hasher.combine(byte) }
        hasher.combine(user == nil)
        for byte in secret.utf8 { hasher.combine(byte) }
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The user's name with `***` for the password, or `Bearer ***`.
    public var description: String {
        user.map { "\(FieldSyntax.printable($0)):\(Redaction.mark)" } ?? "Bearer \(Redaction.mark)"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Shows the user's name alone.
    public var customMirror: Mirror { Mirror(self, children: ["user": user as Any], displayStyle: .struct) }
}

extension Userinfo {
    /// The credential of a URL's user information; nil if it is not UTF-8.
    var credential: Credential? {
        isUTF8 ? Credential(user: decodedUsername, password: decodedPassword) : nil
    }
}
