public import SternaPlatform

extension TrustFailure: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }

    /// What to do about it, nil where nothing general can be said.
    public var recoverySuggestion: String? { advice.isEmpty ? nil : advice }
}
