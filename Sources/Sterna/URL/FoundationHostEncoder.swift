#if Foundation
import Foundation
public import SternaCore

/// Encodes hosts outside ASCII by Foundation's IDNA (UTS 46, nontransitional).
///
/// It is a little stricter than the URL Standard: labels that begin or end with a hyphen, empty labels, and names and
/// labels too long for DNS are refused.
public struct FoundationHostEncoder: HostEncoder {
    public init() {}

    /// The name with `xn--` labels.
    ///
    /// - Throws: ``HTTPURL/ParseError/hostNotEncodable`` where Foundation has no ASCII form of it.
    public func encode(_ host: String) throws -> String {
        var components = URLComponents()
        components.host = host
        // Where IDNA fails, Foundation percent-encodes instead, which is no host name.
        guard let encoded = components.encodedHost, !encoded.isEmpty, !encoded.utf8.contains(UInt8(ascii: "%")),
            encoded.utf8.allSatisfy({ $0 < 0x80 })
        else { throw HTTPURL.ParseError.hostNotEncodable }
        return encoded
    }
}
#endif
