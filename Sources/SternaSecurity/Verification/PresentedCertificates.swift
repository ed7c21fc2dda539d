import Synchronization
import X509

/// The certificates that a server presented after its own, offered to the path search a bounded number of times.
///
/// The search tries every path, and would not end with certificates that all issue each other.
final class PresentedCertificates: CustomCertificateStore {
    /// The maximum number of verified signatures: one for each certificate of the longest chain.
    static let maximumChecks = PathSearch.maximumCertificates

    /// The budget of the search, in signatures of P-256 keys: enough for the longest chain of P-384 keys.
    static let budget = 4 * maximumChecks

    /// The maximum number of offered certificates with the same name and key; servers have at most two, of two roots.
    static let maximumAlike = 4

    private let candidates: [(certificate: Certificate, cost: Int)]
    private let remaining = Mutex((checks: PresentedCertificates.maximumChecks, cost: PresentedCertificates.budget))

    init(_ certificates: [CheckedCertificate]) {
        var candidates: [(certificate: Certificate, cost: Int)] = []
        var alike: [Likeness: Int] = [:]
        var seen: Set<[UInt8]> = []
        for presented in certificates where seen.insert(presented.der).inserted {
            let likeness = Likeness(
                subject: presented.certificate.subject, key: Array(presented.raw.subjectPublicKeyInfo))
            alike[likeness, default: 0] += 1
            guard alike[likeness, default: 0] <= Self.maximumAlike else { continue }
            candidates.append((presented.certificate, KeyStrength.cost(of: presented.raw)))
        }
        self.candidates = candidates
    }

    private struct Likeness: Hashable {
        let subject: DistinguishedName
        let key: [UInt8]
    }

    /// Whether the search exceeded its limits.
    var isExhausted: Bool { remaining.withLock { $0.checks <= 0 || $0.cost <= 0 } }

    subscript(subject: DistinguishedName) -> [Certificate]? {
        get async {
            let found = candidates.filter { $0.certificate.subject == subject }
            let granted = remaining.withLock { remaining in
                var granted: [Certificate] = []
                for candidate in found where remaining.checks > 0 && remaining.cost > 0 {
                    remaining.checks -= 1
                    remaining.cost -= candidate.cost
                    granted.append(candidate.certificate)
                }
                return granted
            }
            return granted.isEmpty ? nil : granted
        }
    }

    func contains(_ certificate: Certificate) async -> Bool { candidates.contains { $0.certificate == certificate } }

    func append(contentsOf certificates: some Sequence<Certificate>) {}

    static func == (one: PresentedCertificates, other: PresentedCertificates) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
