import SternaCore
import SternaSerialization

/// A list of hosts that are reached only over TLS, from the first request on (RFC 6797, 12.3).
///
/// It has one of two forms. Either one host per line, as in curl's files, with a leading dot to include subdomains; lines that
/// begin with `#` are comments. Or Chromium's `transport_security_state_static.json`, in which lines may begin with `//`.
struct HSTSPreload: Sendable, Hashable {
    /// Maps hosts to whether their subdomains are included.
    private(set) var hosts: [String: Bool] = [:]

    /// The limits of a list.
    enum Limits {
        static let bytes = 64 << 20
        static let hosts = 1_000_000
    }

    /// Makes an empty list.
    init() {}

    /// Reads a list; throws if a line or an entry is invalid, so that no host is lost silently.
    init(parsing bytes: [UInt8]) throws(FileFault) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Self.trimmed)
        let isJSON = lines.first { !$0.isEmpty && !$0.starts(with: "//".utf8) }?.first == UInt8(ascii: "{")
        if isJSON {
            try readJSON(lines)
        } else {
            for (index, line) in lines.enumerated() where !line.isEmpty && line.first != UInt8(ascii: "#") {
                guard let (host, includes) = Self.entry(line), insert(host, includes) else {
                    throw FileFault("line \(index + 1) is not a valid host")
                }
            }
        }
    }

    /// Returns whether a host must be reached over TLS.
    func requiresTLS(_ name: HSTSName) -> Bool { name.isCovered { hosts[$0] } }

    private mutating func insert(_ host: String, _ includesSubdomains: Bool) -> Bool {
        guard hosts.count < Limits.hosts, let name = HSTSName(host: host), name.text.utf8.count <= HSTSName.longest
        else {
            return false
        }
        hosts[name.text] = includesSubdomains || hosts[name.text] == true
        return true
    }

    /// Reads `host` or `.host`, which `"unlimited"` may follow. curl's entries with an expiry are rejected, since the list does not
    /// expire.
    private static func entry(_ line: ArraySlice<UInt8>) -> (String, Bool)? {
        let words = line.split { $0 == 0x20 || $0 == 0x09 }
        guard let first = words.first,
            words.count == 1 || words.count == 2 && words[1].elementsEqual("\"unlimited\"".utf8)
        else { return nil }
        let includes = first.first == UInt8(ascii: ".")
        guard let host = String(validating: includes ? first.dropFirst() : first, as: UTF8.self) else { return nil }
        return (host, includes)
    }

    private mutating func readJSON(_ lines: [ArraySlice<UInt8>]) throws(FileFault) {
        let text = Array(lines.filter { !$0.starts(with: "//".utf8) }.joined(separator: [UInt8(ascii: "\n")]))
        let root: JSON
        do {
            root = try JSON(
                parsing: text, limits: JSON.ParseLimits(depth: 16, bytes: Limits.bytes, values: 16 * Limits.hosts))
        } catch {
            throw FileFault("it is neither a list of hosts nor JSON")
        }
        guard let entries = root["entries"].array else { throw FileFault("it has no “entries”") }
        for (index, entry) in entries.enumerated() where entry["mode"].string == "force-https" {
            guard let host = entry["name"].string, insert(host, entry["include_subdomains"].bool ?? false) else {
                throw FileFault("entry \(index + 1) is not a valid host")
            }
        }
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
        var line = line.drop(while: isBlank)
        while let last = line.last, isBlank(last) { line.removeLast() }
        return line
    }
}
