import MutationKit
import Testing

@testable import SternaSecurity
@testable import SternaTestSupport

@Suite("Mutations: PKCS #12, keys, PEM")
struct IdentityMutationTests {
    static let containers = MutatedReader(
        "PKCS12", seeds: [MutationSeeds.container, MutationSeeds.oldContainer, MutationSeeds.plainContainer],
        tokens: [
            [0x30, 0x80], [0x24, 0x80], [0x04, 0x82], [0x00, 0x00], [0xA0, 0x80], [0x02, 0x01, 0x01],
            [0x02, 0x03, 0x0F, 0x42, 0x40],
            [0x02, 0x04, 0x7F, 0xFF, 0xFF, 0xFF], [0x02, 0x09, 0x00, 0xFF],
            [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D],
        ]
    ) { bytes in
        (try? ClientIdentity(pkcs12: bytes, password: MutationSeeds.password)) == nil ? .refused : .accepted
    }

    @Test("No mutated container ends the process")
    func survivesContainers() async {
        let report = await Self.containers.supervise {
            await #expect(processExitsWith: .success) { await IdentityMutationTests.containers.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    static let keys = MutatedReader(
        "PEM",
        seeds: [
            MutationSeeds.encryptedKey, MutationSeeds.key, MutationSeeds.oldKey, MutationSeeds.rsaKey,
            MutationSeeds.certificates + MutationSeeds.key, MutationSeeds.certificates + MutationSeeds.certificates,
        ],
        tokens: [
            "-----BEGIN CERTIFICATE-----\n", "-----END CERTIFICATE-----\n", "-----BEGIN PRIVATE KEY-----\n",
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\n", "-----END", "-----", "Proc-Type: 4,ENCRYPTED\n",
            "DEK-Info: AES-128-CBC,00\n", "\r\n", "\n\n", "=", "AAAA", "\u{0}",
        ].map { Array($0.utf8) }
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let certificates = CertificateFiles.certificates(in: bytes).certificates
        _ = PEMBlocks.certificates(in: text)
        _ = try? ClientIdentity(certificates: bytes, privateKey: bytes, password: MutationSeeds.password)
        _ = try? Pin(text)
        let key = try? PrivateKeys.read(bytes, password: MutationSeeds.password)
        return key == nil && certificates.isEmpty ? .refused : .accepted
    }

    @Test("No mutated key or certificate in PEM ends the process")
    func survivesKeys() async {
        let report = await Self.keys.supervise {
            await #expect(processExitsWith: .success) { await IdentityMutationTests.keys.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
