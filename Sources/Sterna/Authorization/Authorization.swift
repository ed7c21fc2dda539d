import FoundationEssentials
import SternaCore

/// Credentials that are sent with every request to the session's own origin (RFC 9110, 11.6.2).
public struct Authorization: Sendable, Hashable, CustomStringConvertible {
    /// The value of the Authorization field. It is a secret.
    let fieldValue: String
    private let scheme: String

    /// A user's name and password (RFC 7617), in UTF-8.
    public static func basic(_ user: String, _ password: String) -> Authorization {
        let token = Data("\(user):\(password)".utf8).base64EncodedString()
        return Authorization(fieldValue: "Basic \(token)", scheme: "Basic")
    }

    /// A token (RFC 6750).
    public static func bearer(_ token: String) -> Authorization {
        Authorization(fieldValue: "Bearer \(token)", scheme: "Bearer")
    }

    /// The scheme alone; the credentials are never shown.
    public var description: String { "\(scheme) ***" }

    private init(fieldValue: String, scheme: String) {
        self.fieldValue = fieldValue
        self.scheme = scheme
    }
}

extension Authorization: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["scheme": scheme]) }
}
