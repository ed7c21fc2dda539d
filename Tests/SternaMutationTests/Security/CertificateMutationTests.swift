import MutationKit
import Testing

@testable import SternaSecurity
@testable import SternaSecurityTests
@testable import SternaTestSupport

@Suite("Mutations: certificates")
struct CertificateMutationTests {
    private static let tokens: [[UInt8]] = [
        [0x30, 0x80], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x02, 0x01], [0x03, 0x02, 0x07], [0x04, 0x00],
        [0x05, 0x00],
        [0x06, 0x03, 0x55, 0x1D, 0x11], [0x06, 0x03, 0x55, 0x1D, 0x1E], [0x17, 0x0D], [0x18, 0x0F], [0xA0, 0x03],
        [0xA3, 0x82],
        [0x1F, 0xFF, 0xFF, 0xFF, 0x7F], [0x87, 0x04], [0x82, 0x00], [0x00, 0x00], [0x30, 0x00],
    ]

    static let files = MutatedReader(
        "Certificates", seeds: [MutationSeeds.authority, MutationSeeds.leaf, MutationSeeds.rsa], tokens: tokens
    ) { bytes in
        _ = try? Pin.publicKey(of: bytes)
        _ = try? Pin.certificate(bytes)
        _ = CertificateFiles.certificates(in: bytes)
        guard let raw = RawCertificate(bytes) else { return .refused }
        _ = (raw.keyHash, KeyStrength.refusal(of: raw), KeyStrength.cost(of: raw), KeyStrength.text(of: raw))
        guard let summary = CertificateSummary(der: bytes) else { return .refused }
        _ = summary.description
        return .accepted
    }

    @Test("No mutated certificate ends the process that reads it")
    func survivesReading() async {
        let report = await Self.files.supervise {
            await #expect(processExitsWith: .success) { await CertificateMutationTests.files.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    /// As the server's certificate, and as that of its authority.
    static let chains = MutatedReader(
        "Chains", seeds: [MutationSeeds.leaf, MutationSeeds.authority], tokens: tokens, acceptsSeeds: false,
        asynchronously: { bytes in
            let policy = SecurityPolicy(roots: .certificates([MutationSeeds.authority]))
            var isTrusted = false
            for chain in [[bytes, bytes], [MutationSeeds.leaf, bytes], [bytes]] {
                let evaluation = await policy.evaluate(chain: chain, host: "www.example.test", time: 1_800_000_000)
                _ = "\(evaluation.verdict)"
                isTrusted = evaluation.verdict.isAccepted
            }
            return isTrusted ? .accepted : .refused
        })

    @Test("No mutated chain ends the process that judges it")
    func survivesJudging() async {
        let report = await Self.chains.supervise {
            await #expect(processExitsWith: .success) { await CertificateMutationTests.chains.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
