public import SternaPlatform

extension URL: URLConvertible {
    /// Foundation's `absoluteString`.
    public func urlReference() -> String { absoluteString }
}

extension HTTPURL {
    /// Parses the text of Foundation's URL anew: Foundation follows RFC 3986, which accepts other texts.
    ///
    /// - Throws: ``ParseError``, as ``init(_:)-(String)`` does.
    public init(_ url: URL) throws(ParseError) {
        try self.init(url.absoluteString)
    }

    /// The URL as Foundation's, **user information included**; nil if Foundation refuses it.
    public var foundationURL: URL? { URL(string: href) }
}
