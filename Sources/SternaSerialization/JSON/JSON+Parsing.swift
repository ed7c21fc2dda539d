extension JSON {
    package init(parsing bytes: UnsafeRawBufferPointer, limits: ParseLimits = ParseLimits()) throws(ParseError) {
        // Invariant: any memory may be bound to bytes, and the caller keeps it for the duration of the call.
        let bytes = bytes.bindMemory(to: UInt8.self)
        var parser = JSONParser(bytes: bytes, limits: limits)
        do {
            self = try parser.parse()
        } catch {
            throw ParseError(error.reason, offset: error.offset, in: bytes)
        }
    }

    /// Parses one JSON value from UTF-8 bytes (RFC 8259).
    ///
    /// The grammar is strict, and only white space may follow the value. A leading byte order mark is skipped. If an
    /// object repeats a key, the last value counts.
    ///
    /// - Throws: ``ParseError`` at the first fault.
    public init(parsing bytes: some Sequence<UInt8>, limits: ParseLimits = ParseLimits()) throws(ParseError) {
        let result = bytes.withContiguousStorageIfAvailable { Self.parse($0, limits: limits) }
        self = try (result ?? Array(bytes).withUnsafeBufferPointer { Self.parse($0, limits: limits) }).get()
    }

    /// Parses one JSON value from a text, as ``init(parsing:limits:)-(Sequence<UInt8>,_)`` does.
    ///
    /// - Throws: ``ParseError`` at the first fault.
    public init(parsing text: some StringProtocol, limits: ParseLimits = ParseLimits()) throws(ParseError) {
        var text = String(text)
        self = try text.withUTF8 { Self.parse($0, limits: limits) }.get()
    }

    // The standard library's closures do not carry typed errors.
    private static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, limits: ParseLimits
    ) -> Result<JSON, ParseError> {
        Result { () throws(ParseError) in try JSON(parsing: UnsafeRawBufferPointer(bytes), limits: limits) }
    }
}
