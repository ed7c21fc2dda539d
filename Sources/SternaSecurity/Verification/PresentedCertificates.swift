import Synchronization
import X509

/// The certificates that a server presented behind its own, offered to the search for a path a bounded number of times.
///
/// The search tries every path there is; certificates that all lead to each other would keep it busy for ever.
final class PresentedCertificates: CustomCertificateStore {
    /// How many candidates the search is offered in all, each of which costs it a signature check.
    static let budget = 64

    private let certificates: [Certificate]
    private let remaining = Mutex(PresentedCertificates.budget)

    init(_ certificates: [Certificate]) { self.certificates = certificates }

    /// Whether the search was stopped short.
    var isExhausted: Bool { remaining.withLock { $0 == 0 } }

    subscript(subject: DistinguishedName) -> [Certificate]? {
        get async {
            let found = certificates.filter { $0.subject == subject }
            let granted = remaining.withLock { remaining in
                let granted = min(remaining, found.count)
                remaining -= granted
                return granted
            }
            return granted == 0 ? nil : Array(found.prefix(granted))
        }
    }

    func contains(_ certificate: Certificate) async -> Bool { certificates.contains(certificate) }

    func append(contentsOf certificates: some Sequence<Certificate>) {}

    static func == (one: PresentedCertificates, other: PresentedCertificates) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
