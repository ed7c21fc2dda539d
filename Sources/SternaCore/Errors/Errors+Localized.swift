public import SternaPlatform

extension SternaError: LocalizedError {
    /// The text of `localizedDescription`, in English: what happened and the server's own message, without the advice, URL and phase of
    /// ``description``.
    public var errorDescription: String? {
        serverMessage.map { "\(detail) The server says: \(FieldSyntax.printable($0))" } ?? detail
    }

    /// The server's own message; nil if it sent none.
    public var failureReason: String? { serverMessage }

    /// What to do about it: ``advice``.
    public var recoverySuggestion: String? { advice }
}

extension HTTPURL.ParseError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}

extension ParameterError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}

extension BodyFault: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
