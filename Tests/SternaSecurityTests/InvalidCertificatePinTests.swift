import SternaPlatform
import SternaTesting
import Testing

@testable import SternaSecurity
@testable import SternaTestSupport

/// A pinned certificate is public: only a handshake with its key or a signature by it proves anything.
@Suite("Pins where invalid certificates are allowed")
struct InvalidCertificatePinTests {
    private static let host = "www.example.test"

    private func verdict(
        _ chain: [[UInt8]], _ pins: Set<Pin>, checksNames: Bool = true, rule: PinningRule = .any
    ) async throws -> TrustVerdict {
        var policy = SecurityPolicy(
            roots: .pem(try CertificateAuthority(commonName: "Unrelated").pem), pins: pins,
            allowsInvalidCertificates: true)
        policy.validatesDomainName = checksNames
        policy.pinningRule = rule
        return await policy.evaluate(chain: chain, host: Self.host).verdict
    }

    @Test("A pinned certificate that is merely sent along proves nothing", arguments: PinningRule.allCases)
    func sentAlong(rule: PinningRule) async throws {
        let known = try CertificateBundle.selfSigned(CertificateOptions(hosts: [Self.host]))
        let authority = try CertificateAuthority()
        let forged = try CertificateBundle.selfSigned(CertificateOptions(hosts: [Self.host], commonName: "Forged"))
        for pinned in [known.leafDER, authority.der] {
            for pin in [try Pin.publicKey(of: pinned), try Pin.certificate(pinned)] {
                for checksNames in [true, false] {
                    let chain = [forged.leafDER, pinned]
                    let found = try await verdict(chain, [pin], checksNames: checksNames, rule: rule)
                    expectEqual(found.failure?.check, .pin)
                }
            }
        }
    }

    @Test("An authority with the name of a pinned one does not match the pin")
    func sameName() async throws {
        let (known, forged) = (try CertificateAuthority(), try CertificateAuthority())
        let chain = [try forged.issue(hosts: [Self.host]).leafDER, known.der, forged.der]
        for pin in [try Pin.publicKey(of: known.der), try Pin.certificate(known.der)] {
            try await expectEqual(verdict(chain, [pin]).failure?.check, .pin)
        }
    }

    @Test("The server's own key or certificate is enough, but not for another host")
    func own() async throws {
        let bundle = try CertificateBundle.selfSigned(CertificateOptions(hosts: [Self.host]))
        let other = try CertificateBundle.selfSigned(CertificateOptions(hosts: ["other.test"]))
        for make in [Pin.publicKey, Pin.certificate] as [([UInt8]) throws -> Pin] {
            try await expectEqual(verdict([bundle.leafDER], [make(bundle.leafDER)]), .overlooked)
            try await expectEqual(verdict([other.leafDER], [make(other.leafDER)]).failure?.check, .hostName)
            try await expectEqual(verdict([other.leafDER], [make(other.leafDER)], checksNames: false), .overlooked)
            try await expectEqual(verdict([bundle.leafDER], [make(other.leafDER)]).failure?.check, .pin)
        }
    }

    @Test("An expired certificate is accepted if its own key is pinned")
    func expired() async throws {
        let past = CertificateOptions(
            hosts: [Self.host], notBefore: Date(timeIntervalSinceNow: -200_000),
            notAfter: Date(timeIntervalSinceNow: -100_000))
        let leaf = try CertificateAuthority().issue(past).leafDER
        try await expectEqual(verdict([leaf], [.publicKey(of: leaf)]), .overlooked)
    }

    @Test("A pinned authority that issued the certificate is enough")
    func issuer() async throws {
        let authority = try CertificateAuthority()
        let middle = try authority.issueIntermediate()
        let bundle = try middle.issue(hosts: [Self.host])
        let chain = try bundle.chainDER()
        try await expectEqual(verdict(chain + [authority.der], [.certificate(authority.der)]), .overlooked)
        try await expectEqual(verdict(chain, [.certificate(middle.der)]), .overlooked)
        let elsewhere = try middle.issue(hosts: ["other.test"])
        #expect(try await verdict(elsewhere.chainDER(), [.certificate(middle.der)]).failure != nil)
    }

    @Test("Checking names without a pin is an error of the policy")
    func nothingPinned() async throws {
        let leaf = try CertificateAuthority().issue(hosts: [Self.host]).leafDER
        try await expectEqual(verdict([leaf], []).failure?.check, .policy)
        try await expectEqual(verdict([leaf], [], checksNames: false), .overlooked)
    }
}
