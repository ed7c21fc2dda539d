import MutationKit
import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Mutations: resume data")
struct ResumeDataMutationTests {
    static let reader = MutatedReader(
        "ResumeData", seeds: [Samples.resumeData, Samples.resumeData.split(separator: "\"length\":100,").joined()],
        tokens: ["[", "]", "{", "}", ",", "[0,1]", "9223372036854775807", "-1", "1e9", "null", "\"", "\"length\":"]
    ) { bytes in
        guard let data = try? ResumeData(data: Data(bytes)) else { return .refused }
        _ = ("\(data)", data.receivedBytes, data.present.missing(of: data.length), ResumeRule.next(data.known))
        guard try ResumeData(data: data.data) == data else {
            throw MutationFailure("\(data) is not read as it was written.")
        }
        guard data.present.end <= data.length ?? .max else {
            throw MutationFailure("\(data) has more bytes than the file.")
        }
        return .accepted
    }

    @Test("No mutated data ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await ResumeDataMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
