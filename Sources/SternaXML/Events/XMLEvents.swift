public import Sterna

/// Reads documents without holding them as a tree or a list.
///
/// A success only if the whole document is well-formed, namespaces included; what was passed on before an error was found is
/// to be thrown away.
public enum XMLEvents {
    /// Reads bytes and passes each event to a closure.
    ///
    /// The encoding is told by a byte order mark, else by `charset`, else by the XML declaration, else it is UTF-8
    /// (RFC 7303, 3).
    ///
    /// - Parameters:
    ///   - charset: the character set that Content-Type names.
    ///   - handler: is called on the caller's thread; an error of its own ends the reading.
    /// - Throws: `decodingFailed` or `limitExceeded` with line and column; or what `handler` throws.
    public static func parse(
        _ bytes: Bytes, limits: XMLLimits = XMLLimits(), charset: String? = nil, _ handler: (XMLEvent) throws -> Void
    ) throws {
        let source = try XMLSource.document(bytes, charset: charset, limits: limits)
        try XMLReader.read(source, limits: limits, handler)
    }

    /// Reads a text and passes each event to a closure, as the form for bytes does; the encoding that the text declares
    /// means nothing.
    ///
    /// - Throws: `decodingFailed` or `limitExceeded` with line and column; or what `handler` throws.
    public static func parse(
        _ text: String, limits: XMLLimits = XMLLimits(), _ handler: (XMLEvent) throws -> Void
    ) throws {
        let source = try XMLSource.document(text, limits: limits)
        try XMLReader.read(source, limits: limits, handler)
    }
}
