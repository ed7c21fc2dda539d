import Dispatch
import HTTPTypes
import Sterna
import SternaTesting
import Testing

#if Foundation
import Foundation

@testable import SternaTestSupport
#endif

/// The examples of docs/Tasks.md, so that they compile and do what it says.
@Suite("Examples: tasks and downloads", .timeLimit(.minutes(5)))
struct TasksExamplesTests {
    @Test("A task and its value")
    func task() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .json(["id": 7]) })

        let task = api.dataTask(.get("reports/7"))
        let report = try await task.value.json()

        #expect(report["id"].int == 7)
    }

    @Test("A ready request")
    func ready() async throws {
        let (api, mock) = try mocked(by: MockTransport { _ in .text("") })

        var request = Request(.put, try HTTPURL("https://api.example.com/notes/7"), body: .text("Eggs"))
        request.headers[.ifMatch] = "\"1\""
        let reply = try await api.dataTask(request).value

        #expect(reply.status == 200)
        #expect(mock.requests.map(\.givenText) == ["Eggs"])
    }

    @Test("A script")
    func script() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .json(["id": 7]) })
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            DispatchQueue(label: "script").async {
                done.resume(
                    with: Result {
                        let report = try api.dataTask(.get("reports/7")).startSynchronous().json()
                        #expect(report["id"].int == 7)
                    })
            }
        }
    }

    @Test("Lines of a stream")
    func lines() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .text("a\nb\n") })

        for try await line in api.streamTask(.get("events")).lines { print(line) }

        #expect(api.tasks.isEmpty)
    }

    private actor Journal {
        private(set) var lines: [String] = []
        func append(_ line: String) { lines.append(line) }
    }

    @Test("Lines by a callback")
    func callbacks() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .text("a\nb\n") }) {
            $0.callbacks = .queue(DispatchQueue(label: "lines"))
        }
        let journal = Journal()

        api.streamTask(.get("events")).onLines { line in
            await journal.append(line)
        } completion: { error in
            print(error?.message ?? "done")
        }

        #expect(await eventually { api.tasks.isEmpty })
        #expect(await journal.lines == ["a", "b"])
    }

    @Test("A download, and what continues it")
    func download() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let api = try Session(baseURL: server.url)
                server.route("GET", "/images/big.iso") { _ in ServerResponse(body: .bytes(Array("iso".utf8))) }

                let download = api.download("images/big.iso", to: .folder(folder))
                for await step in download.progress { print(step) }  // 37% of 1.2 GB, 48 MB/s, 16 s left
                print(try await download.value.path)

                do {
                    _ = try await download.value
                } catch let error as SternaError {
                    if let data = error.resumeData { _ = try await api.downloadTask(resuming: data).value }
                }

                #expect(try Downloading.names(in: folder) == ["big.iso"])
            }
        }
    }

    @Test("A download over several connections")
    func segments() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let api = try Session(baseURL: server.url)
                server.route("GET", "/images/big.iso") { _ in ServerResponse(body: .bytes(Array("iso".utf8))) }

                var options = DownloadOptions()
                options.maxSegments = 4
                let large = api.download("images/big.iso", to: .folder(folder), options: options)

                #expect(try await large.value.length == 3)
            }
        }
    }

    @Test("Several files")
    func batch() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let api = try Session(baseURL: server.url)
                for name in ["a.iso", "b.iso", "c.iso"] {
                    server.route("GET", "/\(name)") { _ in ServerResponse(body: .bytes(Array("iso".utf8))) }
                }

                let batch = api.download(["a.iso", "b.iso", "c.iso"], into: folder, concurrency: 2)
                for await step in batch.progress { print(step) }  // 1 of 3 files, 37% of 1.2 GB, 48 MB/s, 16 s left
                for result in try await batch.results { print(try result.get().path) }

                #expect(try Downloading.names(in: folder) == ["a.iso", "b.iso", "c.iso"])
            }
        }
    }

    @Test("Decisions")
    func decisions() async throws {
        let api = try Session(baseURL: "https://api.example.com") { settings in
            var decisions = TaskDecisions()
            decisions.responseReceived = { task, response in response.status == .ok ? .allow : .cancel }
            settings.tasks.decisions = decisions
        }

        #expect(api.tasks.isEmpty)
    }

    @Test("A response that becomes a download")
    func becoming() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                server.route("GET", "/report") { _ in
                    ServerResponse(body: .bytes(Array(repeating: 0x61, count: 10_000_001)))
                }
                var decisions = TaskDecisions()

                decisions.responseReceived = { task, response in
                    (response.body.length ?? 0) > 10_000_000 ? .becomeDownload(to: .folder(folder)) : .allow
                }

                let api = try Session(baseURL: server.url) { [decisions] in
                    $0.tasks.decisions = decisions
                    $0.callbacks = .queue(DispatchQueue(label: "example"))
                }

                do {
                    print(try await api.dataTask(.get("report")).value.data().count)
                } catch let error as SternaError {
                    guard let download = error.downloadTask else { throw error }
                    print(try await download.value.path)
                }

                #expect(try Downloading.names(in: folder) == ["report"])
            }
        }
    }

    #if Foundation
    @Test("Notifications")
    func notifications() throws {
        let api = try Session(baseURL: "https://api.example.com") { $0.events.notificationCenter = .default }
        let token = NotificationCenter.default.addObserver(
            forName: SternaNotification.taskDidComplete, object: nil, queue: nil
        ) { note in
            print(note[SternaNotification.error]?.message ?? "done", note[SternaNotification.responseData]?.count ?? 0)
        }

        NotificationCenter.default.removeObserver(token)
        #expect(api.tasks.isEmpty)
    }
    #endif

    @Test("A completion group")
    func group() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .json(["n": 1]) }) {
            $0.callbacks = .queue(DispatchQueue(label: "example"))
        }

        let group = DispatchGroup()
        let grouped = api.with { $0.tasks.completionGroup = group }
        for number in 1...3 {
            grouped.get(
                "pages/\(number)", success: { task, page in print(page) }, failure: { task, error in print(error) })
        }

        group.notify(queue: .main) { print("all are done") }

        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
        #expect(grouped.tasks.isEmpty)
    }
}
