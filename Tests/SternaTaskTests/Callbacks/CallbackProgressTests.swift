import Dispatch
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

#if Foundation
import Foundation
#endif

@Suite("Callbacks: progress")
struct CallbackProgressTests {
    private func session(_ server: TestServer, _ queue: DispatchQueue) throws -> Session {
        try Session(baseURL: server.url) {
            $0.network.engine = Engine()
            $0.callbacks = .queue(queue)
            $0.responseSerializer = .data
        }
    }

    private func expectRising(_ values: [TransferProgress], to total: Int64) {
        let completed = values.map(\.completed)
        expectEqual(completed, completed.sorted())
        expectEqual(completed.last, total)
        expectEqual(values.last?.total, total)
        expectEqual(values.last?.fraction, 1)
        #expect(completed.allSatisfy { $0 >= 0 && $0 <= total })
    }

    @Test("Progress of a download reaches the total before success")
    func download() async throws {
        try await TestServer.withServer { server in
            let queue = DispatchQueue(label: "test")
            let log = CallbackLog<Int>()
            let told = Mutex<[TransferProgress]>([])
            let task = try session(server, queue).get(
                "bytes/3000000", as: DataResponseSerializer().map { $0.count }, progress: log.onProgress,
                success: log.onSuccess, failure: log.onFailure
            ) { $0.downloadProgress = { progress in told.withLock { $0.append(progress) } } }
            await log.wait()
            await queue.drained()
            expectEqual(log.values, [3_000_000])
            expectRising(log.progress.map(\.download), to: 3_000_000)
            #expect(log.progress.allSatisfy { $0.upload.completed == 0 })
            expectEqual(task?.downloadProgress.current.completed, 3_000_000)
            expectRising(told.withLock { $0 }, to: 3_000_000)
            guard case .success = log.events.last else {
                Issue.record("Progress came behind success.")
                return
            }
        }
    }

    @Test("Progress of an upload reaches the total before success", arguments: [1, 70_000, 4_000_000])
    func upload(size: Int) async throws {
        try await TestServer.withServer { server in
            let queue = DispatchQueue(label: "test")
            let log = CallbackLog<Int>()
            let task = try session(server, queue).post(
                "anything", body: .bytes([UInt8](repeating: 0x61, count: size)),
                as: DataResponseSerializer().map { $0.count },
                progress: log.onProgress, success: log.onSuccess, failure: log.onFailure)
            await log.wait()
            await queue.drained()
            expectEqual(log.values.count, 1)
            expectRising(log.progress.map(\.upload), to: Int64(size))
            expectEqual(task?.uploadProgress.current.completed, Int64(size))
            guard case .success = log.events.last else {
                Issue.record("Progress came behind success.")
                return
            }
        }
    }

    @Test("Without a known length there is no total until the end, which is the number of bytes received")
    func unknown() async throws {
        try await TestServer.withServer { server in
            let queue = DispatchQueue(label: "test")
            let log = CallbackLog<Int>()
            try session(server, queue).get(
                "stream-bytes/200000", as: DataResponseSerializer().map { $0.count }, progress: log.onProgress,
                success: log.onSuccess, failure: log.onFailure)
            await log.wait()
            expectEqual(log.values, [200_000])
            let completed = log.progress.map(\.download.completed)
            expectEqual(completed, completed.sorted())
            expectEqual(completed.last, 200_000)
        }
    }

    static let wholes: [(path: String, received: Int64)] = [
        ("bytes/1", 1), ("bytes/3000000", 3_000_000), ("stream-bytes/200000", 200_000), ("empty", 0), ("nothing", 0),
        ("chunks", 0), ("gzip", 50_000),
    ]

    /// Adds bodies that are empty in each of HTTP's ways, and one with a content coding.
    private func addBodies(to server: TestServer) throws {
        server.route("GET", "/empty") { _ in ServerResponse(body: .bytes([])) }
        server.route("GET", "/nothing") { _ in ServerResponse(status: 204) }
        server.route("GET", "/chunks") { _ in ServerResponse(body: .stream(length: nil) { _ in }) }
        let coded = Zlib.gzip(String(repeating: "a", count: 50_000))
        server.route("GET", "/gzip") { _ in
            ServerResponse(headers: ["Content-Encoding": "gzip"], body: .bytes(coded))
        }
    }

    private func expectOneWhole(_ progress: [RequestProgress]) {
        let fractions = progress.map(\.fraction)
        expectEqual(fractions.filter { $0 == 1 }.count, 1)
        expectEqual(fractions.last, 1)
        #expect(fractions.allSatisfy { $0.map { 0 <= $0 && $0 <= 1 } ?? true })
    }

    @Test("Only the last report of a download has the fraction 1, for any length", arguments: wholes)
    func oneWhole(path: String, received: Int64) async throws {
        try await TestServer.withServer { server in
            try addBodies(to: server)
            let log = CallbackLog<Int>()
            let queue = DispatchQueue(label: "test")
            try session(server, queue).get(
                path, as: DataResponseSerializer().map { $0.count }, progress: log.onProgress, success: log.onSuccess,
                failure: log.onFailure)
            await log.wait()
            await queue.drained()
            expectEqual(log.values, [Int(received)])
            expectOneWhole(log.progress)
            expectEqual(log.progress.last?.download.completed, received)
            expectEqual(log.progress.last?.download.fraction, 1)
            guard case .success = log.events.last else {
                Issue.record("Progress came behind success.")
                return
            }
        }
    }

    @Test("Only the last report of an upload has the fraction 1", arguments: [0, 1, 70_000, 4_000_000], [false, true])
    func oneWholeUpload(size: Int, isStream: Bool) async throws {
        try await TestServer.withServer { server in
            server.route("POST", "/take") { request in
                try await request.body.collect().count == size ? ServerResponse() : ServerResponse(status: 400)
            }
            let bytes = [UInt8](repeating: 0x61, count: size)
            let pieces = AsyncStream<[UInt8]> { continuation in
                continuation.yield(bytes)
                continuation.finish()
            }
            let body: Body = isStream ? .stream(pieces) : .bytes(bytes)
            let log = CallbackLog<Int>()
            let queue = DispatchQueue(label: "test")
            try session(server, queue).upload(
                body, to: "take", as: DataResponseSerializer().map { $0.count },
                progress: log.onProgress, success: log.onSuccess, failure: log.onFailure)
            await log.wait()
            await queue.drained()
            expectEqual(log.values, [0])
            expectOneWhole(log.progress)
            expectEqual(log.progress.last?.upload.completed, Int64(size))
            if size > 0 { expectEqual(log.progress.last?.upload.fraction, 1) }
        }
    }

    @Test("A request that fails never reports the fraction 1", arguments: ["status/500", "fault/close-half"])
    func noWhole(path: String) async throws {
        try await TestServer.withServer { server in
            let log = CallbackLog<Int>()
            let queue = DispatchQueue(label: "test")
            try session(server, queue).with { $0.retry = .none }.post(
                path, body: .bytes([1, 2, 3]), as: DataResponseSerializer().map { $0.count }, progress: log.onProgress,
                success: log.onSuccess, failure: log.onFailure)
            await log.wait()
            await queue.drained()
            expectEqual(log.errors.count, 1)
            #expect(log.progress.allSatisfy { $0.fraction != 1 })
        }
    }

    @Test("The fraction is that of the request's body if it has one, and less than 1 before the end")
    func fractions() {
        var progress = RequestProgress()
        expectNil(progress.fraction)
        progress.download = TransferProgress(completed: 1, total: 4)
        expectEqual(progress.fraction, 0.25)
        progress.upload = TransferProgress(completed: 1, total: 2)
        expectEqual(progress.fraction, 0.5)
        progress.upload.completed = 2
        #expect(progress.fraction.map { $0 > 0.99 && $0 < 1 } == true)
        progress.upload.total = nil
        expectNil(progress.fraction)
    }

    @Test("Thousands of events put one callback on the queue at a time")
    func flood() async throws {
        try await TestServer.withServer { server in
            let queue = DispatchQueue(label: "test")
            let log = CallbackLog<Int>()
            let told = Atomic<Int>(0)
            server.route("GET", "/many") { _ in
                ServerResponse(
                    body: .stream(length: 2_000_000) { writer in
                        for _ in 0..<2_000 { try await writer.write([UInt8](repeating: 0x61, count: 1_000)) }
                    })
            }
            queue.suspend()
            let task = try session(server, queue).get(
                "many", as: DataResponseSerializer().map { $0.count }, progress: log.onProgress,
                success: log.onSuccess, failure: log.onFailure
            ) { $0.downloadProgress = { _ in told.add(1, ordering: .relaxed) } }
            // Not `isFinished`: a task is complete before it posts its last report, and has its value only afterwards.
            let value = try? await task?.value
            queue.resume()
            #expect(value != nil)
            await log.wait()
            expectEqual(log.values, [2_000_000])
            #expect(told.load(ordering: .relaxed) > 2)
            expectEqual(log.progress.count, 1)
            expectEqual(log.progress.first?.download.completed, 2_000_000)
        }
    }

    #if Foundation
    @Test("Progress as Foundation's type")
    func objects() async throws {
        try await TestServer.withServer { server in
            let queue = DispatchQueue(label: "test")
            let log = CallbackLog<Int>()
            let task = try #require(
                try session(server, queue).post(
                    "bytes-back", body: .bytes([UInt8](repeating: 0x61, count: 500_000)),
                    as: DataResponseSerializer().map { $0.count }.validating(statuses: 200..<600),
                    progress: { _, _ in }, success: log.onSuccess, failure: log.onFailure))
            let upload = task.uploadProgressObject
            let download = task.downloadProgressObject
            #expect(upload === task.uploadProgressObject)
            #expect(download === task.downloadProgressObject)
            #expect(upload !== download)
            #expect(upload.isCancellable)
            #expect(upload.isPausable)
            await log.wait()
            await queue.drained()
            expectEqual(log.values.count, 1)
            expectEqual(download.completedUnitCount, Int64(log.values.first ?? 0))
            expectEqual(download.totalUnitCount, download.completedUnitCount)
            #expect(download.isFinished)
            expectEqual(download.fractionCompleted, 1)
            #expect(!upload.isCancelled)
        }
    }

    @Test("Foundation's Progress of an upload ends at its total")
    func uploadObject() async throws {
        try await TestServer.withServer { server in
            let queue = DispatchQueue(label: "test")
            let log = CallbackLog<Int>()
            let task = try #require(
                try session(server, queue).post(
                    "anything", body: .bytes([UInt8](repeating: 0x61, count: 300_000)),
                    as: DataResponseSerializer().map { $0.count }, success: log.onSuccess, failure: log.onFailure))
            let upload = task.uploadProgressObject
            await log.wait()
            await queue.drained()
            expectEqual(upload.completedUnitCount, 300_000)
            expectEqual(upload.totalUnitCount, 300_000)
            #expect(upload.isFinished)
        }
    }

    @Test("Cancelling a Progress, or the one it is a part of, cancels the request", arguments: [0, 1, 2])
    func cancelObject(way: Int) async throws {
        let queue = DispatchQueue(label: "test")
        let (api, mock) = try mocked(
            by: MockTransport { _ in
                try await Task.sleep(for: .seconds(600))
                return .json([:])
            }
        ) { $0.callbacks = .queue(queue) }
        let log = CallbackLog<JSON>()
        let task = try #require(api.get("a", success: log.onSuccess, failure: log.onFailure))
        #expect(await eventually { mock.requests.count == 1 })
        switch way {
        case 0: task.downloadProgressObject.cancel()
        case 1: task.uploadProgressObject.cancel()
        default:
            let parent = Progress(totalUnitCount: 10)
            parent.addChild(task.downloadProgressObject, withPendingUnitCount: 10)
            parent.cancel()
        }
        await log.wait()
        expectEqual(log.errors.first?.kind, .cancelled)
        #expect(log.values.isEmpty)
    }

    @Test("A Progress that is requested after the end is complete")
    func late() async throws {
        let queue = DispatchQueue(label: "test")
        let (api, _) = try mocked(by: MockTransport { _ in .json([1, 2]) }) { $0.callbacks = .queue(queue) }
        let log = CallbackLog<JSON>()
        let task = try #require(api.get("a", success: log.onSuccess, failure: log.onFailure))
        await log.wait()
        expectEqual(task.downloadProgressObject.completedUnitCount, 5)
        #expect(task.downloadProgressObject.isFinished)
        task.downloadProgressObject.cancel()
        await queue.drained()
        expectEqual(log.events.count, 1)
    }
    #endif
}
