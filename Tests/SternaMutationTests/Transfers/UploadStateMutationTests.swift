import MutationKit
import SternaCore
import SternaPlatform
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers
@testable import SternaWireTestSupport

@Suite("Mutations: stored uploads")
struct UploadStateMutationTests {
    static let states = MutatedReader(
        "UploadState",
        seeds: [
            #"{"stage":"open","dialect":"ietf-8","target":"https://a.example/","url":"https://a.example/1","offset":5,"#
                + #""reached":7,"length":9,"defersLength":false,"isLengthTold":true,"limits":{"maxAppend":3},"expires":1}"#,
            #"{"stage":"begun","dialect":"tus-1.0.0","target":"https://a.example/","offset":0,"reached":0,"length":9,"#
                + #""defersLength":true,"isLengthTold":false,"limits":{},"tus":{"extensions":["creation"],"checksums":[]}}"#,
        ],
        tokens: [
            "\"open\"", "\"completing\"", "ietf-", "tus-1.0.0", "-1", "9223372036854775807", "1e400", "null", "{", "}",
            "\"maxAppend\":", "\"minAppend\":", "\"maxSize\":", "https://u:p@b.example/",
        ]
    ) { bytes in
        guard let state = try? JSONDecoder().decode(UploadState.self, from: Data(bytes)) else { return .refused }
        guard (0...state.length).contains(state.offset), (state.offset...state.length).contains(state.reached) else {
            throw MutationFailure("\(state) has a wrong offset.")
        }
        guard state.url?.userinfo == nil else { throw MutationFailure("The upload's URL has credentials.") }
        var current = state
        current.isCurrent = true
        var plan = UploadPlan(target: state.target, length: state.length)
        plan.creation = .withContent
        for state in [state, current] {
            let step = UploadRule.next(state, plan)
            guard step.content.lowerBound >= 0, step.content.upperBound <= state.length else {
                throw MutationFailure("\(step) sends what is not there.")
            }
        }
        return .accepted
    }

    @Test("No damaged state ends the process, or makes an upload send what is not there") func survives() async {
        let report = await Self.states.supervise {
            await #expect(processExitsWith: .success) { await UploadStateMutationTests.states.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
