import SternaCore

/// The name of a host in the one form that it is known by (RFC 6797, 8.2): lower case, ASCII, without dots at its end.
struct HSTSName: Sendable, Hashable {
    let text: String

    /// The longest name of the DNS, in bytes (RFC 1035, 2.3.4).
    static let longest = 253

    /// The host of a URL; nil for an address.
    init?(_ url: HTTPURL) { self.init(url.host, url.hostKind) }

    /// A host as a user writes it, in any case and script; nil for an address and for what is no host.
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
    }

    /// Whether an entry may be made for the host. The servers of this machine are unrelated to each other, so that `localhost` is
    /// left out, as browsers do.
    var isLearnable: Bool {
        text.utf8.count <= Self.longest && text != "localhost"
            && !text.utf8.reversed().starts(with: ".localhost".utf8.reversed())
            && !text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).contains { $0.isEmpty }
    }

    /// Whether a table has the host, or one above it with all those below (8.2).
    ///
    /// - Parameter includesSubdomains: what the table has on a name; nil if it has not.
    func isCovered(by includesSubdomains: (String) -> Bool?) -> Bool {
        var rest = text.utf8[...]
        var isWhole = true
        while true {
            // Labels are skipped until a name of the DNS is left, so that a long host costs no more than others.
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

    /// The last two labels: hosts that share them are likely to be of one owner.
    static func group(of text: String) -> String {
        let labels = text.utf8.split(separator: UInt8(ascii: "."))
        return labels.suffix(2).map { String(Substring($0)) }.joined(separator: ".")
    }
}
