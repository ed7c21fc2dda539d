import HTTPTypes
import SternaCore
import SternaSecurity
import Synchronization

/// How the server was reached and trusted: the Unix socket, the `Host` field and the security policy, which are part of a stored
/// response's key.
///
/// A response that a lenient policy accepted must not satisfy a request with a stricter one, nor one server's response a request to
/// another. Most sessions set none of these, and share their stored responses.
struct CacheSpace: Sendable {
    private let unixSocket: String?
    private let policy: SecurityPolicy
    private let hostPolicies: HostPolicies

    /// Whether all hosts are trusted by the system's rules, and no socket is named.
    private let isPlain: Bool

    private static let host = HTTPField.Name("Host")

    init(_ settings: SessionSettings) {
        unixSocket = settings.network.unixSocket
        (policy, hostPolicies) = (settings.trust.policy, settings.trust.hosts)
        isPlain =
            settings.network.unixSocket == nil && settings.trust.hosts.isEmpty && !policy.asksUserCode
            && policy.requirements.isEmpty
    }

    /// Returns what the request's key contains in addition to its URL; empty for most.
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

    /// The random numbers that stand for policies with closures; other processes do not know them.
    fileprivate static let closures = Mutex<[SecurityPolicy: UInt64]>([:])
}

extension IdentityParts {
    /// Adds the requirements of a policy; nothing for the system's rules.
    fileprivate mutating func add(_ policy: SecurityPolicy) {
        let requirements = policy.requirements
        if !requirements.isEmpty { add(.certificate, requirements.utf8) }
        guard policy.asksUserCode else { return }
        let number = CacheSpace.closures.withLock { known in
            if let number = known[policy] { return number }
            // A program that keeps making policies does not find what it stored under earlier ones.
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
