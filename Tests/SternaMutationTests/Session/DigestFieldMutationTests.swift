import MutationKit
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Mutations: digest fields")
struct DigestFieldMutationTests {
    static let reader = MutatedReader(
        "DigestField",
        seeds: [
            "sha-256=:\(Samples.sha256):",
            "sha-512=:\(Samples.sha512):, sha-256=:\(Samples.sha256):;a=\"b\", c=(1 2.5 ?1)",
        ],
        tokens: ["sha-256", "=", ":", ",", ";", "(", ")", "?1", "@1", "%\"", "\"", "-", "999999999999999", "."]
    ) { bytes in
        let digests = DigestField.digests([String(decoding: bytes, as: UTF8.self)], .contentField)
        guard digests.allSatisfy({ $0.value.count == $0.algorithm.length }) else {
            throw MutationFailure("A digest has a wrong length.")
        }
        return digests.isEmpty ? .refused : .accepted
    }

    @Test("No mutated field ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await DigestFieldMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
