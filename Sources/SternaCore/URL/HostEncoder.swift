/// Makes an ASCII host name of one that has characters outside ASCII, in the place of the library's own IDNA.
///
/// URLs have such hosts encoded by UTS #46 as the WHATWG URL Standard says, unless an encoder is passed to
/// ``HTTPURL/init(_:relativeTo:hostEncoder:)``.
package protocol HostEncoder: Sendable {
    /// The ASCII form of a host name.
    ///
    /// What it returns is checked as a host again: it must be ASCII and free of forbidden code points.
    ///
    /// - Parameter host: at most 1,024 bytes of UTF-8, percent-decoded already, of any code points.
    /// - Throws: any error where the name has no ASCII form; the URL is refused then.
    func encode(_ host: String) throws -> String
}

/// Refuses every host outside ASCII.
package struct ASCIIHostEncoder: HostEncoder {
    package init() {}

    /// The host itself where it is ASCII.
    ///
    /// - Throws: ``HTTPURL/ParseError/hostNotEncodable`` where it is not.
    package func encode(_ host: String) throws -> String {
        guard host.utf8.allSatisfy({ $0 < 0x80 }) else { throw HTTPURL.ParseError.hostNotEncodable }
        return host
    }
}
