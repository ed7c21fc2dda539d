import HTTPTypes
import SternaCore

/// The identity that a stored response belongs to: a keyed hash that is opaque to the rules.
struct CachePartition: Sendable, Hashable {
    /// The hash; empty for responses that all identities share.
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The partition of responses that are marked `public`.
    static let everyone = CachePartition([])
}

/// The key of the requests that the same stored responses may satisfy (RFC 9111, 2): method, URL and identity.
struct CacheRequestKey: Sendable, Hashable {
    /// The method, a space and the normalised URL, without user information and fragment.
    let text: String
    let partition: CachePartition

    /// Makes the key of a request. HEAD has the key of GET, whose responses satisfy it, too.
    init(_ method: HTTPRequest.Method, _ url: HTTPURL, partition: CachePartition) {
        let method = method == .head ? HTTPRequest.Method.get : method
        text = "\(method.rawValue) \(Self.text(of: url))"
        self.partition = partition
    }

    /// The bytes of a URL's key.
    static func bytes(of url: HTTPURL) -> String.UTF8View { text(of: url).utf8 }

    /// Returns the key of a URL's responses.
    ///
    /// - Parameter suffix: further parts of the key; see ``CacheSpace``.
    static func key(of url: HTTPURL, _ suffix: [UInt8]) -> CacheKey {
        guard !suffix.isEmpty else { return CacheKey(of: bytes(of: url)) }
        // A URL has no line feed, so the suffix cannot be taken for a part of it.
        return CacheKey(of: Array(bytes(of: url)) + [0x0A] + suffix)
    }

    /// Returns a URL normalised for comparison.
    ///
    /// The URL parser has normalised scheme, host, port and path segments. Here unreserved characters are decoded, and the
    /// hexadecimal digits of other characters made upper-case (RFC 3986, 6.2.2).
    static func text(of url: HTTPURL) -> String {
        var text = ""
        text.reserveCapacity(8 + url.authority.utf8.count + url.requestTarget.utf8.count)
        text += url.scheme.rawValue
        text += "://"
        text += url.authority
        guard url.requestTarget.utf8.contains(UInt8(ascii: "%")) else { return text + url.requestTarget }
        let bytes = Array(url.requestTarget.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
                let low = digit(bytes[index + 2])
            {
                let value = high << 4 | low
                if isUnreserved(value) {
                    result.append(value)
                } else {
                    result += [bytes[index], hex(high), hex(low)]
                }
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return text + String(decoding: result, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    private static func hex(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
