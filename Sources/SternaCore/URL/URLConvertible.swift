/// The URL of a request: a string, an `HTTPURL` or Foundation's `URL`.
public protocol URLConvertible: Sendable {
    /// Returns the URL reference, absolute or relative.
    func urlReference() -> String
}

extension URLConvertible {
    /// Returns the URL, resolved against `base` if given.
    ///
    /// - Throws: ``HTTPURL/ParseError`` if the reference is not a URL, is relative and `base` is nil, or has an empty host, as in
    ///   `http:///path` (RFC 9110, 4.2.1).
    package func resolve(against base: HTTPURL?) throws(HTTPURL.ParseError) -> HTTPURL {
        // An `HTTPURL` is absolute, so no base changes it. Types are compared first, since a cast that fails costs more.
        if Self.self == HTTPURL.self, let url = self as? HTTPURL { return url }
        return try HTTPURL(withHost: urlReference(), relativeTo: base, allowsZone: true)
    }
}

extension String: URLConvertible {
    public func urlReference() -> String { self }
}

extension Substring: URLConvertible {
    public func urlReference() -> String { String(self) }
}

extension HTTPURL: URLConvertible {
    public func urlReference() -> String { href }
}
