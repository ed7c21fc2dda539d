import NIOCore
import Sterna
import SternaCore
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Uploads: end to end")
struct UploadRunnerTests {
    /// Uploads a file and checks that the server has exactly its bytes.
    @discardableResult
    static func upload(
        _ model: UploadModel, bytes: Int = 300_000, _ change: (inout UploadPlan) -> Void = { _ in }
    ) async throws -> UploadBench {
        try await TestServer.withServer { server in
            model.serve(on: server)
            let bench = try UploadBench(server, bytes: bytes)
            let state = try await bench.runner(bench.plan(.discovered, change)).run().state
            expectEqual(state.stage, .complete)
            expectEqual(model.uploads.map(\.bytes), [bench.content])
            expectEqual(model.uploads.map(\.isComplete), [true])
            expectEqual(bench.recorded.last, state.stored)
            expectEqual(bench.progress.last?.completed, Int64(bytes))
            return bench
        }
    }

    @Test("A file is created without content, then sent", arguments: [[8], []] as [Set<Int>])
    func plain(versions: Set<Int>) async throws {
        let model = UploadModel(versions: versions)
        let bench = try await Self.upload(model)
        expectEqual(model.log, ["OPTIONS", "POST", "PATCH"])
        let first = try #require(bench.recorded.first { $0.url != nil })
        expectEqual(first.offset, 0)
        expectEqual(first.stage, .open)
    }

    @Test("The upload's URL is recorded before any content is sent", arguments: [[8], []] as [Set<Int>])
    func recordedFirst(versions: Set<Int>) async throws {
        let model = UploadModel(versions: versions)
        try await TestServer.withServer { server in
            model.serve(on: server)
            let bench = try UploadBench(server)
            let logs = Mutex<[[String]]>([])
            _ = try await bench.runner(bench.plan()) { state in
                guard state.url != nil else { return }
                logs.withLock { $0.append(model.log) }
            }.run()
            expectEqual(logs.withLock { $0.first }, ["OPTIONS", "POST"])
        }
    }

    @Test("The caller gets the response of the target resource, unless it was lost", arguments: [false, true])
    func targetAnswer(isLost: Bool) async throws {
        let model = UploadModel(versions: [8]) { number, _ in isLost && number == 2 ? .cutAnswer : nil }
        try await TestServer.withServer { server in
            model.serve(on: server)
            let bench = try UploadBench(server)
            let result = try await bench.runner(bench.plan()).run()
            expectEqual(result.response?.body.whole.map { String(buffer: $0) }, (isLost ? nil : "thanks"))
            expectEqual(result.state.stage, .complete)
        }
    }

    @Test("An upload by tus may use only POST")
    func methodOverride() async throws {
        let model = UploadModel { number, _ in number == 2 ? .cut(after: 1_000) : nil }
        let bench = try await Self.upload(model) { $0.overridesMethods = true }
        expectEqual(model.log, ["OPTIONS", "POST", "POST", "HEAD", "POST"])
        #expect(bench.recorded.contains { $0.offset == 1_000 })
    }

    @Test("Uploads run over HTTP/2", arguments: [[8], []] as [Set<Int>])
    func http2(versions: Set<Int>) async throws {
        let model = UploadModel(versions: versions) { number, _ in number == 2 ? .cut(after: 70_000) : nil }
        try await TestServer.withServer(TestServer.Options(http2: .byPriorKnowledge)) { server in
            model.serve(on: server)
            let bench = try UploadBench(server) { $0.network.http2 = .priorKnowledge }
            _ = try await bench.runner(bench.plan()).run()
            expectEqual(model.uploads.map(\.bytes), [bench.content])
            expectEqual(server.requestCount(over: .http2), model.log.count)
        }
    }

    @Test("Content of a creation whose 104 named the URL resumes after a cut")
    func locatedContent() async throws {
        let model = UploadModel(versions: [8]) { number, _ in number == 1 ? .locateAndCut(version: 8) : nil }
        let bench = try await Self.upload(model) { $0.creation = .withContent }
        expectEqual(model.log, ["OPTIONS", "POST", "HEAD", "PATCH"])
        #expect(bench.recorded.contains { $0.stage == .open && $0.offset == 0 })
    }

    @Test(
        "An upload resumes after each cancellation at a random moment", arguments: [[8], []] as [Set<Int>],
        UploadSeeds.some(3))
    func cancellations(versions: Set<Int>, seed: UInt64) async throws {
        let model = UploadModel(versions: versions, limit: "max-append-size=20000")
        try await TestServer.withServer { server in
            model.serve(on: server)
            let bench = try UploadBench(server, seed: seed)
            let plan = bench.plan { $0.largestAppend = 20_000 }
            var numbers = SeededRandom(seed: seed)
            var state: UploadState?
            for round in 0..<100 {
                let (reports, end) = AsyncStream.makeStream(of: Void.self)
                var runner = bench.runner(plan)
                runner.progress = { _ in end.yield() }
                let task = Task { [runner, state] in
                    defer { end.finish() }
                    return try await runner.run(from: state).state
                }
                let place = Int.random(in: 1..<12, using: &numbers)
                var seen = 0
                for await _ in reports {
                    seen += 1
                    if seen == place, round < 99 { task.cancel() }
                }
                do {
                    state = try await task.value
                } catch let error as SternaError where error.kind == .cancelled {
                    state = try bench.stored()
                }
                if state?.stage == .complete { break }
            }
            expectEqual(state?.stage, .complete, "seed \(seed)")
            #expect(model.uploads.contains { $0.bytes == bench.content && $0.isComplete }, "seed \(seed)")
            expectEqual(model.received, bench.content.count, "seed \(seed): \(model.log)")
        }
    }

    @Test("An empty file is uploaded", arguments: [[8], []] as [Set<Int>])
    func empty(versions: Set<Int>) async throws { try await Self.upload(UploadModel(versions: versions), bytes: 0) }

    @Test("Interop versions from 3 on are supported", arguments: 3...9)
    func versions(version: Int) async throws {
        let model = UploadModel(versions: [version])
        try await TestServer.withServer { server in
            model.serve(on: server)
            let bench = try UploadBench(server)
            let state = try await bench.runner(bench.plan(.named(try UploadScene.ietf(version)))).run().state
            expectEqual(state.stage, .complete)
            expectEqual(model.uploads.map(\.bytes), [bench.content])
        }
    }

    @Test("A server that refuses newer versions without naming one gets older ones", arguments: [3, 4, 5, 6])
    func fallback(version: Int) async throws {
        let model = UploadModel(versions: [version])
        try await TestServer.withServer { server in
            model.serve(on: server)
            let bench = try UploadBench(server)
            let state = try await bench.runner(bench.plan(.named(.ietf(.preferred)))).run().state
            expectEqual(state.dialect, (try UploadScene.ietf(version)))
            expectEqual(model.uploads.map(\.bytes), [bench.content])
            expectEqual(model.creations, 1)
        }
    }

    @Test("The server's limits cut the content", arguments: [(8, 1_000), (6, 100_000)])
    func limits(version: Int, most: Int) async throws {
        let model = UploadModel(versions: [version, 8], limit: "max-append-size=\(most), max-age=600")
        let bench = try await Self.upload(model, bytes: 150_500)
        expectEqual(model.log.count { $0 == "PATCH" }, (150_500 + most - 1) / most)
        #expect(bench.recorded.contains { $0.limits.maxAppend == Int64(most) && $0.expires != nil })
    }

    @Test("The request that creates the upload may have the content", arguments: [[8], []] as [Set<Int>])
    func withContent(versions: Set<Int>) async throws {
        let model = UploadModel(versions: versions)
        let bench = try await Self.upload(model) { $0.creation = .withContent }
        expectEqual(model.log, ["OPTIONS", "POST"])
        #expect(bench.recorded.contains { $0.stage == .creating })
    }

    @Test("Tus supports a deferred length, checksums, and checksums in trailers")
    func tusOptions() async throws {
        try await Self.upload(UploadModel()) { $0.defersLength = true }
        try await Self.upload(UploadModel()) { plan in
            (plan.checksum, plan.largestAppend) = (.sha1, 100_000)
        }
        try await Self.upload(UploadModel()) { plan in
            (plan.checksum, plan.sendsDigestInTrailer) = (.sha256, true)
        }
    }

    @Test("Parts are uploaded separately and joined")
    func concatenation() async throws {
        let model = UploadModel()
        try await TestServer.withServer { server in
            model.serve(on: server)
            let bench = try UploadBench(server)
            var parts: [HTTPURL] = []
            for part in [0..<100_000, 100_000..<300_000] {
                var plan = bench.plan(.named(.tus)) { $0.concatenation = .partial }
                plan.length = Int64(part.count)
                let source = UploadSource(path: bench.path, start: Int64(part.lowerBound))
                let state = try await UploadRunner(bench.session, plan, file: source) { _ in }.run().state
                parts.append(try #require(state.url))
            }
            let plan = bench.plan(.named(.tus)) { $0.concatenation = .final(parts) }
            let state = try await bench.runner(plan).run().state
            expectEqual(state.stage, .complete)
            expectEqual(model.uploads.last?.bytes, bench.content)
        }
    }

    @Test("An upload survives breaks at random bytes", arguments: [[8], [6], []] as [Set<Int>], UploadSeeds.some(5))
    func cuts(versions: Set<Int>, seed: UInt64) async throws {
        let numbers = Mutex(SeededRandom(seed: seed))
        let model = UploadModel(versions: versions.union(versions.isEmpty ? [] : [8])) { _, method in
            numbers.withLock { numbers in
                let (choice, place) = (
                    Int.random(in: 0..<10, using: &numbers), Int.random(in: 0..<90_000, using: &numbers)
                )
                switch (method, choice) {
                case ("PATCH", 0...3): return .cut(after: place)
                case ("PATCH", 4...5): return .cutLate(after: place, late: 20_000)
                case ("PATCH", 6) where !versions.isEmpty: return .informAndCut(after: place)
                case ("PATCH", 7): return .cutAnswer
                case ("HEAD", 0): return .status(423, [:])
                case ("HEAD", 1): return .status(503, ["Retry-After": "0"])
                case ("HEAD", 2), ("POST", 0...2): return .status(500, [:])
                case ("POST", 3): return .cutAnswer
                default: return nil
                }
            }
        }
        try await TestServer.withServer { server in
            model.serve(on: server)
            let bench = try UploadBench(server, seed: seed)
            var runner = bench.runner(bench.plan { $0.largestAppend = 200_000 })
            runner.patience.failures = 50
            runner.patience.requests = 200
            let state = try await runner.run().state
            expectEqual(state.stage, .complete, "seed \(seed): \(model.log)")
            #expect(model.uploads.contains { $0.bytes == bench.content && $0.isComplete }, "seed \(seed): \(model.log)")
            // Confirmed bytes are not sent again.
            #expect(model.received <= bench.content.count, "seed \(seed): \(model.log)")
        }
    }

    @Test("After a kill the upload resumes from the recorded state", arguments: [[8], []] as [Set<Int>], 1...6)
    func kills(versions: Set<Int>, after states: Int) async throws {
        struct Killed: Error {}
        let model = UploadModel(versions: versions, limit: "max-append-size=50000")
        try await TestServer.withServer { server in
            model.serve(on: server)
            let bench = try UploadBench(server)
            let plan = bench.plan { $0.largestAppend = 50_000 }
            let left = Mutex(states)
            let killed = bench.runner(plan) { _ in
                guard
                    left.withLock({ left in
                        left -= 1
                        return left > 0
                    })
                else { throw Killed() }
            }
            await #expect(throws: Killed.self) { try await killed.run() }
            let posts = model.creations
            let stored = try #require(try bench.stored())
            let state = try await bench.runner(plan).run(from: stored).state
            expectEqual(state.stage, .complete)
            expectEqual(model.uploads.last?.bytes, bench.content)
            // The recorded URL is used again.
            expectEqual(model.creations, (stored.url == nil ? posts + 1 : posts))
            expectEqual(model.received, bench.content.count)
        }
    }

    @Test(
        "A 104 names the URL of an upload whose response is lost, unless it is of another version", arguments: [8, 6])
    func locatedByInterim(version: Int) async throws {
        let model = UploadModel(versions: [8]) { number, _ in number == 1 ? .locateAndCut(version: version) : nil }
        try await TestServer.withServer { server in
            model.serve(on: server)
            let bench = try UploadBench(server)
            _ = try await bench.runner(bench.plan()).run()
            expectEqual(model.creations, (version == 8 ? 1 : 2))
            expectEqual(model.uploads.last?.bytes, bench.content)
        }
    }

    @Test("A 104 confirms content while it is sent")
    func confirmedByInterim() async throws {
        let model = UploadModel(versions: [8]) { number, _ in number == 2 ? .informAndCut(after: 70_000) : nil }
        let bench = try await Self.upload(model)
        #expect(bench.recorded.contains { $0.offset == 70_000 })
        #expect(!bench.recorded.contains { $0.offset == 1 })
    }

    @Test("An offset that grows after a cut is requested again")
    func lateContent() async throws {
        let model = UploadModel(versions: [8]) { number, _ in
            number == 2 ? .cutLate(after: 50_000, late: 30_000) : nil
        }
        try await Self.upload(model)
        expectEqual(model.log, ["OPTIONS", "POST", "PATCH", "HEAD", "PATCH", "mismatch", "HEAD", "PATCH"])
    }
}
