public import SternaPlatform

extension TrustFailure: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }

    /// The remedy; nil if there is no general one.
    public var recoverySuggestion: String? { advice.isEmpty ? nil : advice }
}
