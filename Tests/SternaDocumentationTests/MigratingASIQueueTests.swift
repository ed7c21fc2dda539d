import Dispatch
import Foundation
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The rows of docs/Migrating/ASIHTTPRequest.md about downloads, queues and bandwidth.
@Suite("Coming from ASIHTTPRequest: downloads and queues", .timeLimit(.minutes(5)))
struct MigratingASIQueueTests {
    @Test("Downloads")
    func downloads() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                server.route("GET", "/big.iso") { _ in ServerResponse(body: .bytes(Array("iso".utf8))) }
                let api = try Downloading.session(server)
                let path = folder + "/big.iso"
                var options = DownloadOptions()
                options.continuesEarlier = false
                func begun() async throws {
                    let download = api.download("big.iso", to: .file(path, existing: .replace))
                    for await step in download.progress { print(step) }
                    #expect(try await download.value.length == 3)
                    #expect(try await download.value.resumedAt == 0)
                    download.cancel()
                }
                try await begun()
                let anew = api.download("big.iso", to: .file(path, existing: .replace), options: options)
                #expect(try await anew.value.path == path)
                #expect(try Downloading.names(in: folder) == ["big.iso"])
            }
        }
    }

    @Test("A queue of downloads")
    func downloadQueue() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                for name in ["a.iso", "b.iso"] {
                    server.route("GET", "/\(name)") { _ in ServerResponse(body: .bytes(Array("iso".utf8))) }
                }
                let api = try Downloading.session(server)
                let files = api.download(["a.iso", "b.iso"], into: folder, concurrency: 2)
                for await step in files.progress { print(step) }
                for result in try await files.results { print(try result.get().path) }
                #expect(files.tasks.count == 2)
                #expect(try Downloading.names(in: folder) == ["a.iso", "b.iso"])
            }
        }
    }

    @Test("A queue of requests")
    func queue() async throws {
        let group = DispatchGroup()
        let failures = Counter()
        let (api, mock) = try mocked {
            $0.events.observers = [
                EventObserver(.tasks) { event in
                    if case .taskCompleted(.some) = event.kind { failures.add(1) }
                }
            ]
            $0.tasks.startsImmediately = false
            $0.tasks.completionGroup = group
            $0.callbacks = .queue(DispatchQueue(label: "queue"))
        }
        let tasks = (1...3).map { api.dataTask(.get("pages/\($0)")) }
        #expect(api.tasks.count == 3)
        api.suspendAllTasks()
        api.resumeAllTasks()
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
        #expect(tasks.filter(\.isFinished).count == 3)
        #expect(mock.requests.count == 3)
        #expect(failures.value == 0)
        let late = api.dataTask(.get("pages/4"))
        await api.cancelAllTasks()
        #expect(late.isFinished)
    }

    @Test("Bandwidth")
    func bandwidth() async throws {
        let (api, _) = try mocked {
            $0.limits.bandwidth = BandwidthLimit(download: 14_800, upload: 14_800)
        }
        #expect(try await api.get("film").status == 200)
        let limit = BandwidthLimit(download: 14_800)
        limit.download = nil
        #expect(limit.download == nil)
    }

    @Test("Retries")
    func retries() async throws {
        let mock = MockTransport(responses: [.json([:], status: 503), .json([:])])
        let (api, _) = try mocked(by: mock) {
            $0.retry = .transient
            $0.retry.limit = 3
            $0.retry.errors = [.timedOut]
            $0.retry.backoff = .constant(.milliseconds(1))
            $0.events.collectsMetrics = true
        }
        let task = api.dataTask(.get("film"))
        #expect(try await task.value.status == 200)
        #expect(task.requests.count == 2)
    }
}
