import Dispatch
import NIOCore
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTransfers

/// The examples of docs/TransferQueues.md.
@Suite("Examples: queues of transfers", .timeLimit(.minutes(5)))
struct TransferQueuesExamplesTests {
    private func session() throws -> Session {
        let mock = MockTransport { _ in
            .init(headers: ["ETag": "\"v\""], body: ResponseBody(Bytes(repeating: 0x61, count: 100)))
        }
        return try Session(baseURL: "https://example.com") { $0.network.transport = mock }
    }

    @Test("A queue")
    func queue() async throws {
        let (test, session) = (TransferTestFolder(), try session())
        let (folder, photoPath) = (test.path, test.path + "/photo.jpg")
        try Data("photo".utf8).write(to: URL(filePath: photoPath))

        let queue = TransferQueue(with: session) { $0.concurrency = 2 }

        let photo = try queue.add { $0.uploadTask(try .upload(file: photoPath, to: "photos")) }
        try queue.add(after: [photo]) { $0.download("album.zip", to: .folder(folder)) }
        try queue.add(priority: .high) { $0.download("index.json", to: .folder(folder)) }

        queue.start()
        for await step in queue.progress { print(step) }  // 1 of 3 transfers, 37% of 1.2 GB, 48 MB/s, 16 s left

        #expect(queue.progress.current.finished == 3)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(names == ["album.zip", "index.json", "photo.jpg"])
    }

    @Test("Events, as a sequence and to observers")
    func events() async throws {
        let (log, reports) = (QueueNames(), QueueNames())
        let session = try session().with { $0.events.observers = [log.observer] }
        let report: @Sendable (SternaError) -> Void = { reports.add($0.message) }

        let queue = TransferQueue(with: session) { options in
            options.observers = [
                EventObserver(.transfers) { event in
                    if case .transferFailed(let error) = event.kind { report(error) }
                }
            ]
            options.cancelsAllOnFailure = true  // off by default
            options.retries = 3  // of the whole task, after a failure that may pass; 0 by default
        }

        try queue.add { $0.dataTask(.get("a")) }
        let reader = Task {
            for await event in queue.events {
                switch event.kind {
                case .transferStarted: print("begins", event.transfer?.id ?? 0)
                case .transferRedirected(_, let request): print("goes on at", request.url)
                case .transferHeadersReceived(let response): print(response.status)
                case .transferRetryScheduled(let error, let pause): print(error.message, "again in", pause)
                case .transferFinished: print("ends", event.transfer?.progress.completed ?? 0)
                case .transferFailed(let error): print("ends", error.message)
                case .queueFinished(let finished, let failed): print(finished, failed)
                default: break
                }
            }
        }
        queue.start()
        try await queue.finish()
        while log.names.count < 4 { try await Task.sleep(for: .milliseconds(2)) }
        #expect(log.names == ["started", "headers 200", "finished", "queue 1 0"] && reports.names.isEmpty)
        reader.cancel()
    }

    @Test("Bandwidth")
    func bandwidth() async throws {
        let (test, session) = (TransferTestFolder(), try session())
        let folder = test.path

        let queue = TransferQueue(with: session) { options in
            options.bandwidth = BandwidthLimit(download: 2_000_000, upload: 500_000)  // bytes per second, of all
            options.schedule = BandwidthSchedule(
                [
                    .init(from: .init(8), to: .init(18, 30), on: .workdays, download: 500_000, upload: 100_000),
                    .init(from: .init(22), to: .init(6), download: nil, upload: nil),
                ], otherwise: .init(download: 2_000_000, upload: 500_000))
        }
        queue.bandwidth.download = 1_000_000  // at once; the schedule changes it again when a window begins or ends
        queue.schedule = nil
        try queue.add(isBackground: true) { $0.download("backup.tar", to: .folder(folder)) }

        queue.start()
        try await queue.finish()
        #expect(queue.progress.current.finished == 1 && queue.bandwidth.download == 1_000_000)
    }

    @Test("Transfers of a store")
    func store() async throws {
        let (test, session) = (TransferTestFolder(), try session())
        let (storeFolder, path) = (test.path + "/store", test.path + "/big.iso")
        let queue = TransferQueue(with: session)

        let store = try TransferStore(folder: storeFolder)
        for transfer in try await store.resumeAll(with: session, startsAtOnce: false) { try await queue.add(transfer) }
        let image = try await store.download("big.iso", to: path, with: session, startsAtOnce: false)
        try await queue.add(image, priority: .low)
        queue.start()
        try await queue.finish()

        #expect(image.status.state == .finished(path: path, length: 100))
    }
}
