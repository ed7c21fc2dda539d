import SternaCore

/// Caches which fields are secret by their names: to determine that takes longer than to send the field.
struct SecretNames {
    /// The most names that are cached, more than requests have. Names made up for each request do not make the cache grow.
    static let limit = 128

    private var known: [String: Bool] = [:]

    /// Returns whether a field of that name, in lower case, holds a secret.
    mutating func contains(_ name: String) -> Bool {
        if let isSecret = known[name] { return isSecret }
        let isSecret = Redaction.isSecretHeader(name)
        if known.count >= Self.limit { known.removeAll(keepingCapacity: true) }
        known[name] = isSecret
        return isSecret
    }

    /// The number of cached names.
    var count: Int { known.count }
}
