package import HTTPTypes
package import SternaCore

/// A request in the one form that client and server sign.
package struct AWSCanonicalRequest: Sendable, Hashable {
    /// How a service wants paths written.
    package enum PathRule: Sendable, Hashable {
        /// Dot segments and empty ones are removed, and the path as sent is percent-encoded once more.
        case normalized
        /// S3: the path is percent-encoded once, and every segment of it counts.
        case asIs
    }

    /// The text that is hashed and signed.
    package let text: String

    /// The names of the signed fields in order, separated by semicolons.
    package let signedFields: String

    /// Makes the canonical form.
    ///
    /// - Parameters:
    ///   - fields: all fields of the request; those that proxies and connections change are not signed.
    ///   - payloadHash: the hash of the body, or a word that stands for it.
    package init(
        method: String, url: HTTPURL, fields: HTTPFields, payloadHash: String, pathRule: PathRule
    ) {
        let signed = Self.signed(fields, host: url.hostField)
        signedFields = signed.map(\.name).joined(separator: ";")
        var text = "\(method)\n\(Self.path(url.path, pathRule))\n\(Self.query(url.query ?? ""))\n"
        for field in signed { text += "\(field.name):\(field.value)\n" }
        self.text = "\(text)\n\(signedFields)\n\(payloadHash)"
    }

    // MARK: Fields

    /// Fields that connections, proxies or this library change, and those of the signature itself.
    private static let unsigned: Set<String> = [
        "authorization", "accept-encoding", "connection", "content-length", "expect", "keep-alive",
        "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding",
        "upgrade", "user-agent", "via", "x-amzn-trace-id", "x-forwarded-for",
    ]

    /// Returns the fields that are signed, by name: in lower case, lines of a name joined, runs of blanks as one space.
    static func signed(_ fields: HTTPFields, host: String) -> [(name: String, value: String)] {
        var values: [String: [String]] = [:]
        for field in fields where !unsigned.contains(field.name.canonicalName) {
            values[field.name.canonicalName, default: []].append(collapsed(field.value))
        }
        if values["host"] == nil { values["host"] = [host] }
        return values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { ($0.key, $0.value.joined(separator: ",")) }
    }

    private static func collapsed(_ value: String) -> String {
        let words = value.utf8.split { $0 == 0x20 || $0 == 0x09 }
        return words.map { String(Substring($0)) }.joined(separator: " ")
    }

    // MARK: URL

    /// Returns the path as it is signed.
    static func path(_ path: String, _ rule: PathRule) -> String {
        switch rule {
        case .asIs: encoded(PercentText.decoded(path.utf8), keepsSlashes: true)
        case .normalized: encoded(Array(normalized(path).utf8), keepsSlashes: true)
        }
    }

    /// Removes dot segments and empty segments; a slash at the end stays.
    static func normalized(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        for segment in segments where !segment.isEmpty && segment != "." {
            if segment == ".." { _ = kept.popLast() } else { kept.append(segment) }
        }
        let isFolder = path.utf8.last == UInt8(ascii: "/") && !kept.isEmpty
        return "/" + kept.joined(separator: "/") + (isFolder ? "/" : "")
    }

    /// Returns the query as it is signed: pairs in order, each encoded anew. A plus sign stands for a space, as servers read it.
    static func query(_ query: String) -> String {
        let pairs = query.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let (name, value) = (parts.first ?? pair, parts.dropFirst().first)
            return (name: part(name), value: value.map(part) ?? "")
        }
        return pairs.sorted {
            $0.name == $1.name
                ? $0.value.utf8.lexicographicallyPrecedes($1.value.utf8)
                : $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    private static func part(_ text: Substring.UTF8View) -> String {
        encoded(
            PercentText.decoded(text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }), keepsSlashes: false)
    }

    /// Returns bytes percent-encoded but for letters, digits, `-`, `.`, `_` and `~` (RFC 3986, 2.3).
    package static func encoded(_ bytes: [UInt8], keepsSlashes: Bool) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        for byte in bytes {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: output.append(byte)
            case 0x2F where keepsSlashes: output.append(byte)
            default:
                output.append(UInt8(ascii: "%"))
                for digit in [byte >> 4, byte & 15] { output.append(digit < 10 ? 0x30 + digit : 0x37 + digit) }
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}

/// Reads percent-encoded text.
enum PercentText {
    /// Returns the decoded bytes; a percent sign without two hexadecimal digits after it stays.
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
