import Dispatch
import NIOCore
import Sterna
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Responses that become downloads", .timeLimit(.minutes(5)))
struct ResponseHandoverTests {
    private func session(
        _ server: TestServer, _ log: TaskEventLines, to path: String,
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Session(baseURL: server.url) {
            $0.network.engine = Engine()
            $0.responseSerializer = .data
            var decisions = TaskDecisions()
            decisions.responseReceived = { _, _ in .becomeDownload(to: .file(path)) }
            $0.tasks.decisions = decisions
            $0.events.observers = [log.observer()]
            $0.callbacks = .queue(DispatchQueue(label: "becoming"))
            configure(&$0)
        }
    }

    private func download(_ error: (any Error)?) throws -> DownloadTask {
        let error = try #require(error as? SternaError)
        expectEqual(error.kind, .cancelled)
        return try #require(error.downloadTask)
    }

    @Test(
        "The body goes to the file, without a second request", arguments: [0, 1, 3_000_000],
        ["data", "stream", "intercepted", "not started"])
    func taken(count: Int, kind: String) async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let log = TaskEventLines()
                let api = try session(server, log, to: "\(folder)/x") {
                    if kind == "intercepted" { $0.interceptors = [Doing { request, next in try await next(request) }] }
                    if kind == "not started" { $0.tasks.startsImmediately = false }
                }
                let failure = await #expect(throws: SternaError.self) {
                    if kind == "stream" {
                        _ = try await api.streamTask(.get("range/\(count)")).value
                    } else {
                        let task = api.dataTask(.get("range/\(count)"))
                        task.resume()
                        _ = try await task.value
                    }
                }
                let task = try download(failure)
                let file = try await task.value
                try expectEqual(Downloading.bytes(file.path), Downloading.alphabet(count))
                try expectEqual(Downloading.names(in: folder), ["x"])
                expectEqual(file.length, Int64(count))
                expectEqual(server.requestCount, 1)
                #expect(await eventually { log.lines("taskCompleted").count == 2 })
                expectEqual(log.lines("taskCompleted cancelled").count, 1)
                expectEqual(log.lines("responseReceived"), ["responseReceived 200"])
                expectEqual(log.lines("becameDownload"), ["becameDownload"])
                expectEqual(log.lines("downloadFinished"), ["downloadFinished x"])
                let resumed = log.lines("taskResumed", "becameDownload")
                expectEqual(resumed, ["taskResumed", "becameDownload", "taskResumed"])
                #expect(api.tasks.isEmpty)
            }
        }
    }

    @Test("A task that its closure suspends leaves a suspended download")
    func suspended() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let log = TaskEventLines()
                let api = try session(server, log, to: "\(folder)/x") {
                    $0.tasks.decisions?.responseReceived = { task, _ in
                        task.suspend()
                        return .becomeDownload(to: .file("\(folder)/x"))
                    }
                }
                let failure = await #expect(throws: SternaError.self) {
                    try await api.dataTask(.get("range/3000000")).value
                }
                let task = try download(failure)
                expectEqual(task.state, .suspended)
                task.resume()
                try await expectEqual(task.value.length, 3_000_000)
            }
        }
    }

    @Test("A cancelled or rejected download leaves neither file nor connection")
    func nothing() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let log = TaskEventLines()
                let cancelling = try session(server, log, to: "\(folder)/x")
                let failure = await #expect(throws: SternaError.self) {
                    try await cancelling.dataTask(.get("range/30000000")).value
                }
                let task = try download(failure)
                task.cancel()
                await #expect(throws: SternaError.self) { try await task.value }
                expectEqual(task.error?.kind, .cancelled)
                let other = await #expect(throws: SternaError.self) {
                    try await session(server, log, to: "\(folder)/y").dataTask(.get("status/404")).value
                }
                let rejected = try download(other)
                await #expect(throws: SternaError.self) { try await rejected.value }
                expectEqual(rejected.error?.kind, .unacceptableStatus)
                #expect(try Downloading.names(in: folder).isEmpty)
                #expect(cancelling.tasks.isEmpty)
            }
        }
    }

    @Test("A task with callbacks calls failure; for a download it changes nothing")
    func callbacks() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let log = TaskEventLines()
                let api = try session(server, log, to: "\(folder)/x")
                let results = CallbackLog<JSON>()
                api.get("range/10", success: results.onSuccess, failure: results.onFailure)
                await results.wait()
                let task = try download(results.errors.first)
                try await expectEqual(task.value.length, 10)
                _ = try await api.download("range/10", to: .file("\(folder)/y")).value
                try expectEqual(Downloading.names(in: folder), ["x", "y"])
            }
        }
    }
}
