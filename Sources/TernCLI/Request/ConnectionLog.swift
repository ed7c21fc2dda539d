import Sterna
import Synchronization

/// Prints the facts of each request's connection to standard error, one on each line: the address, TLS, the certificate, whether
/// the connection is new, and the version of HTTP.
final class ConnectionLog: Sendable {
    private struct Seen {
        var isTLS = false
        /// The hosts of the attempt whose certificates are printed: the server, and the proxy.
        var host = ""
        var proxy: String?
    }

    private let say: @Sendable (String) -> Void
    private let seen = Mutex(Seen())

    /// - Parameter say: called with each line.
    init(say: @escaping @Sendable (String) -> Void) { self.say = say }

    /// Prints the events of connections.
    var observer: EventObserver { EventObserver(.network) { [self] in receive($0) } }

    /// Returns a policy that decides like the given one, and keeps the certificates of servers for the lines.
    ///
    /// Equal policies have equal results, since a connection is kept only for requests with an equal policy.
    static func watching(_ policy: SecurityPolicy) -> SecurityPolicy {
        watched.withLock { watched in
            if let known = watched[policy] { return known }
            var inner = policy
            inner.evaluators.append(
                TrustEvaluator { evaluation in
                    note(evaluation)
                    return evaluation.verdict
                })
            // A closure might accept what the checks reject, for which the library trusts its servers less; another policy cannot.
            var outer = policy
            outer.evaluators.append(TrustEvaluator(inner))
            watched[policy] = outer
            return outer
        }
    }

    private static let watched = Mutex<[SecurityPolicy: SecurityPolicy]>([:])

    /// Keeps a session until the command ends: an engine keeps the connections of a policy with closures only as long as a session
    /// has it.
    static func keep(_ session: Session, with policy: SecurityPolicy) {
        sessions.withLock { $0[policy] = session }
    }

    private static let sessions = Mutex<[SecurityPolicy: Session]>([:])

    /// The certificates of handshakes whose lines were not printed yet, with their hosts, the newest at the end.
    private static let certificates = Mutex<[(host: String, line: String)]>([])

    private static let mostCertificates = 1_000

    private static func note(_ evaluation: TrustEvaluation) {
        guard let certificate = evaluation.certificates.first else { return }
        let verdict = evaluation.verdict == .trusted ? "trusted" : "not checked"
        let line = "* Certificate: \(CertificateReport.brief(certificate)); \(verdict)"
        certificates.withLock { lines in
            lines.append((host: evaluation.host, line: line))
            // Handshakes that fail later leave theirs.
            if lines.count > mostCertificates { lines.removeFirst() }
        }
    }

    /// Returns a host without the brackets and the zone of an IPv6 address.
    private static func plain(_ host: String) -> String {
        String(host.drop { $0 == "[" }.prefix { $0 != "]" && $0 != "%" })
    }

    /// Removes the newest certificate of a host, and returns its line; nil if none was seen.
    private static func takeCertificate(ofHost matches: (String) -> Bool) -> String? {
        certificates.withLock { lines in
            lines.lastIndex { matches($0.host) }.map { lines.remove(at: $0).line }
        }
    }

    private func receive(_ event: SternaEvent) {
        switch event.kind {
        case .attemptBegan(_, let request):
            seen.withLock { $0 = Seen(host: request.url.host) }
        case .connected(let address): say("* Address: \(address)")
        case .proxyConnected(let proxy, _):
            say("* Proxy: \(proxy)")
            let host = try? Proxy(proxy).host
            seen.withLock { $0.proxy = host.map(Self.plain) }
        case .tlsEstablished(let version):
            say("* TLS: \(version ?? "of an unknown version")")
            let seen = seen.withLock { seen in
                seen.isTLS = true
                return seen
            }
            if let host = seen.proxy, let line = Self.takeCertificate(ofHost: { Self.plain($0) == host }) { say(line) }
            if let line = Self.takeCertificate(ofHost: { Self.plain($0) == Self.plain(seen.host) }) { say(line) }
        case .connectionAcquired(let isReused): say("* Connection: \(isReused ? "reused" : "new")")
        case .responseBegan(let response):
            let isTLS = seen.withLock { $0.isTLS }
            if isTLS { say("* ALPN: \(response.version.major == 2 ? "h2" : "the server did not choose h2")") }
            say("* Protocol: \(response.version)")
        default: break
        }
    }
}
