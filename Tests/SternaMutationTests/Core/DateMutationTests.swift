import MutationKit
import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Mutations: dates")
struct DateMutationTests {
    static let reader = MutatedReader(
        "HTTPDate",
        seeds: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"],
        tokens: [" ", ",", "-", ":", "GMT", "0000", "9999", "Feb", "31", "Monday"]
    ) { bytes in
        guard let seconds = HTTPDate.seconds(String(decoding: bytes, as: UTF8.self)) else { return .refused }
        guard seconds >= -62_167_219_200, seconds < 253_402_300_801 else {
            throw MutationFailure("\(seconds) is no second of a year with four digits.")
        }
        return .accepted
    }

    @Test("No mutated date ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await DateMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
