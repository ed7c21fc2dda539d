/// Identifies secrets, and shows URLs, header fields and forms without them.
package enum Redaction {
    /// The replacement of a secret.
    package static let mark = "***"

    /// The URL without user information and fragment, secret-looking query values replaced by `***`.
    package static func show(_ url: HTTPURL) -> String {
        let plain = url.removingFragment()
        guard let query = plain.query, !query.isEmpty else { return plain.description }
        let text = plain.description
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return text }
        return text[...mark] + (masked(pairs: query[...]) ?? query)
    }

    /// The text of a URL for a message, cut after `limit` characters, since a server may have chosen it.
    package static func brief(_ url: String, limit: Int = 500) -> String {
        url.utf8.count > limit ? "\(url.prefix(limit))…" : url
    }

    /// A URL reference, valid or not, without the parts that ``show(_:)`` leaves out.
    package static func show(reference: String) -> String {
        if let url = try? HTTPURL(reference) { return show(url) }
        // In text that is not a URL, the end of user information is unknown.
        if let slashes = firstDoubleSlash(in: reference.utf8), reference.utf8[slashes...].contains(UInt8(ascii: "@")) {
            return mark
        }
        let plain = reference.utf8.prefix { $0 != UInt8(ascii: "#") }
        let path = plain.prefix { $0 != UInt8(ascii: "?") }
        guard path.endIndex < plain.endIndex else { return String(Substring(path)) }
        let query = Substring(plain[plain.index(after: path.endIndex)...])
        return "\(Substring(path))?\(masked(pairs: query) ?? String(query))"
    }

    /// A request target in origin form without the values of secret names in its query.
    package static func show(target: String) -> String {
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")),
            let shown = masked(pairs: target[target.utf8.index(after: mark)...])
        else { return target }
        return target[...mark] + shown
    }

    /// The pairs of a query or form with `***` for the values of secret names; nil if there are none.
    ///
    /// Pairs are separated by `&`, or by `;` as some servers read them.
    package static func masked(pairs text: Substring) -> String? {
        var hides = false
        let shown = text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { field in
            var kept: [Substring] = []
            for pair in field.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")), isSecret(Substring(pair[..<equals])) else {
                    kept.append(Substring(pair))
                    continue
                }
                hides = true
                kept.append(Substring(pair[...equals]) + mark)
                // Servers that do not split at semicolons read the rest as part of the secret.
                break
            }
            return kept.joined(separator: ";")
        }
        return hides ? shown.joined(separator: "&") : nil
    }

    /// The printable value of a header field: `***` if its name is secret, or marked as secret.
    ///
    /// - Parameter marked: names of secret fields in lower case.
    package static func shown(_ name: String, _ value: String, marked: Set<String> = []) -> String {
        if isSecretHeader(name) || !marked.isEmpty && marked.contains(name.lowercased()) { return mark }
        switch name.lowercased() {
        case "location", "content-location", "referer": return show(reference: value)
        // These fields may contain several references and other text.
        case "link", "refresh": return hasSecretPair(value) ? mark : value
        default: return value
        }
    }

    private static func hasSecretPair(_ text: String) -> Bool {
        text.utf8.split { "?&;#".utf8.contains($0) }.contains { pair in
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return false }
            return isSecret(Substring(pair[..<equals]))
        }
    }

    /// The index after `//`, which precedes an authority; backslashes count as slashes, as in http URLs.
    private static func firstDoubleSlash(in text: String.UTF8View) -> String.Index? {
        var slashes = 0
        for index in text.indices {
            let isSlash = text[index] == UInt8(ascii: "/") || text[index] == UInt8(ascii: "\\")
            slashes = isSlash ? slashes + 1 : 0
            if slashes == 2 { return text.index(after: index) }
        }
        return nil
    }
}

/// A URL whose text has no secrets. The text is made on demand, since few programs read it for each request.
struct ShownURL: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    private let url: HTTPURL

    init(_ url: HTTPURL) { self.url = url }

    var description: String { Redaction.show(url) }

    /// The host, without the brackets of an address, and the port.
    var server: (host: String, port: Int) { (url.hostWithoutBrackets, url.effectivePort) }

    var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
