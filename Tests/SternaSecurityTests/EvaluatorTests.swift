import SternaPlatform
import Synchronization
import Testing

@testable import SternaSecurity
@testable import SternaTestSupport

@Suite("Evaluators, challenges and the memory of verdicts")
struct EvaluatorTests {
    private static func chain() throws -> (presented: [[UInt8]], policy: SecurityPolicy) {
        let root = try Forge.root()
        return ([try root.issueLeaf().der], .authority(pem: try root.pem))
    }

    @Test("Evaluators are asked in order, each with the verdict so far")
    func order() async throws {
        var (presented, policy) = try Self.chain()
        let seen = Mutex<[String]>([])
        policy.evaluators = [
            TrustEvaluator { evaluation in
                seen.withLock {
                    $0.append("first \(evaluation.verdict == .trusted) \(evaluation.host) \(evaluation.chain.count)")
                }
                return .rejected(TrustFailure(.evaluator, "it was revoked"))
            },
            TrustEvaluator { evaluation in
                seen.withLock { $0.append("second \(evaluation.verdict.isAccepted)") }
                return evaluation.verdict
            },
        ]
        let verdict = await policy.evaluate(chain: presented, host: Forge.host, time: Forge.now).verdict
        expectEqual(verdict.failure?.reason, "it was revoked")
        expectEqual(seen.withLock { $0 }, ["first true \(Forge.host) 2", "second false"])
        // A remembered path does not replace the evaluators.
        _ = await policy.evaluate(chain: presented, host: Forge.host, time: Forge.now).verdict
        expectEqual(seen.withLock { $0.count }, 4)
    }

    @Test("An evaluator may accept a chain that the policy refuses; two policies may both have to accept")
    func composition() async throws {
        var (presented, policy) = try Self.chain()
        policy.evaluators = [TrustEvaluator { _ in .overlooked }]
        await expectEqual(policy.evaluate(chain: presented, host: "other.test", time: Forge.now).verdict, .overlooked)
        var second = try Self.chain().policy
        second.verificationTime = Date(timeIntervalSince1970: Forge.now)
        policy.evaluators = [TrustEvaluator(second)]
        await expectEqual(
            policy.evaluate(chain: presented, host: Forge.host, time: Forge.now).verdict.failure?.check, .issuer)
    }

    @Test("A handler may take the verdict, accept, or reject; identities come from it too")
    func challenges() async throws {
        var (presented, policy) = try Self.chain()
        policy.verificationTime = Date(timeIntervalSince1970: Forge.now)
        func verdict(_ host: String, _ answer: @escaping @Sendable (TrustVerdict) -> ChallengeHandler.Disposition) async
            -> TrustVerdict
        {
            var policy = policy
            policy.challengeHandler = ChallengeHandler { challenge in
                expectEqual(challenge.host, host)
                expectEqual(challenge.port, 443)
                guard case .serverTrust(let evaluation) = challenge.subject else { return .useDefault }
                return answer(evaluation.verdict)
            }
            return await policy.decide(chain: presented, host: host, port: 443)
        }
        await expectEqual(verdict(Forge.host) { _ in .useDefault }, .trusted)
        await expectEqual(verdict(Forge.host) { _ in .accept }, .trusted)
        await expectEqual(verdict("other.test") { _ in .useDefault }.failure?.check, .hostName)
        await expectEqual(verdict("other.test") { _ in .accept }, .overlooked)
        let rejected = await verdict(Forge.host) { _ in .reject(reason: "not today\r\n") }
        expectEqual(rejected.failure?.check, .evaluator)
        expectEqual(rejected.failure?.reason.contains("not today"), true)
        expectEqual(rejected.failure?.reason.contains { $0.isNewline }, false)
    }

    @Test("Allowing invalid certificates with names checked and nothing pinned is refused, as by AFNetworking")
    func nonsense() async throws {
        var (presented, policy) = try Self.chain()
        policy.allowsInvalidCertificates = true
        await expectEqual(
            policy.evaluate(chain: presented, host: Forge.host, time: Forge.now).verdict.failure?.check, .policy)
        policy.validatesDomainName = false
        await expectEqual(policy.evaluate(chain: presented, host: "other.test", time: Forge.now).verdict, .overlooked)
        policy.allowsInvalidCertificates = false
        await expectEqual(policy.evaluate(chain: presented, host: "other.test", time: Forge.now).verdict, .trusted)
        let stranger = try Forge.root().issueLeaf().der
        await expectEqual(
            policy.evaluate(chain: [stranger], host: "x", time: Forge.now).verdict.failure?.check, .issuer)
    }

    @Test("A path is remembered for its host and roots, for ten minutes, and not beyond its expiry")
    func memory() throws {
        let (presented, policy) = try Self.chain()
        let cache = VerdictCache()
        let chain = try presented.map { try #require(CheckedCertificate($0)) }
        func key(
            _ host: String = Forge.host, _ presented: [[UInt8]]? = nil, names: Bool = true, roots: TrustRoots? = nil
        ) -> VerdictCache.Key {
            VerdictCache.Key(presented ?? chain.map(\.der), host: host, checksHost: names, roots: roots ?? policy.roots)
        }
        cache.keep(chain, for: key(), at: Forge.now)
        expectEqual(cache.chain(key(), at: Forge.now)?.count, 1)
        #expect(cache.chain(key(), at: Forge.now + 599) != nil)
        expectNil(cache.chain(key(), at: Forge.now + 600))
        expectNil(cache.chain(key(), at: Forge.now - 1))
        expectNil(cache.chain(key("other.test"), at: Forge.now))
        expectNil(cache.chain(key(names: false), at: Forge.now))
        expectNil(cache.chain(key(roots: .system), at: Forge.now))
        expectNil(cache.chain(key(Forge.host, chain.map(\.der) + [[1]]), at: Forge.now))
        let end = Forge.end.timeIntervalSince1970
        cache.keep(chain, for: key("end"), at: end - 5)
        #expect(cache.chain(key("end"), at: end - 1) != nil)
        expectNil(cache.chain(key("end"), at: end + 1))
        for number in 0..<1_000 { cache.keep(chain, for: key("\(number)"), at: Forge.now) }
        #expect(cache.count <= 256)
    }

    @Test("A failure says which check, which certificate, what was presented, and what to do")
    func words() async throws {
        let (presented, policy) = try Self.chain()
        let failure = try #require(
            await policy.evaluate(chain: presented, host: "other.test", time: Forge.now).verdict.failure)
        let certificate = try #require(failure.certificate)
        expectEqual(failure.check, .hostName)
        #expect(certificate.subject.contains(Forge.host))
        expectEqual(certificate.names, [Forge.host])
        expectEqual(certificate.notAfter, Forge.end)
        let text = "\(failure)"
        for part in ["not for other.test", certificate.pin, certificate.issuer, "2020-01-01", "2030-01-01"] {
            #expect(text.contains(part), "\(part)")
        }
        #expect(!failure.advice.isEmpty)
        expectEqual(failure.presented, [certificate])
    }
}
