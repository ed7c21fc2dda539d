import Sterna
import SternaCore
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Uploads: stable offsets", .timeLimit(.minutes(5)))
struct OffsetStabilizerTests {
    @Test(
        "The offset is requested until two responses are equal",
        arguments: [
            ([5, 5], [true, false]), ([5, 7, 7, 9], [true, true, false, false]), ([0, 0], [true, false]),
            ([1, 2, 3, 4, 5, 6, 7, 8, 9], [true, true, true, true, true, true, true, false, false]),
        ] as [([Int64], [Bool])])
    func questions(offsets: [Int64], expected: [Bool]) throws {
        var stabilizer = OffsetStabilizer(try UploadScene.state(.tus, offset: 0))
        let answers = try offsets.map { offset in
            let (state, asksAgain) = stabilizer.stabilize(try UploadScene.state(.tus, offset: offset), after: .ask)
            expectEqual(state.isCurrent, !asksAgain)
            return asksAgain
        }
        expectEqual(answers, expected)
    }

    @Test("The offset is not requested again for a new or a complete upload, nor after other steps")
    func others() throws {
        let open = try UploadScene.state(.tus, offset: 5)
        var new = OffsetStabilizer(nil)
        #expect(!new.stabilize(open, after: .ask).asksAgain)
        var uncreated = OffsetStabilizer(try UploadScene.state(.tus))
        #expect(!uncreated.stabilize(open, after: .ask).asksAgain)
        var resumed = OffsetStabilizer(open)
        #expect(!resumed.stabilize(open, after: .append(0..<5, completes: false)).asksAgain)
        var complete = open
        complete.stage = .complete
        #expect(!resumed.stabilize(complete, after: .ask).asksAgain)
        #expect(resumed.stabilize(open, after: .ask).asksAgain)
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
