import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Uploads: cut in the middle of a large request", .timeLimit(.minutes(5)))
struct LostUploadTests {
    /// More than the buffers of a connection take.
    private static let length = 40_000_000

    private static func bench(_ server: TestServer) throws -> (bench: UploadBench, plan: UploadPlan) {
        let bench = try UploadBench(server, bytes: 0)
        try Data(count: length).write(to: URL(filePath: bench.path))
        return (bench, UploadPlan(target: bench.target, length: Int64(length)))
    }

    @Test(
        "An upload that the server forgets after a part of it restarts", arguments: [[8], []] as [Set<Int>])
    func forgotten(versions: Set<Int>) async throws {
        let model = UploadModel(versions: versions) { number, method in
            number == 2 ? .cut(after: 900_000) : method == "HEAD" ? .forget : nil
        }
        try await TestServer.withServer { server in
            model.serve(on: server)
            let (bench, plan) = try Self.bench(server)
            let state = try await bench.runner(plan).run().state
            expectEqual(state.stage, .complete)
            expectEqual(model.log, ["OPTIONS", "POST", "PATCH", "HEAD", "POST", "PATCH"])
            expectEqual(model.uploads.map(\.bytes.count), [Self.length])
        }
    }

    @Test("A creation with content that is cut after a part of it is repeated")
    func creation() async throws {
        let model = UploadModel(versions: [8]) { number, _ in number == 1 ? .cut(after: 900_000) : nil }
        try await TestServer.withServer { server in
            model.serve(on: server)
            var (bench, plan) = try Self.bench(server)
            plan.creation = .withContent
            let state = try await bench.runner(plan).run().state
            expectEqual(state.stage, .complete)
            expectEqual(model.log, ["OPTIONS", "POST", "POST"])
            #expect(model.uploads.contains { $0.bytes.count == Self.length && $0.isComplete })
        }
    }

    @Test("Sent bytes are recorded in addition to confirmed ones", arguments: [false, true])
    func sent(isCancelled: Bool) async throws {
        let model = UploadModel { number, method in
            number == 2 && !isCancelled ? .cut(after: 3_000_000) : method == "HEAD" ? .status(503, [:]) : nil
        }
        try await TestServer.withServer { server in
            model.serve(on: server)
            if isCancelled {
                server.route("PATCH", "/files/{id}") { request in
                    var taken = 0
                    for try await piece in request.body {
                        taken += piece.count
                        if taken >= 3_000_000 { break }
                    }
                    return ServerResponse(body: .raw { await $0.waitForClose() })
                }
            }
            let (bench, plan) = try Self.bench(server)
            var runner = bench.runner(plan)
            runner.patience.failures = 0
            let gate = AsyncStream.makeStream(of: Void.self)
            runner.progress = { if $0.completed >= 2_000_000 { gate.continuation.yield() } }
            let task = Task { [runner] in try await runner.run() }
            if isCancelled {
                for await _ in gate.stream { break }
                task.cancel()
            }
            await #expect(throws: SternaError.self) { try await task.value }
            let last = try #require(bench.recorded.last)
            #expect(last.url != nil && last.offset == 0, "\(last)")
            #expect(last.sent >= 2_000_000 && last.sent < Self.length, "\(last.sent)")
            let record = UploadRecord.resumable(last)
            #expect(record.confirmed == 0 && record.sent == last.sent)
            // The server's next response decides.
            var confirmed = last
            try confirmed.confirm(5)
            expectEqual(UploadRecord.resumable(confirmed).sent, 5)
        }
    }
}
