import Testing

@testable import SternaSecurity
@testable import SternaTestSupport

@Suite("Broken hashes and short keys")
struct WeakAlgorithmTests {
    private typealias Made = WeakCertificates

    private func judge(_ chain: String..., root: String = WeakCertificates.root) async throws -> TrustVerdict {
        let chain = try chain.flatMap { try der($0) }
        return await SecurityPolicy.authority(pem: root).evaluate(
            chain: chain, host: "www.example.test", time: 1_800_000_000
        ).verdict
    }

    @Test("A certificate with SHA-256 and 2,048 bits is trusted, so that only hash and length differ in the others")
    func control() async throws {
        try await expectEqual(judge(Made.good), .trusted)
    }

    @Test("A leaf or an intermediate signed with SHA-1 is refused, and the reason says so")
    func sha1() async throws {
        for verdict in [try await judge(Made.sha1Leaf), try await judge(Made.underSHA1, Made.sha1Authority)] {
            guard case .rejected(let failure) = verdict else {
                Issue.record("trusted")
                continue
            }
            #expect(failure.reason.contains("SHA-1"))
        }
        try await expectEqual(judge(Made.ellipticSHA1, root: Made.ellipticRoot).isAccepted, false)
    }

    @Test("An RSA key of 1,024 bits is refused in a leaf and in an intermediate")
    func shortKeys() async throws {
        try await expectEqual(judge(Made.shortLeaf).isAccepted, false)
        try await expectEqual(judge(Made.underShort, Made.shortAuthority).isAccepted, false)
    }

    @Test("A root with a short key is skipped")
    func shortRoot() async throws {
        try await expectEqual(judge(Made.underShort, root: Made.shortAuthority).isAccepted, false)
    }
}
