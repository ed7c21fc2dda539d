import SternaCore

/// The canonical name of a host (RFC 6797, 8.2): lower case, ASCII, without trailing dots.
struct HSTSName: Sendable, Hashable {
    let text: String

    /// The maximum length of a DNS name in bytes (RFC 1035, 2.3.4).
    static let longest = 253

    /// Makes the name of a URL's host; nil for an address.
    init?(_ url: HTTPURL) { self.init(url.host, url.hostKind) }

    /// Makes the name of a host in any letter case and script; nil for an address and an invalid host.
    init?(host: String) {
        guard let origin = try? Origin(scheme: .https, host: host) else { return nil }
        self.init(origin.host, origin.hostKind)
    }

    private init?(_ host: String, _ kind: HTTPURL.HostKind) {
        guard kind == .domain else { return nil }
        var bytes = host.utf8[...]
        while bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        guard !bytes.isEmpty else { return nil }
        text = String(Substring(bytes))
        // Without its trailing dots, "127.0.0.1.." would be an address; a single dot may end an address, too.
        guard bytes.count + 1 < host.utf8.count else { return }
        guard let origin = try? Origin(scheme: .https, host: text), origin.hostKind == .domain else { return nil }
    }

    /// Whether a store may remember the host. As in browsers, `localhost` is excluded, since local servers are unrelated to each
    /// other.
    var isLearnable: Bool {
        text.utf8.count <= Self.longest && text != "localhost"
            && !text.utf8.reversed().starts(with: ".localhost".utf8.reversed())
            && !text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).contains { $0.isEmpty }
    }

    /// Returns whether a table has the host, or a parent domain with its subdomains (8.2).
    ///
    /// - Parameter includesSubdomains: returns whether the table's entry for a name includes subdomains; nil if it has none.
    func isCovered(by includesSubdomains: (String) -> Bool?) -> Bool {
        var rest = text.utf8[...]
        var isWhole = true
        while true {
            // Labels are skipped until the name is short enough for the DNS, so that a long host costs no more than others.
            if rest.count <= Self.longest, let includes = includesSubdomains(String(Substring(rest))),
                includes || isWhole
            {
                return true
            }
            guard let dot = rest.firstIndex(of: UInt8(ascii: ".")) else { return false }
            rest = rest[rest.index(after: dot)...]
            isWhole = false
        }
    }

    /// Returns the last two labels: hosts that share them probably have the same owner.
    static func group(of text: String) -> String {
        let labels = text.utf8.split(separator: UInt8(ascii: "."))
        return labels.suffix(2).map { String(Substring($0)) }.joined(separator: ".")
    }
}
