/// A custom check that runs after all others, for example of a revocation list or of known facts about a host.
///
/// It receives the chain, the host and the verdict so far, and returns the new verdict. The evaluators of a policy run in order,
/// each with the previous one's verdict. To only add a requirement, return a rejection unchanged.
///
/// A closure may accept what the checks reject. So a session whose policy has an evaluator made of a closure does not learn HSTS hosts
/// and alternative services, which servers may announce only over connections without errors (RFC 6797, 8.1).
public struct TrustEvaluator: Sendable, Hashable {
    /// Equal only to itself, since closures cannot be compared.
    private final class Check: Sendable, Hashable {
        let run: @Sendable (TrustEvaluation) async -> TrustVerdict

        init(_ run: @escaping @Sendable (TrustEvaluation) async -> TrustVerdict) { self.run = run }

        static func == (left: Check, right: Check) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private let check: Check

    /// Whether it never accepts what the checks before it reject.
    let onlyRejects: Bool

    /// Makes an evaluator of a closure, which must return within the handshake's time-out.
    ///
    /// Its task is cancelled if the request is cancelled or times out, or the server closes the connection. The result of a
    /// cancelled closure is ignored. Two evaluators are equal only if one is a copy of the other.
    public init(_ evaluate: @escaping @Sendable (TrustEvaluation) async -> TrustVerdict) {
        check = Check(evaluate)
        onlyRejects = false
    }

    /// Makes an evaluator that trusts only servers that another policy trusts, too.
    public init(_ policy: SecurityPolicy) {
        check = Check { evaluation in
            guard evaluation.verdict.isAccepted else { return evaluation.verdict }
            let other = await policy.evaluate(chain: evaluation.presented, host: evaluation.host, time: evaluation.time)
            return other.verdict.isAccepted ? evaluation.verdict : other.verdict
        }
        onlyRejects = true
    }

    func evaluate(_ evaluation: TrustEvaluation) async -> TrustVerdict { await check.run(evaluation) }
}
