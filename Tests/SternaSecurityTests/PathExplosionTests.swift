import SternaPlatform
import SternaTesting
import Testing

@testable import SternaSecurity
@testable import SternaTestSupport

@Suite("Chains made to keep a client busy", .timeLimit(.minutes(5)))
struct PathExplosionTests {
    private static let host = "www.example.test"

    /// The time limit for a hostile chain. Without optimization, and beside other tests, the search only has to end.
    private static var limit: Duration {
        #if DEBUG
        .seconds(10)
        #else
        .milliseconds(100)
        #endif
    }

    private static let began = ContinuousClock.now

    private static func wallTime() -> Duration { ContinuousClock.now - began }

    /// Judges a chain three times and takes the fastest, as the machine may be busy.
    private func check(
        _ chain: [[UInt8]], roots: [String], _ expected: TrustFailure.Check, within limit: Duration = Self.limit,
        by time: () -> Duration = Self.wallTime,
        location: SourceLocation = #_sourceLocation
    ) async {
        var least = Duration.seconds(60)
        for _ in 0..<3 {
            let start = time()
            let evaluation = await SecurityPolicy.authority(pem: roots.joined())
                .evaluate(chain: chain, host: Self.host)
            least = min(least, time() - start)
            expectEqual(evaluation.verdict.failure?.check, expected, sourceLocation: location)
            #expect(evaluation.chain.isEmpty, sourceLocation: location)
        }
        #expect(least < limit, "\(least)", sourceLocation: location)
    }

    private static func options(_ name: String, _ number: Int, key: CertificateOptions.KeyKind) -> AuthorityOptions {
        var options = AuthorityOptions(commonName: name)
        options.hosts = ["n\(number).test"]
        options.key = key
        return options
    }

    /// As many certificates as a server may present: a leaf, and others of one name and so many keys that sign each other.
    private func ring(keys count: Int, _ kind: CertificateOptions.KeyKind, names: Int = 0) throws -> [[UInt8]] {
        let keys = try (0..<count).map { try CertificateAuthority(Self.options("Mesh", $0, key: kind)) }
        let ring = try (0..<(PathSearch.maximumCertificates - 1)).map { number in
            var options = Self.options("Mesh", number, key: kind)
            options.hosts += (0..<names).map { "\(number).\(String(repeating: "x", count: 48)).\($0).test" }
            return try keys[number % count].crossSigned(by: keys[(number / count + number) % count], options)
        }
        return try [keys[0].issue(hosts: [Self.host]).leafDER] + ring.map(\.der)
    }

    // The search takes four certificates of one name and key, so that a mesh of sixteen keys is the largest that it takes.
    static let meshes: [(Int, CertificateOptions.KeyKind)] = [1, 2, 4, 16].flatMap { count in
        CertificateOptions.KeyKind.allCases.map { (count, $0) }
    }

    @Test("A mesh of certificates that sign each other is refused in time", arguments: meshes)
    func mesh(keys: Int, kind: CertificateOptions.KeyKind) async throws {
        let chain = try ring(keys: keys, kind)
        expectEqual(chain.count, PathSearch.maximumCertificates)
        await check(chain, roots: [try CertificateAuthority().pem], .complexity)
    }

    @Test("A mesh with the name of a root is refused in time", arguments: CertificateOptions.KeyKind.allCases)
    func rootOfThatName(kind: CertificateOptions.KeyKind) async throws {
        let root = try CertificateAuthority(Self.options("Mesh", 99, key: kind))
        for keys in [1, 16] { await check(try ring(keys: keys, kind), roots: [root.pem], .complexity) }
    }

    /// The largest certificates that the search takes, in a process of their own, so that its memory is theirs.
    @Test("A mesh of certificates of sixty KiB each has limits on time and memory")
    func heavy() async throws {
        await #expect(processExitsWith: .success) {
            let chain = try PathExplosionTests().ring(keys: 16, .p256, names: 850)
            #expect(chain.dropFirst().allSatisfy { (50 << 10)...PathSearch.maximumBytes ~= $0.count })
            let root = try CertificateAuthority().pem
            let before = ProcessUsage.peakMemory()
            await PathExplosionTests().check(
                chain, roots: [root], .complexity, within: .seconds(5), by: ProcessUsage.processorTime)
            let taken = ProcessUsage.peakMemory() - before
            #expect(taken < 128 << 20, "\(taken) bytes")
        }
    }

    @Test("Two issuers at each of thirty levels are judged in time", arguments: CertificateOptions.KeyKind.allCases)
    func levels(kind: CertificateOptions.KeyKind) async throws {
        var uppers = [try CertificateAuthority(Self.options("Level 30", 0, key: kind))]
        var chain = uppers.map(\.der)
        for level in (0..<30).reversed() {
            let first = try uppers[0].issueIntermediate(Self.options("Level \(level)", 0, key: kind))
            uppers = [first, try first.crossSigned(by: uppers[0], Self.options("Level \(level)", 1, key: kind))]
            chain = uppers.map(\.der) + chain
        }
        let leaf = try uppers[0].issue(hosts: [Self.host]).leafDER
        await check([leaf] + chain, roots: [try CertificateAuthority().pem], .complexity)
        // With a known root the first path is valid.
        guard kind == .p256 else { return }
        var policy = SecurityPolicy(roots: .certificates([chain[chain.count - 1]]))
        policy.pins = [try .publicKey(of: leaf)]
        await expectEqual(policy.evaluate(chain: [leaf] + chain, host: Self.host).verdict, .trusted)
    }

    @Test("A bad leaf under a mesh that leads to a trusted root is refused in time", arguments: [1, 16])
    func trustedMesh(keys count: Int) async throws {
        let root = try CertificateAuthority()
        let keys = try (0..<count).map { try root.issueIntermediate(Self.options("Mesh", $0, key: .p256)) }
        let ring = try (0..<(63 - count)).map { number in
            try keys[number % count].crossSigned(
                by: keys[(number / count + number) % count], Self.options("Mesh", 50 + number, key: .p256))
        }
        let past = CertificateOptions(
            hosts: [Self.host], notBefore: Date(timeIntervalSinceNow: -200_000),
            notAfter: Date(timeIntervalSinceNow: -100_000))
        let others = keys.map(\.der) + ring.map(\.der)
        await check(try [keys[0].issue(past).leafDER] + others, roots: [root.pem], .validity)
        // The host is checked last, after the rest of a path.
        await check(try [keys[0].issue(hosts: ["other.test"]).leafDER] + others, roots: [root.pem], .hostName)
    }

    @Test("Thousands of names under thousands of constraints are refused in time")
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
