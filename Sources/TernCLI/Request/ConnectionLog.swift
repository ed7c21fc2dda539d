import Sterna
import Synchronization

/// Prints the facts of each request's connection to standard error, one on each line: the address, TLS, the certificate, whether
/// the connection is new, and the version of HTTP.
final class ConnectionLog: Sendable {
    private struct Seen {
        /// The certificates of handshakes whose lines were not printed yet.
        var certificates: [String] = []
        var isTLS = false
    }

    private let say: @Sendable (String) -> Void
    private let seen = Mutex(Seen())

    /// - Parameter say: called with each line.
    init(say: @escaping @Sendable (String) -> Void) { self.say = say }

    /// Prints the events of connections.
    var observer: EventObserver { EventObserver(.network) { [self] in receive($0) } }

    /// Returns a policy that decides like the given one, and prints the certificates of servers.
    func watching(_ policy: SecurityPolicy) -> SecurityPolicy {
        var inner = policy
        inner.evaluators.append(
            TrustEvaluator { [self] evaluation in
                note(evaluation)
                return evaluation.verdict
            })
        // A closure might accept what the checks reject, for which the library trusts its servers less; another policy cannot.
        var outer = policy
        outer.evaluators.append(TrustEvaluator(inner))
        return outer
    }

    private func note(_ evaluation: TrustEvaluation) {
        guard let certificate = evaluation.certificates.first else { return }
        let verdict = evaluation.verdict == .trusted ? "trusted" : "not checked"
        let line = "* Certificate: \(CertificateReport.brief(certificate)); \(verdict)"
        seen.withLock { $0.certificates.append(line) }
    }

    private func receive(_ event: SternaEvent) {
        switch event.kind {
        case .attemptBegan: seen.withLock { $0.isTLS = false }
        case .connected(let address): say("* Address: \(address)")
        case .proxyConnected(let proxy, _): say("* Proxy: \(proxy)")
        case .tlsEstablished(let version):
            say("* TLS: \(version ?? "of an unknown version")")
            let lines = seen.withLock { seen in
                seen.isTLS = true
                defer { seen.certificates = [] }
                return seen.certificates
            }
            for line in lines { say(line) }
        case .connectionAcquired(let isReused): say("* Connection: \(isReused ? "reused" : "new")")
        case .responseBegan(let response):
            let isTLS = seen.withLock { $0.isTLS }
            if isTLS { say("* ALPN: \(response.version.major == 2 ? "h2" : "the server did not choose h2")") }
            say("* Protocol: \(response.version)")
        default: break
        }
    }
}
