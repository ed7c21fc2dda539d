package import SternaCore

/// Security policies by host, for sessions that connect to several hosts.
///
///     settings.trust.hosts = ["api.example.com": pinned, "*.example.com": .system]
///
/// A key is the name of a host, or a pattern: `*.` before a name matches all hosts one label below it, `**.` matches all hosts
/// below it and the name itself. The most specific key applies: a host's name before `*.`, `*.` before `**.`, and a longer one
/// before a shorter one.
public struct HostPolicies: Sendable, Hashable {
    /// Whether hosts without a policy are refused instead of evaluated by the session's own policy; false by default.
    public var everyHostNeedsOne = false

    private struct Tables: Hashable {
        var exact: [String: SecurityPolicy] = [:]
        var oneLabel: [String: SecurityPolicy] = [:]
        var below: [String: SecurityPolicy] = [:]

        /// Invalid names, which would never match.
        var unusable: Set<String> = []

        var isEmpty: Bool { exact.isEmpty && oneLabel.isEmpty && below.isEmpty && unusable.isEmpty }
    }

    private final class Box: Sendable, Hashable {
        let tables: Tables

        init(_ tables: Tables) { self.tables = tables }

        static func == (one: Box, other: Box) -> Bool { one.tables == other.tables }
        func hash(into hasher: inout Hasher) { hasher.combine(tables) }
    }

    // Nil without policies, so that most programs never initialize the dictionary's type.
    private var box: Box?

    private var tables: Tables {
        get { box?.tables ?? Tables() }
        set { box = newValue.isEmpty ? nil : Box(newValue) }
    }

    /// Makes an empty table.
    package init() {}

    /// Whether the table has no policies.
    public var isEmpty: Bool { box == nil }

    /// The policies, for individual checks.
    package var all: [SecurityPolicy] {
        guard let tables = box?.tables else { return [] }
        return Array(tables.exact.values) + Array(tables.oneLabel.values) + Array(tables.below.values)
    }

    /// Removes the identities of all policies.
    package mutating func removeIdentities() {
        guard !isEmpty else { return }
        var tables = tables
        for table in [\Tables.exact, \Tables.oneLabel, \Tables.below] {
            for name in tables[keyPath: table].keys { tables[keyPath: table][name]?.removeIdentity() }
        }
        self.tables = tables
    }

    /// The policy of a name; setting nil removes it. An invalid name is an error when the session is made, since it would never
    /// match.
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

    /// Throws `invalidRequest` for invalid names.
    package func check() throws(SternaError) {
        guard let name = box?.tables.unusable.min() else { return }
        throw SternaError(
            .invalidRequest, phase: .prepare,
            "“\(FieldSyntax.printable(name, limit: 100))” is not a host: a policy is for api.example.com, *.example.com, "
                + "**.example.com or an address, without scheme, port and path.")
    }

    /// Returns the policy for a host; nil if there is none.
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

    /// Returns the policy for a host, or else the session's own; a policy that refuses all servers if every host needs a policy and
    /// this one has none.
    package func policy(for host: String, otherwise policy: SecurityPolicy) -> SecurityPolicy {
        if let own = self.policy(for: host) { return own }
        return everyHostNeedsOne ? .refused : policy
    }

    private static func place(of name: String) -> (WritableKeyPath<Tables, [String: SecurityPolicy]>, String)? {
        let stars = name.hasPrefix("**.") ? 3 : name.hasPrefix("*.") ? 2 : 0
        // Normalized as in a URL: A-labels, and the canonical form of addresses; a host has no scheme, port or path.
        guard let origin = try? Origin(scheme: .https, host: String(name.dropFirst(stars))) else { return nil }
        let host = normalized(origin.host[...])
        guard !host.isEmpty, !host.contains("*") else { return nil }
        guard stars > 0 else { return (\.exact, host) }
        // A wildcard for a whole top-level domain is a mistake, and one for an address is meaningless.
        guard origin.hostKind == .domain, host.contains(".") else { return nil }
        return (stars == 3 ? \.below : \.oneLabel, host)
    }

    // Lower case, without the trailing dot and without brackets.
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
