import Dispatch
import Foundation
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// The rows of docs/Migrating/Alamofire.md about a request's state and members, validation, downloads and streams.
@Suite("Coming from Alamofire: requests", .timeLimit(.minutes(5)))
struct MigratingAlamofireTaskTests {
    private struct Event: Decodable, Sendable {
        var id: Int
    }

    @Test("The state and the members of a request")
    func members() async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.events.collectsMetrics = true
            }
            let task = api.dataTask(.get("redirect/1"))
            _ = try await task.value
            task.suspend()
            task.resume()
            task.cancel()
            #expect(task.state == .completed)
            #expect(task.isFinished)
            #expect(task.id > 0)
            #expect(task.originalRequest?.url.path == "/redirect/1")
            #expect(task.requests.count == 2)
            #expect(task.currentRequest?.url.path == "/get")
            #expect(task.response?.status == .ok)
            #expect(task.error == nil)
            #expect(task.redirects.count == 1)
            #expect(task.metrics?.attempts.count == 2)
            #expect(task.metrics?.retryCount == 0)
            #expect(task.curl?.hasPrefix("curl ") == true)
            let command = try api.curl(for: .get("users"), showsSecrets: true)
            #expect(command.contains("/users"))

            let waiting = api.with { $0.tasks.startsImmediately = false }.dataTask(.get("users"))
            waiting.cancel()
            await #expect(throws: SternaError.self) { try await waiting.value }
            #expect(waiting.error?.kind == .cancelled)
        }
    }

    @Test("Settings of a request in place of chained methods, and what it reports")
    func settings() async throws {
        let ada = Authorization.basic("ada", "secret").fieldValue
        let guarded = GuardedMock([#"Basic realm="Staff""#]) { $0.headers[.authorization] == ada }
        var decisions = TaskDecisions()
        decisions.responseReceived = { task, response in .allow }
        let observer = EventObserver(.tasks) { event in
            switch event.kind {
            case .taskCreated(let request): print(request?.url.path ?? "")
            default: break
            }
        }
        let (api, mock) = try mocked(by: guarded.mock) { [decisions] in
            $0.tasks.decisions = decisions
            $0.events.observers = [observer]
            $0.callbacks = .queue(DispatchQueue(label: "decisions"))
        }
        try await api.get("report") { $0.auth.credential = Credential(user: "ada", password: "secret") }
        #expect(mock.authorizations == [nil, ada])
        let report = RequestDraft.get("report") {
            $0.auth.credential = Credential(user: "ada", password: "secret")
        }
        _ = try await api.dataTask(report).value

        func moved() async throws {
            let (api, mock) = try mocked(by: MockTransport { _ in .redirect(to: "/new") })
            try await api.get("old") { $0.redirects = .doNotFollow }
            #expect(mock.requests.count == 1)
        }
        try await moved()
    }

    @Test("Progress")
    func progress() async throws {
        let steps = Counter()
        let (api, _) = try mocked(by: MockTransport { _ in .text("film") })
        try await api.get("film") { $0.downloadProgress = { print($0) } }
        try await api.get("film") { $0.downloadProgress = { _ in steps.add(1) } }
        #expect(steps.value > 0)
        let task = api.dataTask(.get("film"))
        for await step in task.downloadProgress { print(step) }
        #expect(task.downloadProgress.current.completed == 4)
    }

    @Test("Validation")
    func validation() async throws {
        struct Stale: Error {}
        let (api, _) = try mocked(by: MockTransport { _ in .json([:], status: 302) })
        @Sendable func check(_ response: Response) throws {
            if response.status.code == 302 { throw Stale() }
        }
        try await api.get("report") {
            $0.responseSerializer = JSONResponseSerializer().validating(statuses: 200..<400)
        }
        try await api.get("report") {
            $0.responseSerializer = JSONResponseSerializer().validating(statuses: 200..<400)
                .validating(mediaTypes: ["application/json"])
        }
        let any = try await api.get("report") {
            $0.acceptsAnyStatus = true
        }
        #expect(any.status == 302)
        let narrow = try mocked(by: MockTransport { _ in .json([:]) }) {
            $0.responseSerializer = JSONResponseSerializer().validating(mediaTypes: ["text/*"])
        }.api
        let other = await #expect(throws: SternaError.self) { try await narrow.get("report").json() }
        #expect(other?.kind == .unacceptableMediaType)
        let (fresh, _) = try mocked(by: MockTransport { _ in .json([:]) }) {
            $0.responseSerializer = JSONResponseSerializer().validating { response, body in try check(response) }
        }
        try await fresh.get("report")
        let stale = api.with {
            $0.responseSerializer = JSONResponseSerializer().validating(statuses: 200..<400)
                .validating { response, body in try check(response) }
        }
        let error = await #expect(throws: SternaError.self) { try await stale.get("report") }
        #expect(error?.kind == .unacceptableResponse)
        #expect(error?.underlying is Stale)
    }

    @Test("Downloads")
    func downloads() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let path = folder + "/chosen.json"
                server.route(nil, "/list.json") { _ in .json(["a"]) }
                server.route("POST", "/report") { _ in .text("report") }
                let api = try Downloading.session(server)

                func file() async throws -> JSON {
                    let download = api.download("list.json", to: .file(path))
                    let tree = try await download.value.value(by: .json)
                    #expect(try await download.value.url.lastPathComponent == "chosen.json")
                    #expect(download.resumeData == nil)
                    return tree
                }
                func replaced() async throws {
                    let download = api.download("list.json", to: .file(path, existing: .replace))
                    #expect(try await download.value.path == path)
                }
                func named() async throws {
                    let download = api.download("list.json", to: .folder(folder))
                    #expect(try await download.value.path == folder + "/list.json")
                }
                func chosen() async throws {
                    let download = api.download(
                        "list.json", to: .choose { temporary, response in folder + "/b.json" })
                    #expect(try await download.value.length == 5)
                }
                func posted() async throws {
                    let download = api.downloadTask(
                        .post("report", parameters: ["year": 2026]), to: .file(folder + "/report"))
                    #expect(try await download.value.length == 6)
                }
                #expect(try await file() == ["a"])
                try await replaced()
                try await named()
                try await chosen()
                try await posted()
                #expect(try Downloading.names(in: folder) == ["b.json", "chosen.json", "list.json", "report"])
            }
        }
    }

    @Test("Streams")
    func streams() async throws {
        let (api, _) = try mocked(
            by: MockTransport { _ in .text("{\"id\":1}\n{\"id\":2}\n", mediaType: "application/json") }
        ) {
            $0.callbacks = .queue(DispatchQueue(label: "streams"))
        }
        func open() -> DataStreamTask {
            let stream = api.streamTask(.get("events"))
            return stream
        }
        func pieces(_ stream: DataStreamTask) async throws {
            for try await piece in stream.bytes { print(piece.count) }
            try await stream.finished()
            #expect(stream.response?.status == .ok)
        }
        func texts(_ stream: DataStreamTask) async throws {
            for try await text in stream.strings { print(text) }
        }
        func values(_ stream: DataStreamTask) async throws {
            for try await event in stream.jsonLines(of: Event.self) { print(event.id) }
        }
        func mapped(_ stream: DataStreamTask) async throws {
            for try await length in stream.lines.map({ $0.count }) { print(length) }
        }
        try await pieces(open())
        try await texts(open())
        try await values(open())
        try await mapped(open())
        func head(_ stream: DataStreamTask) async throws {
            #expect(try await stream.value.status == .ok)
            stream.cancel()
        }
        try await head(open())

        let ends = Counter()
        api.streamTask(.get("events")).onBytes { piece in
            print(piece.count)
        } completion: { error in
            print(error?.message ?? "done")
        }
        api.streamTask(.get("events")).onJSONLines(of: Event.self) { event in
            ends.add(event.id)
        }
        #expect(await eventually { ends.value == 3 })

        let stream = open()
        stream.cancel()
        await #expect(throws: SternaError.self) { try await stream.finished() }
        for task in api.tasks { task.cancel() }
    }

    #if Foundation
    @Test("Foundation's progress and streams")
    func foundation() async throws {
        let (api, _) = try mocked { $0.tasks.startsImmediately = false }
        let task = api.dataTask(.get("users"))
        #expect(task.uploadProgressObject !== task.downloadProgressObject)
        let stream = api.streamTask(.get("events"))
        let input = stream.inputStream()
        #expect(input.streamStatus == .notOpen)
        input.close()
        await api.cancelAllTasks()
    }
    #endif
}
