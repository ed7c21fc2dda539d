import SternaPlatform

/// The hosts for which a certificate is valid, by its subject alternative names (RFC 9525); the common name is ignored.
struct ServerIdentity: Sendable, Hashable {
    /// The DNS names, as in the certificate.
    var dnsNames: [String] = []

    /// The addresses: four or sixteen bytes each.
    var addresses: [[UInt8]] = []

    /// Returns whether the certificate covers a host: only an address covers an address, and only a name covers a name.
    func covers(_ host: String) -> Bool {
        if let address = Self.address(host) { return addresses.contains(address) }
        guard let labels = Self.labels(host, allowsWildcard: false) else { return false }
        return dnsNames.contains { name in
            guard let pattern = Self.labels(name, allowsWildcard: true), pattern.count == labels.count else {
                return false
            }
            guard pattern[0] == "*" else { return pattern == labels }
            // A wildcard matches the whole leftmost label, and never a name directly under a top-level domain.
            return pattern.count >= 3 && pattern.dropFirst() == labels.dropFirst()
        }
    }

    /// Returns the bytes of an IPv4 or IPv6 address, brackets allowed; nil if the text is not an address.
    static func address(_ host: String) -> [UInt8]? {
        var text = host
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        if isBracketed { text = String(text.dropFirst().dropLast()) }
        guard !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        if !isBracketed, inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: &four) { Array($0) } }
        var sixteen = in6_addr()
        if inet_pton(AF_INET6, text, &sixteen) == 1 { return withUnsafeBytes(of: &sixteen) { Array($0) } }
        return nil
    }

    /// Returns whether a text is a host name for the TLS handshake: not an address, and without a trailing dot.
    static func isName(_ text: String) -> Bool {
        address(text) == nil && !text.hasSuffix(".") && labels(text, allowsWildcard: false) != nil
    }

    /// Returns the labels of a name in lower case without the trailing dot; nil if it is not a host name.
    static func labels(_ name: String, allowsWildcard: Bool) -> [String]? {
        var bytes = Array(name.utf8)
        // Only requested hosts may end in a dot; in a certificate, the dot would exempt a name from its issuer's constraints.
        if bytes.last == UInt8(ascii: "."), !allowsWildcard { bytes.removeLast() }
        guard !bytes.isEmpty, bytes.count <= 253 else { return nil }
        var labels: [String] = []
        for (index, label) in bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).enumerated() {
            guard !label.isEmpty, label.count <= 63 else { return nil }
            if allowsWildcard, index == 0, Array(label) == [UInt8(ascii: "*")] {
                labels.append("*")
                continue
            }
            guard label.allSatisfy(isNameByte) else { return nil }
            if allowsWildcard, label.first == UInt8(ascii: "-") || label.last == UInt8(ascii: "-") { return nil }
            labels.append(String(decoding: label, as: UTF8.self).lowercased())
        }
        return labels
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
