import Dispatch
import NIOCore
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTransfers

/// The rows of docs/Migrating/ASIHTTPRequest.md about ASINetworkQueue, and those of other pages about queues.
@Suite("Coming from ASINetworkQueue", .timeLimit(.minutes(5)))
struct MigratingNetworkQueueTests {
    private func api() throws -> Session {
        let mock = MockTransport { _ in
            .init(headers: ["ETag": "\"v\""], body: ResponseBody(Bytes(repeating: 0x61, count: 100)))
        }
        return try Session(baseURL: "https://example.com") { $0.network.transport = mock }
    }

    @Test("Adding, starting and waiting")
    func adding() async throws {
        let (test, api) = (TransferTestFolder(), try api())
        let path = test.path + "/big.iso"
        let queue = TransferQueue(with: api)
        let file = try queue.add { $0.download("big.iso", to: .file(path)) }
        let task = queue.session.dataTask(.get("users"))
        let other = try queue.add(task)
        try other.wait(for: file)
        try queue.add(after: [file]) { $0.dataTask(.get("index")) }
        try queue.add(priority: .high, after: [file]) { $0.dataTask(.get("index")) }
        file.priority = .high
        file.task?.userInfo["section"] = 3
        queue.concurrency = 2
        queue.bandwidth.download = 500_000
        #expect(queue.transfers.count == 4 && queue.isSuspended)
        #expect(!queue.transfers.contains { if case .running = $0.state { true } else { false } })
        queue.start()
        queue.suspend()
        queue.start()
        for await step in queue.progress { print(step) }
        try await queue.finish()
        #expect(queue.progress.current.uploads.completed == 0)
        #expect(queue.progress.current.uploads.total == 0)
        #expect(queue.progress.current.downloads.completed == 400)
        #expect(queue.progress.current.downloads.total == 400)
        try queue.add { $0.dataTask(.get("index")) }
        queue.suspend()
        queue.cancelAll()
        try await queue.finish()
        await queue.stop()
    }

    @Test("Events and options")
    func events() async throws {
        let (api, names) = (try api(), QueueNames())
        let log = names.observer
        let queue = TransferQueue(with: api) {
            $0.observers = [log]
            $0.cancelsAllOnFailure = true
            $0.asksForLengths = true
        }
        let reader = Task {
            for await event in queue.events {
                switch event.kind {
                case .transferStarted: print("begins", event.transfer?.id ?? 0)
                case .transferHeadersReceived(let response): print(response.status)
                case .transferRedirected(_, let request): print(request.url)
                case .transferFinished: print("ends", event.transfer?.id ?? 0)
                case .transferFailed(let error): print(error.message)
                case .queueFinished(let finished, let failed): print(finished, failed)
                default: break
                }
            }
        }
        defer { reader.cancel() }
        try queue.add { $0.dataTask(.get("index")) }
        queue.start()
        try await queue.finish()
        while names.names.count < 4 { try await Task.sleep(for: .milliseconds(2)) }
        #expect(names.names == ["started", "headers 200", "finished", "queue 1 0"])
    }
}
