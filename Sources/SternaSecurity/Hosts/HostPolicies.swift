package import SternaCore

/// Policies of hosts, for sessions that talk to several.
///
///     settings.hostPolicies = ["api.example.com": pinned, "*.example.com": .system]
///
/// A name is a host's own, or begins with `*.` for all hosts one label below, or with `**.` for all below and the name itself.
/// The most exact name counts: a host's own before `*.`, before `**.`, a longer one before a shorter one.
public struct HostPolicies: Sendable, Hashable {
    /// Whether a host without a policy is refused instead of being judged by the session's own.
    public var everyHostNeedsOne = false

    private struct Tables: Hashable {
        var exact: [String: SecurityPolicy] = [:]
        var oneLabel: [String: SecurityPolicy] = [:]
        var below: [String: SecurityPolicy] = [:]

        /// Names that are no hosts'; they would never match.
        var unusable: Set<String> = []

        var isEmpty: Bool { exact.isEmpty && oneLabel.isEmpty && below.isEmpty && unusable.isEmpty }
    }

    private final class Box: Sendable, Hashable {
        let tables: Tables

        init(_ tables: Tables) { self.tables = tables }

        static func == (one: Box, other: Box) -> Bool { one.tables == other.tables }
        func hash(into hasher: inout Hasher) { hasher.combine(tables) }
    }

    // Nil where there are none, as in most programs, which then need not know what a dictionary of policies is.
    private var box: Box?

    private var tables: Tables {
        get { box?.tables ?? Tables() }
        set { box = newValue.isEmpty ? nil : Box(newValue) }
    }

    /// Makes an empty table.
    public init() {}

    /// Whether there are no policies.
    public var isEmpty: Bool { box == nil }

    /// The policies, for checks of each.
    package var all: [SecurityPolicy] {
        guard let tables = box?.tables else { return [] }
        return Array(tables.exact.values) + Array(tables.oneLabel.values) + Array(tables.below.values)
    }

    /// The policy of a name as it was set, or sets it; nil removes it. A name that is no host's is an error when the session is
    /// made, as it would match nothing.
    public subscript(name: String) -> SecurityPolicy? {
        get {
            guard let (table, key) = Self.place(of: name) else { return nil }
            return tables[keyPath: table][key]
        }
        set {
            guard let (table, key) = Self.place(of: name) else {
                if newValue == nil { tables.unusable.remove(name) } else { tables.unusable.insert(name) }
                return
            }
            tables[keyPath: table][key] = newValue
        }
    }

    /// Throws `invalidRequest` for names that are no hosts'.
    package func check() throws(SternaError) {
        guard let name = box?.tables.unusable.min() else { return }
        throw SternaError(
            .invalidRequest, phase: .prepare,
            "“\(FieldSyntax.printable(name, limit: 100))” is no host: a policy is for api.example.com, *.example.com, "
                + "**.example.com or an address, without scheme, port and path.")
    }

    /// The policy that a host is judged by; nil where none is for it.
    public func policy(for host: String) -> SecurityPolicy? {
        guard let tables = box?.tables else { return nil }
        let host = Self.normalized(host[...])
        if let policy = tables.exact[host] { return policy }
        guard !tables.oneLabel.isEmpty || !tables.below.isEmpty, ServerIdentity.address(host) == nil else { return nil }
        if let dot = host.firstIndex(of: "."), let policy = tables.oneLabel[String(host[host.index(after: dot)...])] {
            return policy
        }
        var rest = host[...]
        while !rest.isEmpty {
            if let policy = tables.below[String(rest)] { return policy }
            guard let dot = rest.firstIndex(of: ".") else { break }
            rest = rest[rest.index(after: dot)...]
        }
        return nil
    }

    /// The policy that holds for a host beside a session's own; one that refuses everybody where each host needs one.
    package func policy(for host: String, otherwise policy: SecurityPolicy) -> SecurityPolicy {
        if let own = self.policy(for: host) { return own }
        return everyHostNeedsOne ? .refused : policy
    }

    private static func place(of name: String) -> (WritableKeyPath<Tables, [String: SecurityPolicy]>, String)? {
        let stars = name.hasPrefix("**.") ? 3 : name.hasPrefix("*.") ? 2 : 0
        // As a URL has it: in A-labels, addresses in their one form; a scheme, a port or a path is in no host.
        guard let origin = try? Origin(scheme: .https, host: String(name.dropFirst(stars))) else { return nil }
        let host = normalized(origin.host[...])
        guard !host.isEmpty, !host.contains("*") else { return nil }
        guard stars > 0 else { return (\.exact, host) }
        // A wildcard for a whole top-level domain is a mistake, and one over an address says nothing.
        guard origin.hostKind == .domain, host.contains(".") else { return nil }
        return (stars == 3 ? \.below : \.oneLabel, host)
    }

    // As URLs have them: in lower case, without the last dot and without brackets.
    private static func normalized(_ name: Substring) -> String {
        var name = name.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        return name
    }
}

extension HostPolicies: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, SecurityPolicy)...) {
        for (name, policy) in elements { self[name] = policy }
    }
}
