import SternaCore

/// Which names of fields are those of secrets, remembered: to find out takes longer than to send the field.
struct SecretNames {
    /// More names than requests have; one who makes up names for each request makes nothing grow.
    static let limit = 128

    private var known: [String: Bool] = [:]

    /// Whether a field of that name, in lower case, holds a secret.
    mutating func contains(_ name: String) -> Bool {
        if let isSecret = known[name] { return isSecret }
        let isSecret = Redaction.isSecretHeader(name)
        if known.count >= Self.limit { known.removeAll(keepingCapacity: true) }
        known[name] = isSecret
        return isSecret
    }

    /// How many are remembered.
    var count: Int { known.count }
}
