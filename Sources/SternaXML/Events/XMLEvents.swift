public import Sterna

/// Reads documents as events, without holding a tree or a list.
///
/// Reading succeeds only if the whole document is well-formed, namespaces included. Discard the events delivered before an error.
public enum XMLEvents {
    /// Reads bytes and passes each event to a closure.
    ///
    /// A byte order mark determines the encoding, else `charset`, else the XML declaration; the default is UTF-8 (RFC 7303, 3).
    ///
    /// - Parameters:
    ///   - charset: the character set that Content-Type names.
    ///   - handler: called on the caller's thread; its own errors end the reading.
    /// - Throws: `decodingFailed` or `limitExceeded`, with line and column if the fault has a place, or the error of `handler`.
    public static func parse(
        _ bytes: Bytes, limits: XMLLimits = XMLLimits(), charset: String? = nil, _ handler: (XMLEvent) throws -> Void
    ) throws {
        let source = try XMLSource.document(bytes, charset: charset, limits: limits)
        try XMLReader.read(source, limits: limits, handler)
    }

    /// Reads a text and passes each event to a closure, as the form for bytes does; ignores the encoding that the text declares.
    ///
    /// - Throws: `decodingFailed` or `limitExceeded`, with line and column if the fault has a place, or the error of `handler`.
    public static func parse(
        _ text: String, limits: XMLLimits = XMLLimits(), _ handler: (XMLEvent) throws -> Void
    ) throws {
        let source = try XMLSource.document(text, limits: limits)
        try XMLReader.read(source, limits: limits, handler)
    }
}
