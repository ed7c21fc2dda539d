/// Something a request can be addressed with: a string, an `HTTPURL`, Foundation's `URL`.
public protocol URLConvertible: Sendable {
    /// The URL reference, absolute or relative.
    func urlReference() -> String

    /// The URL, resolved against `base` where there is one.
    ///
    /// - Throws: ``HTTPURL/ParseError`` where the reference is no URL, or is relative and `base` is nil.
    func resolve(against base: HTTPURL?) throws(HTTPURL.ParseError) -> HTTPURL
}

extension URLConvertible {
    public func resolve(against base: HTTPURL?) throws(HTTPURL.ParseError) -> HTTPURL {
        HTTPURL(try URLParser.parse(urlReference(), base: base?.storage))
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

    /// The URL itself: it is absolute, so no base changes it.
    public func resolve(against base: HTTPURL?) throws(ParseError) -> HTTPURL { self }
}
