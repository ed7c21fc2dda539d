import HTTPTypes
import SternaCore

/// Header fields that must not be sent to another origin.
enum SecretHeaders {
    /// The fields that are always secret.
    static let always: [HTTPField.Name] = [.authorization, .cookie, .proxyAuthorization]

    /// Returns the names of all secret fields, each once.
    static func names(_ marked: Set<String>) -> [HTTPField.Name] {
        var names = always
        for name in marked.sorted().compactMap({ HTTPField.Name($0) }) where !names.contains(name) {
            names.append(name)
        }
        return names
    }

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
