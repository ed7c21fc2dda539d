import HTTPTypes
import SternaCore

/// The canonical request of AWS Signature Version 4, which client and server derive and sign alike.
package struct AWSCanonicalRequest: Sendable {
    /// How a service requires paths in the canonical request.
    enum PathRule: Sendable, Hashable {
        /// Dot segments and empty segments are removed, and the path as sent is percent-encoded once more.
        case normalized
        /// S3: the path is percent-encoded once, and all segments are kept.
        case asIs
    }

    /// The names of the signed fields in order, separated by semicolons.
    let signedFields: String

    /// The lines of the signed fields, each with a line feed.
    private let lines: String

    /// Makes the canonical request of a request's fields, without those that proxies, connections or this library change.
    init(_ fields: HTTPFields, host: String) {
        let signed = Self.signed(fields, host: host)
        signedFields = signed.lazy.map(\.name).joined(separator: ";")
        lines = signed.lazy.map { "\($0.name):\($0.value)\n" }.joined()
    }

    /// Returns the text that is hashed and signed.
    ///
    /// - Parameter payloadHash: the hash of the body in hexadecimal digits, or the constant that replaces it.
    func text(method: String, url: HTTPURL, payloadHash: String, pathRule: PathRule) -> String {
        let (path, query) = (Self.path(url.path, pathRule), Self.query(url.query ?? ""))
        return "\(method)\n\(path)\n\(query)\n\(lines)\n\(signedFields)\n\(payloadHash)"
    }

    // MARK: Fields

    /// Fields that connections, proxies or this library change, and those of the signature itself.
    private static let unsigned: Set<String> = [
        "authorization", "accept-encoding", "connection", "content-length", "expect", "keep-alive",
        "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding",
        "upgrade", "user-agent", "via", "x-amzn-trace-id", "x-forwarded-for",
    ]

    /// Returns the signed fields, sorted by lower-case name: lines of a name are joined by commas, runs of blanks become one space.
    static func signed(_ fields: HTTPFields, host: String) -> [(name: String, value: String)] {
        var signed: [(name: String, value: String)] = []
        signed.reserveCapacity(fields.count + 1)
        for field in fields where !unsigned.contains(field.name.canonicalName) {
            signed.append((field.name.canonicalName, collapsed(field.value)))
        }
        if !signed.contains(where: { $0.name == "host" }) { signed.append(("host", host)) }
        // Lines of a name must keep their order: the standard library's sort is stable. Names are ASCII, so they sort by bytes.
        signed.sort { $0.name < $1.name }
        for index in signed.indices.dropFirst().reversed() where signed[index].name == signed[index - 1].name {
            let line = signed.remove(at: index)
            signed[index - 1].value += ",\(line.value)"
        }
        return signed
    }

    private static func collapsed(_ value: String) -> String {
        var last = UInt8(ascii: " ")
        let isCollapsed = value.utf8.allSatisfy { byte in
            defer { last = byte }
            return byte != 0x09 && (byte != 0x20 || last != 0x20)
        }
        if isCollapsed, last != 0x20 { return value }
        let words = value.utf8.split { $0 == 0x20 || $0 == 0x09 }
        return words.map { String(Substring($0)) }.joined(separator: " ")
    }

    // MARK: URL

    /// Returns the path as it is signed.
    static func path(_ path: String, _ rule: PathRule) -> String {
        switch rule {
        case .asIs: encoded(PercentText.decoded(path.utf8), keepsSlashes: true)
        case .normalized: encoded(normalized(path), keepsSlashes: true)
        }
    }

    /// Removes dot segments and empty segments; a slash at the end stays.
    private static func normalized(_ path: String) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        var kept: [UInt8] = []
        for segment in path.utf8.split(separator: slash) where !segment.elementsEqual(".".utf8) {
            if segment.elementsEqual("..".utf8) {
                kept.removeSubrange((kept.lastIndex(of: slash) ?? 0)...)
            } else {
                kept.append(slash)
                kept += segment
            }
        }
        if kept.isEmpty || path.utf8.last == slash { kept.append(slash) }
        return kept
    }

    /// Returns the canonical query: sorted pairs, each encoded anew. A plus sign is read as a space, as servers do.
    static func query(_ query: String) -> String {
        let pairs = query.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            return (part(pair[..<end]), part(pair[end...].dropFirst()))
        }
        return pairs.sorted(by: <).lazy.map { "\($0)=\($1)" }.joined(separator: "&")
    }

    private static func part(_ text: Substring.UTF8View) -> String {
        if text.allSatisfy(isUnreserved) { return String(Substring(text)) }
        let bytes = PercentText.decoded(text.lazy.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
        return encoded(bytes, keepsSlashes: false)
    }

    /// Percent-encodes all bytes except letters, digits, `-`, `.`, `_` and `~` (RFC 3986, 2.3).
    package static func encoded(_ bytes: [UInt8], keepsSlashes: Bool) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        func append(digit: UInt8) { output.append(digit < 10 ? 0x30 + digit : 0x37 + digit) }
        for byte in bytes {
            if isUnreserved(byte) || keepsSlashes && byte == UInt8(ascii: "/") {
                output.append(byte)
            } else {
                output.append(UInt8(ascii: "%"))
                append(digit: byte >> 4)
                append(digit: byte & 15)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }
}

/// Reads percent-encoded text.
enum PercentText {
    /// Returns the decoded bytes; a percent sign that two hexadecimal digits do not follow is kept.
    static func decoded(_ text: some Sequence<UInt8>) -> [UInt8] {
        let bytes = Array(text)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
                let low = digit(bytes[index + 2])
            {
                output.append(high << 4 | low)
                index += 3
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return output
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x61 + 10
        default: nil
        }
    }
}
