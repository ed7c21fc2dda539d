import SternaCore
import SternaSerialization

/// The content of an ``HSTSStore``'s file.
///
///     {
///       "version": 1,
///       "hosts": [
///         {"host": "example.com", "includeSubDomains": true, "expires": 1798761600000, "updated": 1767225600000},
///         {"host": "example.org", "removed": true, "expires": 1801785600000, "updated": 1767225600000}
///       ]
///     }
///
/// Times are milliseconds since 1970. A removed host stays listed for a while, so that no process with an older state adds it
/// again.
struct HSTSFile: Sendable, Hashable {
    var entries: [String: HSTSState.Entry]

    /// The limits of a file.
    enum Limits {
        static let bytes = 16 << 20
        static let hosts = 65_536
    }

    private static let version = 1

    init(entries: [String: HSTSState.Entry] = [:]) { self.entries = entries }

    /// Reads the content; throws unless ``content()`` could have written it, up to white space and the order of members.
    init(parsing bytes: [UInt8]) throws(FileFault) {
        let root: JSON
        do {
            root = try JSON(
                parsing: bytes, limits: JSON.ParseLimits(depth: 4, bytes: Limits.bytes, values: 8 * Limits.hosts))
        } catch {
            throw FileFault("it is not JSON; remove it")
        }
        guard let file = root.object, Set(file.keys) == ["version", "hosts"], let list = file["hosts"]?.array else {
            throw FileFault("it is not a file of HSTS hosts; use another file, or remove it")
        }
        guard file["version"]?.int == Self.version else {
            throw FileFault("it has another version; use another file, or remove it")
        }
        guard list.count <= Limits.hosts else { throw FileFault("it has more than \(Limits.hosts) hosts") }
        entries = [:]
        entries.reserveCapacity(list.count)
        for (index, item) in list.enumerated() {
            guard let members = item.object, let (host, entry) = Self.entry(members) else {
                throw FileFault("host \(index + 1) is invalid; remove it")
            }
            guard entries.updateValue(entry, forKey: host) == nil else {
                throw FileFault("host \(index + 1) is listed twice; remove one of them")
            }
        }
    }

    private static func entry(_ members: JSON.Object) -> (String, HSTSState.Entry)? {
        guard let text = members["host"]?.string, let name = HSTSName(host: text), name.text == text, name.isLearnable,
            let expires = members["expires"]?.number?.int64, let updated = members["updated"]?.number?.int64,
            expires >= 0, updated >= 0
        else { return nil }
        switch Set(members.keys).subtracting(["host", "expires", "updated"]) {
        case ["includeSubDomains"]:
            guard let includes = members["includeSubDomains"]?.bool else { return nil }
            return (text, .init(expires: expires, includesSubdomains: includes, updated: updated))
        case ["removed"]:
            guard members["removed"]?.bool == true else { return nil }
            return (text, .init(expires: expires, includesSubdomains: false, updated: updated, isRemoved: true))
        default: return nil
        }
    }

    /// Returns the content as JSON in UTF-8, sorted by host; throws if it exceeds the limits.
    func content() throws(FileFault) -> [UInt8] {
        guard entries.count <= Limits.hosts else { throw FileFault("it would have more than \(Limits.hosts) hosts") }
        let list = entries.sorted { $0.key < $1.key }.map { host, entry -> JSON in
            .object(
                .init(pairs: [
                    ("host", .string(host)),
                    entry.isRemoved ? ("removed", .bool(true)) : ("includeSubDomains", .bool(entry.includesSubdomains)),
                    ("expires", .number(.init(entry.expires))), ("updated", .number(.init(entry.updated))),
                ]))
        }
        let root = JSON.object(
            .init(pairs: [("version", .number(.init(Self.version))), ("hosts", .array(list))]))
        guard let bytes = try? root.serialized(), bytes.count <= Limits.bytes else {
            throw FileFault("it would be longer than \(Limits.bytes) bytes")
        }
        return bytes
    }
}
