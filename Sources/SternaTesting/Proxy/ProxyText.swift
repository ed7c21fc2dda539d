import SternaPlatform

/// The syntax that a proxy parses and writes.
enum ProxyText {
    /// Parses a request's head; `nil` if it is not one.
    static func request(_ bytes: some Sequence<UInt8>, connection: Int) -> TestProxy.Request? {
        var lines = String(decoding: Array(bytes), as: UTF8.self).split(separator: "\r\n").map(String.init)
        guard !lines.isEmpty else { return nil }
        let words = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 3, words[2].hasPrefix("HTTP/") else { return nil }
        var headers = ServerHeaders()
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            headers.add(String(line[..<colon]), ASCIIText.trimmed(line[line.index(after: colon)...]))
        }
        return TestProxy.Request(
            method: words[0], target: words[1], version: words[2], headers: headers, connection: connection)
    }

    /// Parses the host, without brackets, and the port of an authority; `nil` if it is not one.
    static func authority(_ text: some StringProtocol, defaultPort: Int? = nil) -> (host: String, port: Int)? {
        var host = text[...]
        var port = defaultPort
        if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") {
            guard let number = UInt16(text[text.index(after: colon)...]) else { return nil }
            host = text[..<colon]
            port = Int(number)
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, let port else { return nil }
        return (String(host), port)
    }

    /// Splits an absolute URL into its authority and its target in origin form; `nil` for schemes other than http.
    static func absolute(_ target: String) -> (authority: String, origin: String)? {
        let scheme = "http://"
        guard ASCIIText.equalIgnoringCase(target.prefix(scheme.count), scheme) else { return nil }
        let rest = target.dropFirst(scheme.count)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let path = rest[end...]
        return (String(rest[..<end]), path.hasPrefix("/") ? String(path) : "/\(path)")
    }

    static func basicCredentials(_ field: String) -> TestProxy.Credentials? {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, ASCIIText.equalIgnoringCase(parts[0], "basic"),
            let data = Data(base64Encoded: ASCIIText.trimmed(parts[1]))
        else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        guard let colon = text.firstIndex(of: ":") else { return nil }
        return TestProxy.Credentials(String(text[..<colon]), String(text[text.index(after: colon)...]))
    }

    /// Percent-encodes everything but unreserved characters (RFC 3986, 2.3).
    static func percentEncoded(_ text: String) -> String {
        var out = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                out.unicodeScalars.append(UnicodeScalar(byte))
            default: out += "%" + ASCIIText.hex([byte]).uppercased()
            }
        }
        return out
    }
}
