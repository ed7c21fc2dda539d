import Sterna
import SternaCore
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Uploads: stable offsets", .timeLimit(.minutes(5)))
struct UploadSettlingTests {
    @Test(
        "The offset is requested until two responses are equal",
        arguments: [
            ([5, 5], [true, false]), ([5, 7, 7, 9], [true, true, false, false]), ([0, 0], [true, false]),
            ([1, 2, 3, 4, 5, 6, 7, 8, 9], [true, true, true, true, true, true, true, false, false]),
        ] as [([Int64], [Bool])])
    func questions(offsets: [Int64], expected: [Bool]) throws {
        var settling = UploadSettling(try UploadScene.state(.tus, offset: 0))
        let answers = try offsets.map { offset in
            let (state, asksAgain) = settling.settle(try UploadScene.state(.tus, offset: offset), after: .ask)
            expectEqual(state.isCurrent, !asksAgain)
            return asksAgain
        }
        expectEqual(answers, expected)
    }

    @Test("The offset is not requested again for a new or a complete upload, nor after other steps")
    func others() throws {
        let open = try UploadScene.state(.tus, offset: 5)
        var new = UploadSettling(nil)
        #expect(!new.settle(open, after: .ask).asksAgain)
        var uncreated = UploadSettling(try UploadScene.state(.tus))
        #expect(!uncreated.settle(open, after: .ask).asksAgain)
        var resumed = UploadSettling(open)
        #expect(!resumed.settle(open, after: .append(0..<5, completes: false)).asksAgain)
        var complete = open
        complete.stage = .complete
        #expect(!resumed.settle(complete, after: .ask).asksAgain)
        #expect(resumed.settle(open, after: .ask).asksAgain)
    }

    @Test("The upload waits for content of an earlier run that still arrives", arguments: [[8], []] as [Set<Int>])
    func late(versions: Set<Int>) async throws {
        let model = UploadModel(versions: versions) { number, _ in
            number == 2 ? .cutLate(after: 50_000, late: 30_000) : nil
        }
        try await TestServer.withServer { server in
            model.serve(on: server)
            let bench = try UploadBench(server)
            var first = bench.runner(bench.plan())
            first.patience.failures = 0
            let failing = first
            await #expect(throws: SternaError.self) { try await failing.run() }
            _ = try await bench.runner(bench.plan()).run(from: try bench.stored())
            expectEqual(model.log, ["OPTIONS", "POST", "PATCH", "HEAD", "HEAD", "HEAD", "PATCH"])
            expectEqual(model.uploads.map(\.bytes), [bench.content])
        }
    }
}
