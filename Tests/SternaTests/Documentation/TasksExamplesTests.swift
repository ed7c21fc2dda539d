import Dispatch
import HTTPTypes
import Sterna
import SternaTesting
import Testing

/// The examples of docs/Tasks.md, so that they compile and do what it says.
@Suite("Examples: tasks and downloads", .timeLimit(.minutes(1)))
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
        #expect(mock.requests.map(\.bodyText) == ["Eggs"])
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
            try await DownloadTaskTests.withFolder { folder in
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

                #expect(try DownloadTaskTests.names(in: folder) == ["big.iso"])
            }
        }
    }

    @Test("A download over several connections")
    func segments() async throws {
        try await TestServer.withServer { server in
            try await DownloadTaskTests.withFolder { folder in
                let api = try Session(baseURL: server.url)
                server.route("GET", "/images/big.iso") { _ in ServerResponse(body: .bytes(Array("iso".utf8))) }

                var options = DownloadOptions()
                options.maxSegments = 4
                let large = api.download("images/big.iso", to: .folder(folder), options: options)

                #expect(try await large.value.length == 3)
            }
        }
    }

    @Test("Hooks")
    func hooks() async throws {
        let api = try Session(baseURL: "https://api.example.com") { settings in
            var hooks = SessionHooks()
            hooks.taskCompleted = { task, error in print(task.id, error?.message ?? "done") }
            settings.hooks = hooks
        }

        #expect(api.tasks.isEmpty)
    }
}
