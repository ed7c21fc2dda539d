import Foundation
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The rows of docs/Migrating/AFNetworking.md about AFSecurityPolicy.
@Suite("Coming from AFNetworking: security")
struct MigratingSecurityTests {
    @Test("A policy's properties")
    func properties() {
        var policy = SecurityPolicy.system
        #expect(policy.pins.isEmpty)
        policy.allowsInvalidCertificates = true
        policy.validatesDomainName = false
        #expect(policy == .insecure)
    }

    @Test("Pinned keys and certificates, and a verdict")
    func pinned() async throws {
        try await Downloading.withFolder { folder in
            let path = folder + "/server.pem"
            let authority = try CertificateAuthority()
            let server = try authority.issue(hosts: ["example.com"])
            try server.writeChainPEM(toPath: path)
            func keys() throws -> SecurityPolicy {
                let pinned = SecurityPolicy.pinned(try Pin.publicKeys(at: path))
                return pinned
            }
            func certificates() throws -> SecurityPolicy {
                let pinned = SecurityPolicy.pinned(try Pin.certificates(at: path))
                return pinned
            }
            #expect(try keys().pins != certificates().pins)

            let policy = SecurityPolicy.system
            let chain: [[UInt8]] = []
            let verdict = await policy.evaluate(chain: chain, host: "example.com").verdict
            let copy = policy
            expectEqual(copy, policy)
            #expect("\(verdict)" != "\(TrustVerdict.trusted)")
        }
    }

    #if Foundation
    @Test("Certificates of a bundle")
    func bundle() {
        func policy() throws -> SecurityPolicy {
            let pinned = SecurityPolicy.pinned(try Pin.certificates(bundle: .main))
            return pinned
        }
        // A bundle without certificates pins none, and is refused by a session, or is an error here.
        #expect((try? policy())?.pins.isEmpty != false)
    }
    #endif
}
