import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Uploads: parts at once")
struct ConcatenatedUploadTests {
    private static func upload(
        _ bench: UploadBench, parts: Int,
        record: @escaping @Sendable (ConcatenatedUpload.State) async throws -> Void = { _ in }
    ) -> ConcatenatedUpload {
        var upload = ConcatenatedUpload(
            bench.session, bench.plan(), file: UploadSource(path: bench.path), parts: parts, record: record)
        (upload.patience.firstWait, upload.patience.limit) = (.milliseconds(1), .milliseconds(4))
        (upload.patience.failures, upload.patience.requests) = (50, 200)
        return upload
    }

    @Test("The parts cover the file", arguments: [(10, 3, [4, 3, 3]), (2, 5, [1, 1]), (0, 4, [0]), (7, 0, [7])])
    func ranges(length: Int, parts: Int, expected: [Int]) async throws {
        try await TestServer.withServer { server in
            let bench = try UploadBench(server, bytes: length)
            let ranges = Self.upload(bench, parts: parts).ranges
            expectEqual(ranges.map(\.count), expected)
            expectEqual(ranges.last?.upperBound, Int64(length))
            for (one, next) in zip(ranges, ranges.dropFirst()) { expectEqual(one.upperBound, next.lowerBound) }
        }
    }

    @Test("Parts are joined to the file despite broken connections", arguments: UploadSeeds.some(4))
    func cuts(seed: UInt64) async throws {
        let numbers = Mutex(SeededRandom(seed: seed))
        let model = UploadModel { _, method in
            numbers.withLock { numbers in
                guard method == "PATCH", Int.random(in: 0..<2, using: &numbers) == 0 else { return nil }
                return .cut(after: Int.random(in: 0..<60_000, using: &numbers))
            }
        }
        try await TestServer.withServer { server in
            model.serve(on: server)
            let bench = try UploadBench(server, seed: seed)
            let reports = Mutex<[TransferProgress]>([])
            let states = Mutex<[ConcatenatedUpload.State]>([])
            var upload = Self.upload(bench, parts: 4) { state in states.withLock { $0.append(state) } }
            upload.progress = { step in reports.withLock { $0.append(step) } }
            let state = try await upload.run().state
            expectEqual(state.stage, .complete)
            #expect(model.uploads.contains { $0.bytes == bench.content }, "seed \(seed): \(model.log)")
            expectEqual(reports.withLock { $0.last?.completed }, 300_000)
            expectEqual(states.withLock { $0.last?.whole }, state.stored)
        }
    }

    @Test("All parts resume after a kill", arguments: [1, 4, 9, 14])
    func kills(after count: Int) async throws {
        struct Killed: Error {}
        let model = UploadModel()
        try await TestServer.withServer { server in
            model.serve(on: server)
            let bench = try UploadBench(server)
            let recorded = Mutex<[ConcatenatedUpload.State]>([])
            let killed = Self.upload(bench, parts: 3) { state in
                let number = recorded.withLock { states in
                    states.append(state)
                    return states.count
                }
                if number >= count { throw Killed() }
            }
            do {
                _ = try await killed.run()
            } catch is Killed {}
            let last = try #require(recorded.withLock { $0.last })
            let stored = try JSONDecoder().decode(ConcatenatedUpload.State.self, from: JSONEncoder().encode(last))
            let state = try await Self.upload(bench, parts: 3).run(from: stored).state
            expectEqual(state.stage, .complete)
            #expect(model.uploads.contains { $0.bytes == bench.content && !$0.isPartial })
        }
    }

    @Test("States are recorded one at a time, never an older one after a newer one")
    func order() async throws {
        try await TestServer.withServer { server in
            UploadModel().serve(on: server)
            let bench = try UploadBench(server)
            let running = Mutex(0)
            let sums = Mutex<[Int64]>([])
            let upload = Self.upload(bench, parts: 8) { state in
                expectEqual(
                    running.withLock {
                        $0 += 1
                        return $0
                    }, 1)
                for _ in 0..<50 { await Task.yield() }
                sums.withLock { $0.append(state.parts.map(\.offset).reduce(0, +)) }
                running.withLock { $0 -= 1 }
            }
            try await expectEqual(upload.run().state.stage, .complete)
            let found = sums.withLock { $0 }
            expectEqual(found, found.sorted())
            expectEqual(found.last, 300_000)
        }
    }

    @Test("The IETF protocol has no parts")
    func ietf() async throws {
        try await TestServer.withServer { server in
            UploadModel(versions: [8]).serve(on: server)
            let bench = try UploadBench(server)
            let error = await #expect(throws: SternaError.self) { try await Self.upload(bench, parts: 2).run() }
            expectEqual(error?.kind, .invalidRequest)
        }
    }
}
