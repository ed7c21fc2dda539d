public import SternaCore

extension JSON {
    /// Decodes the tree, or a part of one, as a `Decodable` type: `try tree["data"].decode([Post].self)`.
    ///
    /// A missing member is null, which only an optional type accepts. Throws `decodingFailed`, which names the member that does not
    /// fit, and also for trees nested deeper than ``maximumCodableDepth``.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - settings: the decoding of keys, dates, data and numbers.
    public func decode<T: Decodable>(
        _ type: T.Type = T.self, _ settings: DecodingSettings = DecodingSettings()
    ) throws(SternaError) -> T {
        if type != JSON.self, isDeeper(than: Self.maximumCodableDepth) {
            throw SternaError(
                .decodingFailed, phase: .decode,
                "The tree cannot be decoded as \(type): it is nested deeper than \(Self.maximumCodableDepth) levels.")
        }
        return try JSONDecoding.decode(type, from: self, settings.rules)
    }

    // The recursion ends at the limit.
    private func isDeeper(than limit: Int) -> Bool {
        switch self {
        case .array(let elements): limit == 0 || elements.contains { $0.isDeeper(than: limit - 1) }
        case .object(let object): limit == 0 || object.values.contains { $0.isDeeper(than: limit - 1) }
        default: false
        }
    }
}
