/// Converts host names with characters outside ASCII to ASCII, instead of the library's IDNA.
///
/// Hosts are encoded by UTS #46 as the WHATWG URL Standard requires, unless an encoder is passed to
/// ``HTTPURL/init(_:relativeTo:hostEncoder:)``.
package protocol HostEncoder: Sendable {
    /// Returns the ASCII form of a host name.
    ///
    /// The result is checked as a host again: it must be ASCII and free of forbidden code points.
    ///
    /// - Parameter host: at most 1,024 bytes of UTF-8, already percent-decoded, of any code points.
    /// - Throws: any error if the name has no ASCII form; the URL is then refused.
    func encode(_ host: String) throws -> String
}

/// Refuses every host outside ASCII.
package struct ASCIIHostEncoder: HostEncoder {
    package init() {}

    /// Returns the host itself if it is ASCII.
    ///
    /// - Throws: ``HTTPURL/ParseError/hostNotEncodable`` if it is not.
    package func encode(_ host: String) throws -> String {
        guard host.utf8.allSatisfy({ $0 < 0x80 }) else { throw HTTPURL.ParseError.hostNotEncodable }
        return host
    }
}
