import SwiftASN1
import Testing
import X509

@testable import SternaSecurity
@testable import SternaTestSupport

/// A certificate whose basic constraints say that it is an authority's, shown by a server.
@Suite("Certificates of authorities as those of servers")
struct AuthorityAsServerTests {
    /// What `openssl req -x509` writes, with a name.
    private static func extensions(keyUsage: Bool = true) throws -> [Certificate.Extension] {
        let usage = KeyUsage(digitalSignature: true, keyCertSign: true)
        return [
            try .init(BasicConstraints.isCertificateAuthority(maxPathLength: nil), critical: true),
            try .init(SubjectAlternativeNames([.dnsName(Forge.host)]), critical: false),
        ] + (keyUsage ? [try .init(usage, critical: true)] : [])
    }

    private func verdict(
        _ chain: [Forge], roots: [Forge], host: String = Forge.host, _ change: (inout SecurityPolicy) -> Void = { _ in }
    ) async throws -> TrustVerdict {
        var policy = SecurityPolicy.authority(pem: try roots.map { try $0.pem }.joined(separator: "\n"))
        change(&policy)
        return await policy.evaluate(chain: try chain.map { try $0.der }, host: host, time: Forge.now).verdict
    }

    @Test("An authority's certificate under a root is refused as a server's", arguments: [true, false])
    func issued(keyUsage: Bool) async throws {
        let root = try Forge.root()
        let middle = try root.issueAuthority()
        let leaf = try middle.issue(Forge.host, Self.extensions(keyUsage: keyUsage))
        let failure = try await verdict([leaf, middle], roots: [root]).failure
        expectEqual(failure?.check, .basicConstraints)
        expectEqual(failure?.reason.contains("of an authority, not of a server"), true)
        expectEqual(failure?.certificate?.names, [Forge.host])
        // A pin makes nothing valid.
        let pin = try Pin.publicKey(of: leaf.der)
        try await expectEqual(verdict([leaf, middle], roots: [root]) { $0.pins = [pin] }.failure, failure)
    }

    @Test("An authority's certificate that is a root is trusted for its own names", arguments: [true, false])
    func anchor(keyUsage: Bool) async throws {
        let own = try Forge.root(Forge.host, Self.extensions(keyUsage: keyUsage))
        try await expectEqual(verdict([own], roots: [own]), .trusted)
        try await expectEqual(verdict([own], roots: [Forge.root(), own]), .trusted)
        try await expectEqual(verdict([own], roots: [own], host: "other.test").failure?.check, .hostName)
        let unknown = try #require(await verdict([own], roots: [Forge.root()]).failure)
        expectEqual(unknown.check, .issuer)
        #expect(unknown.advice.contains("trust it as a root"))
    }

    @Test("An authority's certificate that is a root itself is trusted, though another authority issued it")
    func chosenAuthority() async throws {
        let middle = try Forge.root().issue("Middle", Self.extensions())
        try await expectEqual(verdict([middle], roots: [middle]), .trusted)
    }

    @Test("A pinned certificate of an authority is accepted if invalid certificates are allowed")
    func pinned() async throws {
        let own = try Forge.root(Forge.host, Self.extensions())
        let issued = try Forge.root().issue(Forge.host, Self.extensions())
        for forge in [own, issued] {
            for pin in [try Pin.publicKey(of: forge.der), try Pin.certificate(forge.der)] {
                let verdict = try await verdict([forge], roots: [Forge.root()]) {
                    $0.allowsInvalidCertificates = true
                    $0.pins = [pin]
                }
                expectEqual(verdict, .overlooked)
            }
        }
    }

    @Test(
        "Malformed basic constraints are refused", arguments: [[0x30, 0x01], [0x05, 0x00], [0x30, 0x03, 0x01, 0x01]])
    func unreadable(value: [UInt8]) async throws {
        let root = try Forge.root()
        let leaf = try root.issue(
            Forge.host,
            [
                Certificate.Extension(oid: .X509ExtensionID.basicConstraints, critical: true, value: value[...]),
                try .init(SubjectAlternativeNames([.dnsName(Forge.host)]), critical: false),
            ])
        try await expectEqual(verdict([leaf], roots: [root]).failure?.check, .basicConstraints)
    }
}
