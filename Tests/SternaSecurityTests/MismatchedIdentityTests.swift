import SternaCore
import SternaPlatform
import SternaTesting
import SwiftASN1
import Testing

@testable import SternaSecurity
@testable import SternaTestSupport

@Suite("A client's key and certificate that do not belong together")
struct MismatchedIdentityTests {
    private static func identity(_ chain: CertificateBundle, key: CertificateBundle) throws -> ClientIdentity {
        try ClientIdentity(
            certificates: Array(chain.certificateChainPEM.utf8), privateKey: Array(key.privateKeyPEM.utf8))
    }

    @Test("A certificate with the key of another one is refused", arguments: CertificateOptions.KeyKind.allCases)
    func refused(kind: CertificateOptions.KeyKind) throws {
        let authority = try CertificateAuthority()
        var options = CertificateOptions()
        options.key = kind
        let own = try authority.issue(options)
        _ = try Self.identity(own, key: own)
        for other in CertificateOptions.KeyKind.allCases {
            options.key = other
            let stranger = try authority.issue(options)
            let error = #expect(throws: SternaError.self) { try Self.identity(own, key: stranger) }
            expectEqual(error?.kind, .identityUnusable)
            expectEqual(error?.detail.contains("does not belong"), true)
        }
        #expect(throws: SternaError.self) {
            try ClientIdentity(
                certificates: Array(own.certificateChainPEM.utf8), privateKey: Array(RSAIdentity.key.utf8))
        }
    }

    @Test("A missing file, of the certificate or of the key, is an unusable identity, and the error names it")
    func missing() throws {
        let folder = FileManager.default.temporaryDirectory.path
        let file = "\(folder)/sterna-identity-\(UUID().uuidString).pem"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let own = try CertificateAuthority().issue()
        try Data((own.certificateChainPEM + own.privateKeyPEM).utf8).write(to: URL(filePath: file))
        _ = try ClientIdentity(certificateFile: file, keyFile: file)
        for (certificate, key, name) in [
            ("\(folder)/none.pem", nil, "none.pem"), (file, "\(folder)/none.key", "none.key"),
        ] {
            let error = #expect(throws: SternaError.self) {
                try ClientIdentity(certificateFile: certificate, keyFile: key)
            }
            expectEqual(error?.kind, .identityUnusable)
            expectEqual(error?.detail.contains(name), true)
            expectEqual(error?.detail.contains("cannot be read"), true)
        }
    }

    @Test("RSA keys are compared too")
    func rsa() throws {
        let key = try PrivateKeys.read(Array(RSAIdentity.key.utf8), password: nil)
        let half = try #require(KeyHalf(privateKey: key))
        let der = try PEMDocument(pemString: RSAIdentity.certificate).derBytes
        expectEqual(half, KeyHalf(certificate: der))
        #expect(PrivateKeys.fits(key, der))
        let other = try PEMDocument(pemString: WeakCertificates.root).derBytes
        #expect(KeyHalf(certificate: other) != nil)
        #expect(half.differs(from: KeyHalf(certificate: other)))
        #expect(!PrivateKeys.fits(key, other))
    }

    /// The TLS library's context leaks where it refuses a key: 4.6 KB each time.
    @Test("A thousand refusals leak no memory")
    func leak() async {
        await #expect(processExitsWith: .success) {
            let authority = try CertificateAuthority()
            let (own, stranger) = (try authority.issue(), try authority.issue())
            func attempt(_ count: Int) {
                for _ in 0..<count { _ = try? MismatchedIdentityTests.identity(own, key: stranger) }
            }
            attempt(100)
            let before = ProcessUsage.peakMemory()
            attempt(1_000)
            let grown = ProcessUsage.peakMemory() - before
            #expect(grown < 1 << 20, "\(grown) bytes")
        }
    }
}
