import Crypto
import SwiftASN1
import Testing
import X509

@testable import SternaSecurity
@testable import SternaTestSupport

@Suite("What certificates may be used for")
struct CertificateUsageTests {
    private func accepts(_ chain: [Forge], root: Forge) async throws -> Bool {
        let policy = SecurityPolicy.authority(pem: try root.pem)
        return await policy.evaluate(chain: try chain.map { try $0.der }, host: Forge.host, time: Forge.now).verdict
            .isAccepted
    }

    private func leaf(_ root: Forge, _ usage: [Certificate.Extension]) throws -> Forge {
        let names = SubjectAlternativeNames([.dnsName(Forge.host)])
        return try root.issue(
            Forge.host,
            [try .init(BasicConstraints.notCertificateAuthority, critical: true), try .init(names, critical: false)]
                + usage)
    }

    static let extendedUsages: [([ExtendedKeyUsage.Usage], Bool)] = [
        ([.serverAuth], true), ([.any], true), ([.clientAuth, .serverAuth], true), ([.clientAuth], false),
        ([.codeSigning], false), ([.ocspSigning, .emailProtection], false),
    ]

    @Test("A leaf with extended key usages must name servers", arguments: extendedUsages, [false, true])
    func extended(usages: ([ExtendedKeyUsage.Usage], Bool), critical: Bool) async throws {
        let root = try Forge.root()
        let leaf = try leaf(root, [.init(ExtendedKeyUsage(usages.0), critical: critical)])
        try await expectEqual(accepts([leaf], root: root), usages.1)
    }

    @Test("A leaf without usages may be used")
    func none() async throws {
        let root = try Forge.root()
        #expect(try await accepts([leaf(root, [])], root: root))
    }

    @Test("Malformed usages allow nothing")
    func unreadable() async throws {
        let root = try Forge.root()
        let broken = Certificate.Extension(
            oid: .X509ExtensionID.extendedKeyUsage, critical: false, value: [0x30, 0x05, 1])
        try await expectEqual(accepts([leaf(root, [broken])], root: root), false)
    }

    @Test("A leaf whose key usage does not allow signatures is refused")
    func keyUsage() async throws {
        let root = try Forge.root()
        #expect(try await accepts([leaf(root, [.init(KeyUsage(digitalSignature: true), critical: true)])], root: root))
        try await expectEqual(
            accepts([leaf(root, [.init(KeyUsage(keyAgreement: true), critical: true)])], root: root), false)
    }

    @Test("A certificate that is not an authority's cannot issue")
    func notAuthority() async throws {
        let root = try Forge.root()
        let middle = try root.issue("Middle", Forge.leafExtensions([.dnsName("middle.test")]))
        try await expectEqual(accepts([middle.issueLeaf(), middle], root: root), false)
        let bare = try root.issue("Bare", [])
        try await expectEqual(accepts([bare.issueLeaf(), bare], root: root), false)
    }

    @Test("A certificate of version 1, which cannot say that it is an authority, cannot issue (RFC 5280, 6.1.4 (k))")
    func versionOne() async throws {
        let root = try Forge.root()
        let old = try root.issue("Old device", [], version: .v1)
        try await expectEqual(accepts([old.issueLeaf(), old], root: root), false)
    }

    @Test("An authority whose key usage does not allow signing certificates cannot issue (RFC 5280, 6.1.4)")
    func keyCertSign() async throws {
        let root = try Forge.root()
        let middle = try root.issue("Middle", Forge.authorityExtensions(keyCertSign: false))
        try await expectEqual(accepts([middle.issueLeaf(), middle], root: root), false)
    }

    @Test("An authority for other purposes cannot issue for servers", arguments: extendedUsages)
    func issuerPurpose(usages: [ExtendedKeyUsage.Usage], fits: Bool) async throws {
        let root = try Forge.root()
        let purposes = try Certificate.Extension(ExtendedKeyUsage(usages), critical: false)
        let middle = try root.issue("Middle", Forge.authorityExtensions() + [purposes])
        try await expectEqual(accepts([middle.issueLeaf(), middle], root: root), fits)
    }

    @Test("A path longer than its authorities allow is refused")
    func pathLength() async throws {
        let root = try Forge.root()
        let middle = try root.issueAuthority("Middle", pathLength: 0)
        let lower = try middle.issueAuthority("Lower")
        #expect(try await accepts([middle.issueLeaf(), middle], root: root))
        try await expectEqual(accepts([lower.issueLeaf(), lower, middle], root: root), false)
    }

    @Test("Name constraints of an authority hold")
    func nameConstraints() async throws {
        let root = try Forge.root()
        for (permitted, fits) in [("example.test", true), ("other.test", false)] {
            let constraints = NameConstraints(permittedDNSDomains: [permitted])
            let middle = try root.issue(
                "Middle", Forge.authorityExtensions() + [.init(constraints, critical: true)])
            try await expectEqual(accepts([middle.issueLeaf(), middle], root: root), fits)
        }
    }

    @Test("An unknown critical extension is refused in a leaf and in an authority")
    func critical() async throws {
        let root = try Forge.root()
        let strange = Certificate.Extension(oid: [1, 3, 6, 1, 4, 1, 99_999, 1], critical: true, value: [0x05, 0x00])
        try await expectEqual(accepts([leaf(root, [strange])], root: root), false)
        let middle = try root.issue("Middle", Forge.authorityExtensions() + [strange])
        try await expectEqual(accepts([middle.issueLeaf(), middle], root: root), false)
    }

    @Test("The search through certificates that all sign each other ends at once", .timeLimit(.minutes(5)))
    func searchBudget() async throws {
        await #expect(processExitsWith: .success) {
            let root = try Forge.root()
            let key = P256.Signing.PrivateKey()
            let loop = try Forge.root("Loop").issue("Loop", key: key, Forge.authorityExtensions())
            let ring = try (0..<15).map { number in
                let names = SubjectAlternativeNames([.dnsName("n\(number).test")])
                return try loop.issue("Loop", key: key, Forge.authorityExtensions() + [.init(names, critical: false)])
            }
            let chain = try ([loop.issueLeaf()] + ring).map { try $0.der }
            let policy = SecurityPolicy.authority(pem: try root.pem)
            let isDone = await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    !(await policy.evaluate(chain: chain, host: Forge.host, time: Forge.now).verdict.isAccepted)
                }
                group.addTask {
                    try? await Task.sleep(for: .seconds(5))
                    // The search cannot be cancelled, so the process ends with it.
                    if !Task.isCancelled { endProcess() }
                    return false
                }
                let first = await group.next() ?? false
                group.cancelAll()
                return first
            }
            #expect(isDone)
        }
    }
}
