public import SternaPlatform

extension SternaError: LocalizedError {
    /// What `localizedDescription` returns: what happened, and the server's own message where it sent one, without the URL and
    /// the phase that ``description`` adds. It is in English.
    public var errorDescription: String? {
        serverMessage.map { "\(detail) The server says: \(FieldSyntax.printable($0))" } ?? detail
    }

    /// The server's own message, nil where it sent none.
    public var failureReason: String? { serverMessage }
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
