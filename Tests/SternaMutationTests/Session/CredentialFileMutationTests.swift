import MutationKit
import Testing

@testable import Sterna
@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Mutations: files of credentials")
struct CredentialFileMutationTests {
    static let reader = MutatedReader(
        "CredentialFile", seeds: [Samples.credentialFile, #"{"version":1,"credentials":[]}"#],
        tokens: [
            "[", "]", "{", "}", ",", "null", "\"", "\\", "1e9", "\"realm\":", "\"token\":", "\"origin\":", "https://",
            "[::1]", ":8443", "é",
        ]
    ) { bytes in
        guard let file = try? CredentialFile(parsing: bytes) else { return .refused }
        guard try CredentialFile(parsing: file.content()) == file else {
            throw MutationFailure("It is not read as it was written.")
        }
        return .accepted
    }

    @Test("No mutated file ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await CredentialFileMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
