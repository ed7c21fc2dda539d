import HTTPTypes
import SternaCore

/// Header fields that must not leave their origin.
enum SecretHeaders {
    /// The fields that are always secret.
    static let always: [HTTPField.Name] = [.authorization, .cookie, .proxyAuthorization]

    /// Returns the fields without secrets.
    static func removed(from fields: HTTPFields, _ marked: Set<String>) -> HTTPFields {
        var fields = fields
        for name in always { fields[name] = nil }
        for name in marked {
            if let name = HTTPField.Name(name) { fields[name] = nil }
        }
        return fields
    }
}
