import Crypto
import SternaPlatform
import SternaTesting
import SwiftASN1
import Testing
import X509

@testable import SternaSecurity
@testable import SternaTestSupport

@Suite("The verdict on a server's certificates")
struct TrustVerdictTests {
    private func judge(_ chain: [Forge], root: Forge, host: String = Forge.host, time: Double? = Forge.now) async throws
        -> TrustVerdict
    {
        await SecurityPolicy.authority(pem: try root.pem).evaluate(
            chain: try chain.map { try $0.der }, host: host, time: time
        ).verdict
    }

    private func reason(_ verdict: TrustVerdict) -> String {
        if case .rejected(let failure) = verdict { return failure.reason }
        Issue.record("accepted: \(verdict)")
        return ""
    }

    @Test("A chain that leads to the root is trusted")
    func valid() async throws {
        let root = try Forge.root()
        let middle = try root.issueAuthority()
        let lower = try middle.issueAuthority("Lower")
        try await expectEqual(judge([root.issueLeaf()], root: root), .trusted)
        try await expectEqual(judge([middle.issueLeaf(), middle], root: root), .trusted)
        try await expectEqual(judge([lower.issueLeaf(), lower, middle], root: root), .trusted)
        try await expectEqual(judge([lower.issueLeaf(), lower, middle, root], root: root), .trusted)
    }

    @Test("The order above the leaf does not matter, and unrelated certificates are ignored")
    func disorder() async throws {
        let root = try Forge.root()
        let middle = try root.issueAuthority()
        let lower = try middle.issueAuthority("Lower")
        let stranger = try Forge.root("Stranger")
        let leaf = try lower.issueLeaf()
        try await expectEqual(judge([leaf, root, stranger, middle, lower], root: root), .trusted)
        let policy = SecurityPolicy.authority(pem: try root.pem)
        let chain = [try leaf.der, [0x30, 0x03, 1, 2, 3], try lower.der, [], try middle.der]
        await expectEqual(policy.evaluate(chain: chain, host: Forge.host, time: Forge.now).verdict, .trusted)
    }

    @Test("Validity is judged at the time given", arguments: [(-1, false), (0, true), (1, true)] as [(Double, Bool)])
    func notBefore(offset: Double, trusted: Bool) async throws {
        let root = try Forge.root()
        let start = Date(timeIntervalSince1970: Forge.now)
        let leaf = try root.issue(Forge.host, Forge.leafExtensions([.dnsName(Forge.host)]), from: start)
        let verdict = try await judge([leaf], root: root, time: Forge.now + offset)
        expectEqual(verdict.isAccepted, trusted)
        if !trusted { #expect(reason(verdict).contains("not valid before")) }
    }

    @Test(
        "Expiry is judged at the time given",
        arguments: [(-1, true), (0, true), (1, false), (86_400 * 365, false)] as [(Double, Bool)])
    func notAfter(offset: Double, trusted: Bool) async throws {
        let root = try Forge.root()
        let end = Date(timeIntervalSince1970: Forge.now)
        let leaf = try root.issue(Forge.host, Forge.leafExtensions([.dnsName(Forge.host)]), until: end)
        let verdict = try await judge([leaf], root: root, time: Forge.now + offset)
        expectEqual(verdict.isAccepted, trusted)
        if !trusted { #expect(reason(verdict).contains("expired on 2025-01-01")) }
    }

    @Test("An intermediate that has expired is refused")
    func expiredIntermediate() async throws {
        let root = try Forge.root()
        let end = Date(timeIntervalSince1970: Forge.now - 1)
        let middle = try root.issue("Old", Forge.authorityExtensions(), until: end)
        try await expectEqual(judge([middle.issueLeaf(), middle], root: root).isAccepted, false)
    }

    @Test("Without a given time the present one decides")
    func now() async throws {
        let authority = try CertificateAuthority()
        let policy = SecurityPolicy.authority(pem: authority.pem)
        let good = try authority.issue().leafDER
        let old = try authority.issue(CertificateOptions(notAfter: Date(timeIntervalSinceNow: -60))).leafDER
        await expectEqual(policy.evaluate(chain: [good], host: "localhost").verdict, .trusted)
        #expect(reason(await policy.evaluate(chain: [old], host: "localhost").verdict).contains("expired"))
    }

    @Test("An unknown authority, a self-signed certificate and a missing intermediate are refused with a reason")
    func unknown() async throws {
        let root = try Forge.root()
        let other = try Forge.root("Other")
        let middle = try root.issueAuthority("Middle CA")
        #expect(reason(try await judge([other.issueLeaf(), other], root: root)).contains("Other"))
        #expect(reason(try await judge([middle.issueLeaf()], root: root)).contains("Middle CA"))
        let own = try CertificateBundle.selfSigned()
        let verdict = await SecurityPolicy.authority(pem: try root.pem).evaluate(
            chain: [own.leafDER], host: "localhost"
        ).verdict
        #expect(reason(verdict).contains("self-signed"))
    }

    @Test("A root of the same name with another key is another root")
    func sameName() async throws {
        try await expectEqual(judge([Forge.root().issueLeaf()], root: Forge.root()).isAccepted, false)
    }

    @Test("A certificate that is itself among the roots is trusted, for its own names only")
    func pinnedLeaf() async throws {
        let leaf = try Forge.root("Elsewhere").issueLeaf()
        try await expectEqual(judge([leaf], root: leaf), .trusted)
        #expect(reason(try await judge([leaf], root: leaf, host: "other.test")).contains("not for other.test"))
    }

    @Test("Only the first certificate is judged as the leaf")
    func reversed() async throws {
        let root = try Forge.root()
        let middle = try root.issueAuthority()
        try await expectEqual(judge([middle, middle.issueLeaf()], root: root).isAccepted, false)
    }

    @Test("allowsInvalidCertificates accepts any certificates")
    func overlooked() async {
        let policy = SecurityPolicy.insecure
        await expectEqual(policy.evaluate(chain: [], host: "x").verdict, .overlooked)
        await expectEqual(policy.evaluate(chain: [[1, 2, 3]], host: "x").verdict, .overlooked)
    }

    @Test("No certificates, garbage and more than 64 certificates are refused")
    func bounds() async throws {
        let root = try Forge.root()
        let leaf = try root.issueLeaf()
        let policy = SecurityPolicy.authority(pem: try root.pem)
        #expect(reason(await policy.evaluate(chain: [], host: Forge.host).verdict).contains("no certificate"))
        for garbage in [[], [0], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], Array("-----BEGIN".utf8)] as [[UInt8]] {
            #expect(
                reason(await policy.evaluate(chain: [garbage], host: Forge.host).verdict).contains("cannot be read"))
        }
        let most = [leaf] + (0..<63).map { _ in leaf }
        try await expectEqual(judge(most, root: root), .trusted)
        #expect(reason(try await judge(most + [leaf], root: root)).contains("65 certificates"))
    }

    @Test("A chain of up to 64 certificates is trusted, in any order", arguments: [36, 64])
    func long(count: Int) async throws {
        let root = try Forge.root()
        var chain: [Forge] = []
        for level in 1..<count {
            chain.insert(try (chain.first ?? root).issueAuthority("Level \(level)"), at: 0)
        }
        let leaf = try #require(chain.first).issueLeaf()
        try await expectEqual(judge([leaf] + chain, root: root), .trusted)
        try await expectEqual(judge([leaf] + chain.reversed(), root: root), .trusted)
        #expect(reason(try await judge([leaf] + chain, root: Forge.root())).contains("does not lead to any"))
    }

    @Test("A long chain of P-384 keys is trusted")
    func longP384() async throws {
        var options = AuthorityOptions()
        options.key = .p384
        let root = try CertificateAuthority(options)
        var authority = root
        for level in 1..<64 {
            options.commonName = "Level \(level)"
            authority = try authority.issueIntermediate(options)
        }
        let chain = try authority.issue(hosts: [Forge.host]).chainDER()
        expectEqual(chain.count, 64)
        let verdict = await SecurityPolicy.authority(pem: root.pem).evaluate(chain: chain, host: Forge.host).verdict
        expectEqual(verdict, .trusted)
    }

    @Test("Every prefix of a certificate, and each changed byte, is refused and never traps")
    func damage() async throws {
        let root = try Forge.root()
        let whole = try root.issueLeaf().der
        let policy = SecurityPolicy.authority(pem: try root.pem)
        for count in stride(from: 0, to: whole.count, by: 7) {
            let verdict = await policy.evaluate(chain: [Array(whole[..<count])], host: Forge.host, time: Forge.now)
                .verdict
            #expect(!verdict.isAccepted)
        }
        for index in stride(from: 0, to: whole.count, by: 5) {
            var changed = whole
            changed[index] ^= 0x41
            let verdict = await policy.evaluate(chain: [changed], host: Forge.host, time: Forge.now).verdict
            #expect(!verdict.isAccepted, "byte \(index)")
        }
    }
}
