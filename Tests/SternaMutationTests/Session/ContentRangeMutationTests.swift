import MutationKit
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Mutations: Content-Range")
struct ContentRangeMutationTests {
    static let reader = MutatedReader(
        "ContentRange", seeds: ["bytes 0-499/1234", "bytes 0-499/*", "bytes */1234"],
        tokens: ["bytes", " ", "-", "/", "*", "0", "9223372036854775807", "9223372036854775806"]
    ) { bytes in
        guard let range = ContentRange(String(decoding: bytes, as: UTF8.self)) else { return .refused }
        guard ContentRange(range.fieldValue) == range else {
            throw MutationFailure("\(range.fieldValue) is not read as it was written.")
        }
        if case .part(let part, let length) = range,
            part.isEmpty || part.lowerBound < 0 || part.upperBound > length ?? .max
        {
            throw MutationFailure("\(range.fieldValue) is outside of the file.")
        }
        return .accepted
    }

    @Test("No mutated value ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await ContentRangeMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
