import FoundationEssentials
import SternaTesting
import Testing

@testable import SternaSecurity

@Suite("Chains made to keep a client busy", .timeLimit(.minutes(1)))
struct PathExplosionTests {
    private static let host = "www.example.test"

    /// What a hostile chain may cost. Without optimization, and among other tests, it only has to come to an end.
    private static var limit: Duration {
        #if DEBUG
        .seconds(2)
        #else
        .milliseconds(50)
        #endif
    }

    /// Judges a chain three times and looks at the fastest, as the machine may be busy.
    private func check(
        _ chain: [[UInt8]], roots: [String], _ expected: TrustFailure.Check, location: SourceLocation = #_sourceLocation
    ) async {
        var least = Duration.seconds(60)
        for _ in 0..<3 {
            let start = ContinuousClock.now
            let evaluation = await SecurityPolicy.authority(pem: roots.joined())
                .evaluate(chain: chain, host: Self.host)
            least = min(least, ContinuousClock.now - start)
            #expect(evaluation.verdict.failure?.check == expected, sourceLocation: location)
            #expect(evaluation.chain.isEmpty, sourceLocation: location)
        }
        #expect(least < Self.limit, sourceLocation: location)
    }

    private static func options(_ name: String, _ number: Int, key: CertificateOptions.KeyKind) -> AuthorityOptions {
        var options = AuthorityOptions(commonName: name)
        options.hosts = ["n\(number).test"]
        options.key = key
        return options
    }

    /// Fifteen certificates of one name and so many keys that sign each other, and a leaf.
    private func ring(keys count: Int, _ kind: CertificateOptions.KeyKind) throws -> [[UInt8]] {
        let keys = try (0..<count).map { try CertificateAuthority(Self.options("Mesh", $0, key: kind)) }
        let ring = try (0..<15).map { number in
            try keys[number % count].crossSigned(
                by: keys[(number / count + number) % count], Self.options("Mesh", number, key: kind))
        }
        return try [keys[0].issue(hosts: [Self.host]).leafDER] + ring.map(\.der)
    }

    static let meshes: [(Int, CertificateOptions.KeyKind)] = [1, 2, 4].flatMap { count in
        CertificateOptions.KeyKind.allCases.map { (count, $0) }
    }

    @Test("Certificates that sign each other", arguments: meshes)
    func mesh(keys: Int, kind: CertificateOptions.KeyKind) async throws {
        let chain = try ring(keys: keys, kind)
        await check(chain, roots: [try CertificateAuthority().pem], .complexity)
    }

    @Test("The same where a root has their name", arguments: CertificateOptions.KeyKind.allCases)
    func rootOfThatName(kind: CertificateOptions.KeyKind) async throws {
        let root = try CertificateAuthority(Self.options("Mesh", 99, key: kind))
        for keys in [1, 4] { await check(try ring(keys: keys, kind), roots: [root.pem], .complexity) }
    }

    @Test("Two ways at each of seven levels", arguments: CertificateOptions.KeyKind.allCases)
    func levels(kind: CertificateOptions.KeyKind) async throws {
        var uppers = [try CertificateAuthority(Self.options("Level 7", 0, key: kind))]
        var chain = uppers.map(\.der)
        for level in (0..<7).reversed() {
            let first = try uppers[0].issueIntermediate(Self.options("Level \(level)", 0, key: kind))
            uppers = [first, try first.crossSigned(by: uppers[0], Self.options("Level \(level)", 1, key: kind))]
            chain = uppers.map(\.der) + chain
        }
        let leaf = try uppers[0].issue(hosts: [Self.host]).leafDER
        await check([leaf] + chain, roots: [try CertificateAuthority().pem], .complexity)
        // With the root known the first way is as good as any.
        guard kind == .p256 else { return }
        var policy = SecurityPolicy(roots: .certificates([chain[chain.count - 1]]))
        policy.pins = [try .publicKey(of: leaf)]
        #expect(await policy.evaluate(chain: [leaf] + chain, host: Self.host).verdict == .trusted)
    }

    @Test("A mesh that leads to a trusted root, and a leaf that nothing helps", arguments: [1, 4])
    func trustedMesh(keys count: Int) async throws {
        let root = try CertificateAuthority()
        let keys = try (0..<count).map { try root.issueIntermediate(Self.options("Mesh", $0, key: .p256)) }
        let ring = try (0..<(15 - count)).map { number in
            try keys[number % count].crossSigned(
                by: keys[(number / count + number) % count], Self.options("Mesh", 50 + number, key: .p256))
        }
        let past = CertificateOptions(
            hosts: [Self.host], notBefore: Date(timeIntervalSinceNow: -200_000),
            notAfter: Date(timeIntervalSinceNow: -100_000))
        let chain = try [keys[0].issue(past).leafDER] + keys.map(\.der) + ring.map(\.der)
        await check(chain, roots: [root.pem], .validity)
    }

    @Test("Thousands of names under thousands of constraints")
    func names() async throws {
        let root = try CertificateAuthority()
        var options = AuthorityOptions()
        options.excludedNames = (0..<1_500).map { "c\($0).test" }
        let many = try root.issueIntermediate(options)
        let names = [Self.host] + (0..<1_500).map { "n\($0).test" }
        await check(try many.issue(hosts: names).chainDER(), roots: [root.pem], .complexity)
        options.excludedNames = (0..<200).map { "c\($0).test" }
        let some = try root.issueIntermediate(options)
        await check(try some.issue(hosts: names).chainDER(), roots: [root.pem], .complexity)
    }
}
