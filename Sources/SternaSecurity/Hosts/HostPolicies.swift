import SternaCore

/// Policies of hosts, for sessions that talk to several.
///
///     settings.hostPolicies = ["api.example.com": pinned, "*.example.com": .system]
///
/// A name is a host's own, or begins with `*.` for all hosts one label below, or with `**.` for all below and the name itself.
/// The most exact name counts: a host's own before `*.`, before `**.`, a longer one before a shorter one.
public struct HostPolicies: Sendable, Hashable {
    /// Whether a host without a policy is refused instead of being judged by the session's own.
    public var everyHostNeedsOne = false

    private var exact: [String: SecurityPolicy] = [:]
    private var oneLabel: [String: SecurityPolicy] = [:]
    private var below: [String: SecurityPolicy] = [:]

    /// Makes an empty table.
    public init() {}

    /// Whether there are no policies.
    public var isEmpty: Bool { exact.isEmpty && oneLabel.isEmpty && below.isEmpty }

    /// The policies, for checks of each.
    package var all: [SecurityPolicy] { Array(exact.values) + Array(oneLabel.values) + Array(below.values) }

    /// The policy of a name as it was set, or sets it; nil removes it.
    public subscript(name: String) -> SecurityPolicy? {
        get {
            let (table, key) = Self.place(of: name)
            return self[keyPath: table][key]
        }
        set {
            let (table, key) = Self.place(of: name)
            self[keyPath: table][key] = newValue
        }
    }

    /// The policy that a host is judged by; nil where none is for it.
    public func policy(for host: String) -> SecurityPolicy? {
        let host = Self.normalized(host[...])
        if let policy = exact[host] { return policy }
        guard !oneLabel.isEmpty || !below.isEmpty, ServerIdentity.address(host) == nil else { return nil }
        if let dot = host.firstIndex(of: "."), let policy = oneLabel[String(host[host.index(after: dot)...])] {
            return policy
        }
        var rest = host[...]
        while !rest.isEmpty {
            if let policy = below[String(rest)] { return policy }
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

    private static func place(of name: String) -> (WritableKeyPath<HostPolicies, [String: SecurityPolicy]>, String) {
        if name.hasPrefix("**.") { return (\.below, normalized(name.dropFirst(3))) }
        if name.hasPrefix("*.") { return (\.oneLabel, normalized(name.dropFirst(2))) }
        return (\.exact, normalized(name[...]))
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
