import HTTPTypes
import SternaCore

/// Header fields that only the origin they were meant for may see.
enum SecretHeaders {
    /// Those that always are secrets.
    static let always: [HTTPField.Name] = [.authorization, .cookie, .proxyAuthorization]

    /// The fields without the secrets among them.
    static func removed(from fields: HTTPFields, _ marked: Set<String>) -> HTTPFields {
        var fields = fields
        for name in always { fields[name] = nil }
        for name in marked {
            if let name = HTTPField.Name(name) { fields[name] = nil }
        }
        return fields
    }
}
