import SternaPlatform

/// Credentials for the Authorization field, or for a proxy's Proxy-Authorization (RFC 9110, 11.6.2 and 11.7.2).
public struct Authorization: Sendable, Hashable, CustomStringConvertible {
    /// The value of the Authorization field. It is a secret.
    package let fieldValue: String
    private let scheme: String

    /// A user's name and password (RFC 7617), in UTF-8.
    ///
    /// A name with a colon cannot be sent: it fails the request with `invalidHeader`.
    public static func basic(_ user: String, _ password: String) -> Authorization {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            return Authorization(fieldValue: refusedValue, scheme: "Basic")
        }
        let token = Data("\(user):\(password)".utf8).base64EncodedString()
        return Authorization(fieldValue: "Basic \(token)", scheme: "Basic")
    }

    /// The value for credentials that cannot be sent. It is not a valid field value, so every check refuses it.
    static let refusedValue = "Basic \u{0}"

    /// A token (RFC 6750).
    public static func bearer(_ token: String) -> Authorization {
        Authorization(fieldValue: "Bearer \(token)", scheme: "Bearer")
    }

    /// `Token token="…"`, the form of Rails and AFNetworking; quotes and backslashes are escaped (RFC 9110, 5.6.4).
    public static func token(_ token: String) -> Authorization {
        var quoted = ""
        for character in token.unicodeScalars {
            if character == "\"" || character == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(character)
        }
        return Authorization(fieldValue: "Token token=\"\(quoted)\"", scheme: "Token")
    }

    /// Credentials of any scheme: `Authorization("Digest", "username=\"ada\", …")`.
    ///
    /// - Parameters:
    ///   - scheme: a token (RFC 9110, 11.1).
    ///   - credentials: the part after the scheme, a value or parameters in the scheme's own syntax. A secret.
    ///
    /// Credentials that cannot be written as a field fail the request with `invalidHeader`.
    public init(_ scheme: String, _ credentials: String) {
        guard FieldSyntax.isToken(scheme) else {
            self.init(fieldValue: "\u{0}", scheme: "Authorization")
            return
        }
        self.init(fieldValue: credentials.isEmpty ? scheme : "\(scheme) \(credentials)", scheme: scheme)
    }

    /// The scheme, without the credentials.
    public var description: String { "\(scheme) ***" }

    private init(fieldValue: String, scheme: String) {
        self.fieldValue = fieldValue
        self.scheme = scheme
    }
}

extension Authorization: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["scheme": scheme]) }
}
