import HTTPTypes
import SternaCore
import SternaSecurity
import Synchronization

/// What stored responses have in common besides their URL: how the server was reached and trusted, and the `Host` that it was asked for.
///
/// A response that a lenient policy has let through must not answer a request that demands more, nor one server's response a request for
/// another one. Most sessions have nothing of this, and share what is stored.
struct CacheSpace: Sendable {
    private let unixSocket: String?
    private let policy: SecurityPolicy
    private let hostPolicies: HostPolicies

    /// Whether https is trusted by the system's rules for all hosts, and no socket is named.
    private let isPlain: Bool

    private static let host = HTTPField.Name("Host")

    init(_ settings: SessionSettings) {
        unixSocket = settings.unixSocket
        (policy, hostPolicies) = (settings.securityPolicy, settings.hostPolicies)
        isPlain =
            settings.unixSocket == nil && settings.hostPolicies.isEmpty && !policy.asksUserCode
            && policy.requirements.isEmpty
    }

    /// Returns what the key of a request has besides its URL; empty for most.
    func suffix(for request: Request) -> [UInt8] {
        let host = Self.host.flatMap { request.headers[$0] }
        if isPlain, host == nil { return [] }
        var parts = IdentityParts()
        if let host, !host.utf8.elementsEqual(request.url.hostField.utf8) { parts.add(.field, host.lowercased().utf8) }
        if let unixSocket { parts.add(.label, unixSocket.utf8) }
        if request.url.scheme.isSecure {
            let policy = hostPolicies.policy(for: request.url.hostWithoutBrackets) ?? policy
            parts.add(policy)
        }
        return parts.bytes
    }

    /// Names for policies with closures, which no other process has.
    fileprivate static let closures = Mutex<[SecurityPolicy: UInt64]>([:])
}

extension IdentityParts {
    /// Adds what a policy requires; nothing for the system's rules.
    fileprivate mutating func add(_ policy: SecurityPolicy) {
        let requirements = policy.requirements
        if !requirements.isEmpty { add(.certificate, requirements.utf8) }
        guard policy.asksUserCode else { return }
        let number = CacheSpace.closures.withLock { known in
            if let number = known[policy] { return number }
            // A program that makes policies without end finds nothing that it stored under earlier ones.
            if known.count >= 256 { known = [:] }
            let number = UInt64.random(in: 0 ... .max)
            known[policy] = number
            return number
        }
        var bytes: [UInt8] = []
        LittleEndian.append(number, to: &bytes)
        add(.certificate, bytes)
    }
}
