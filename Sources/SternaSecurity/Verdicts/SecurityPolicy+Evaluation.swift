package import SternaCore
import SternaPlatform

extension SecurityPolicy {
    /// Evaluates the certificates that a server presented, and returns the verdict with its chain.
    ///
    /// - Parameters:
    ///   - chain: the certificates, the server's own first, each in DER.
    ///   - host: the requested name or address, not the socket's.
    ///   - time: seconds since 1970; nil for ``verificationTime``, or now.
    public func evaluate(chain presented: [[UInt8]], host: String, time: Double? = nil) async -> TrustEvaluation {
        let moment = time ?? verificationTime?.timeIntervalSince1970 ?? Date().timeIntervalSince1970
        // The years that certificates can represent; the X.509 library traps on others.
        let now =
            moment.isNaN ? Self.moments.lowerBound : min(max(moment, Self.moments.lowerBound), Self.moments.upperBound)
        var (verdict, chain) = await check(presented, host: host, now: now)
        if case .rejected(var failure) = verdict {
            failure.presented = presented.prefix(PathSearch.maximumCertificates)
                .filter { $0.count <= PathSearch.maximumBytes }.compactMap(CertificateSummary.init)
            verdict = .rejected(failure)
        }
        var evaluation = TrustEvaluation(
            host: host, presented: presented, chain: chain.map(\.der), verdict: verdict, time: now)
        for evaluator in evaluators { evaluation = evaluation.with(await evaluator.evaluate(evaluation)) }
        return evaluation
    }

    private static let moments = -62_135_596_800.0...253_402_300_799.0

    /// Returns the verdict that a connection follows: the policy's, unless the challenge handler decides otherwise.
    package func decide(chain: [[UInt8]], host: String, port: Int) async -> TrustVerdict {
        guard let challengeHandler else { return await evaluate(chain: chain, host: host).verdict }
        let evaluation = await evaluate(chain: chain, host: host)
        let challenge = ConnectionChallenge(.serverTrust(evaluation), host: host, port: port)
        switch await challengeHandler.disposition(for: challenge) {
        case .useDefault, .identity: return evaluation.verdict
        case .accept: return evaluation.verdict.isAccepted ? evaluation.verdict : .overlooked
        case .reject(let reason):
            var failure = TrustFailure(.evaluator, FieldSyntax.printable(reason, limit: 1_000))
            failure.presented = evaluation.certificates
            return .rejected(failure)
        }
    }

    /// Returns the identity that a connection presents on request; throws if the challenge handler refuses the host.
    package func decideIdentity(host: String, port: Int) async throws(SternaError) -> ClientIdentity? {
        guard !presentsNoIdentity, let challengeHandler else { return currentIdentity }
        switch await challengeHandler.disposition(for: ConnectionChallenge(.clientIdentity, host: host, port: port)) {
        case .identity(let identity): return identity
        case .useDefault, .accept: return currentIdentity
        case .reject(let reason):
            let failure = TrustFailure(.evaluator, FieldSyntax.printable(reason, limit: 1_000))
            throw SternaError(
                .certificateRejected, phase: .tls, "The challenge handler refuses \(host): \(failure.reason).",
                underlying: failure)
        }
    }

    private func check(
        _ presented: [[UInt8]], host: String, now: Double
    ) async -> (TrustVerdict, chain: [CheckedCertificate]) {
        if let failure = nonsense(host) { return (.rejected(failure), []) }
        // The verdict is certain, so the roots are not read.
        if allowsInvalidCertificates, pins.isEmpty, evaluators.isEmpty { return (.overlooked, []) }
        switch await path(presented, host: host, now: now) {
        case .valid(let chain):
            let isPinned = pins.isEmpty || pinningRule.holds(for: chain, pins: pins)
            return (isPinned ? .trusted : .rejected(unpinned(chain)), chain)
        case .invalid(let failure):
            guard allowsInvalidCertificates else { return (.rejected(failure), []) }
            if pins.isEmpty { return (.overlooked, []) }
            return await checkInvalid(presented, host: host, now: now)
        }
    }

    /// Returns a failure for a policy or host that no server could satisfy.
    private func nonsense(_ host: String) -> TrustFailure? {
        if refusesAll {
            return TrustFailure(
                .policy, "there is no policy for \(FieldSyntax.printable(host)), and every host needs one",
                advice: "Add one to the session's host policies.")
        }
        if mustPin, pins.isEmpty { return TrustFailure(.pin, "the policy requires pins but has none") }
        if let error = pins.lazy.compactMap(\.error).first { return TrustFailure(.pin, error.detail) }
        if allowsInvalidCertificates, validatesDomainName, pins.isEmpty {
            return TrustFailure(
                .policy,
                "invalid certificates are allowed and names are checked, but nothing is pinned: the name in a "
                    + "certificate without a trusted issuer proves nothing",
                advice: "Pin the certificate or its key, or set validatesDomainName to false in tests.")
        }
        return nil
    }

    private func path(_ presented: [[UInt8]], host: String, now: Double) async -> PathSearch.Result {
        let key = VerdictCache.Key(presented, host: host, checksHost: validatesDomainName, roots: roots)
        if let chain = VerdictCache.shared.chain(key, at: now) { return .valid(chain) }
        let found: RootStore.Roots
        do {
            found = try await RootStore.shared.load(roots)
        } catch {
            return .invalid(TrustFailure(.roots, error.detail))
        }
        let search = PathSearch(host: host, checksHost: validatesDomainName, now: now)
        let result = await search.run(presented, roots: found)
        if case .valid(let chain) = result { VerdictCache.shared.keep(chain, for: key, at: now) }
        return result
    }

    /// Searches for the pins in a chain without a trusted root. The handshake proves only the server's own key, and signatures
    /// prove the issuers up to a pinned certificate. Other presented certificates are public and prove nothing.
    private func checkInvalid(
        _ presented: [[UInt8]], host: String, now: Double
    ) async -> (TrustVerdict, chain: [CheckedCertificate]) {
        guard let leaf = presented.first.flatMap(CheckedCertificate.init) else {
            return (.rejected(TrustFailure(.readable, "the server's certificate cannot be read")), [])
        }
        if pinningRule.holds(for: [leaf], pins: pins) {
            if validatesDomainName, let failure = ChainRules.wrongHost(leaf, host) {
                return (.rejected(failure), [])
            }
            return (.overlooked, [leaf])
        }
        let anchors = pins.compactMap { pin -> [UInt8]? in
            if case .certificate(let der) = pin.subject { der } else { nil }
        }
        if !anchors.isEmpty,
            let roots = try? RootStore().roots(.certificates(anchors.sorted { $0.lexicographicallyPrecedes($1) }))
        {
            let search = PathSearch(host: host, checksHost: validatesDomainName, now: now)
            if case .valid(let chain) = await search.run(presented, roots: roots),
                pinningRule.holds(for: chain, pins: pins)
            {
                return (.overlooked, chain)
            }
        }
        return (.rejected(unpinned([leaf])), [])
    }

    private func unpinned(_ chain: [CheckedCertificate]) -> TrustFailure {
        let which =
            switch pinningRule {
            case .any: "none of the certificates in the chain is pinned"
            case .leaf: "the server's own certificate is not pinned"
            case .all: "not every certificate in the chain is pinned"
            }
        let found = chain.map { Pin(keyHash: $0.raw.keyHash).description }.joined(separator: ", ")
        return TrustFailure(
            .pin, "\(which): its keys are \(found)",
            advice:
                "Check that nothing intercepts the connection. If the server changed its keys on purpose, pin the new ones.",
            certificate: chain.first?.summary)
    }
}
