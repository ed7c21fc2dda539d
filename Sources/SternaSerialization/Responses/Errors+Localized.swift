public import SternaPlatform

extension JSON.ParseError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}

extension CompoundError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
