import Dispatch
import Sterna
import SternaTesting
import Testing

/// The rows of docs/Migrating/AFNetworking.md about blocks and notifications.
@Suite("Coming from AFNetworking: blocks", .timeLimit(.minutes(1)))
struct MigratingHookTests {
    @Test("Blocks are hooks")
    func hooks() async throws {
        var hooks = SessionHooks()
        hooks.sessionInvalidated = { print("invalid") }
        hooks.redirect = { task, response, request in .follow(request) }
        hooks.bodyDataSent = { task, progress in print(progress.completed) }
        hooks.taskCompleted = { task, error in print(task.id) }
        hooks.metricsCollected = { task, metrics in print(metrics) }
        hooks.responseReceived = { task, response in .allow }
        hooks.dataReceived = { task, bytes in print(bytes.count) }
        hooks.bytesWritten = { download, progress in print(progress.completed) }
        hooks.downloadResumed = { download, offset, length in print(offset) }
        hooks.taskResumed = { task in print(task.id) }
        hooks.taskSuspended = { task in print(task.id) }
        hooks.downloadFinished = { download, path in print(path) }

        var policy = SecurityPolicy.system
        policy.challengeHandler = ChallengeHandler { challenge in .useDefault }

        try await TestServer.withServer { [hooks, policy] server in
            let api = try Session(baseURL: server.url) {
                $0.engine = Engine()
                $0.hooks = hooks
                $0.securityPolicy = policy
                $0.collectsMetrics = true
                $0.callbacks = .queue(DispatchQueue(label: "hooks"))
            }
            let task = api.dataTask(.get("redirect/1"))
            #expect(try await task.value.response.redirects.count == 1)
            let tree = try await task.value.json()
            #expect(tree.object != nil)
            #expect(try await task.value.data().isEmpty == false)
            #expect(task.metrics != nil)
            #expect(task.error == nil)
            try await DownloadTaskTests.withFolder { folder in
                let download = api.download("range/10", to: .file("\(folder)/x"))
                #expect(try await download.value.path == "\(folder)/x")

                let refused = api.download("range/10", to: .file("\(folder)/x"))
                let error = try #require(await #expect(throws: SternaError.self) { try await refused.value })
                #expect(error.kind == .destinationUnusable)
                #expect(error.underlying is DestinationFault)
            }
        }
    }
}
