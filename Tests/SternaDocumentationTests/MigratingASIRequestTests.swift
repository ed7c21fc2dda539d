import Dispatch
import Foundation
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The rows of docs/Migrating/ASIHTTPRequest.md about requests, their responses, forms and callbacks.
@Suite("Coming from ASIHTTPRequest: requests", .timeLimit(.minutes(5)))
struct MigratingASIRequestTests {
    @Test("A request, and its properties")
    func request() async throws {
        let (api, mock) = try mocked(by: MockTransport { _ in .json(["name": "Ada"]) }) {
            $0.headers["User-Agent"] = "Tern/1.0"
            $0.headers["Accept-Encoding"] = "identity"
            $0.timeout = .seconds(10)
            $0.network.http2 = .off
        }
        let task = api.dataTask(.get("users"))
        task.userInfo["section"] = 3
        task.tag = 7
        let reply = try await task.value
        #expect(task.tag == 7)
        #expect(task.isFinished)
        #expect(task.state == .completed)
        #expect(task.error == nil)
        #expect(task.originalRequest?.url.path == "/v1/users")
        #expect(reply.url.path == "/v1/users")
        #expect(try await reply.text() == #"{"name":"Ada"}"#)
        #expect(try reply.data().count == 14)
        #expect(reply.status == 200)
        #expect(reply.headers["Content-Type"] == "application/json")
        #expect(reply.response.reasonPhrase.count < 10)
        #expect(task.downloadProgress.current.completed == 14)
        #expect(task.downloadProgress.current.total == 14)
        #expect(mock.requests.first?.headers["User-Agent"] == "Tern/1.0")

        try await api.get("users", headers: ["X-Client": "7"])
        try await api.request(.put, "notes/7", body: .text("Eggs"))
        try await api.head("big.iso")
        #expect(mock.requests.map(\.method) == [.get, .get, .put, .head])
        let draft = RequestDraft.get("users")
        func copy() async throws -> Int {
            let again = api.dataTask(draft)
            return try await again.value.status
        }
        #expect(try await copy() == 200)
        let text = try await api.get("report") {
            $0.responseSerializer = TextResponseSerializer(fallbacks: [.latin1])
            $0.timeout = .seconds(5)
        }.text()
        #expect(text.contains("Ada"))
    }

    @Test("In a script, and cancelled")
    func running() async throws {
        let (api, _) = try mocked()
        @Sendable func wait() throws -> Int {
            let reply = try api.dataTask(.get("users")).startSynchronous()
            return reply.status
        }
        let status: Int? = await withCheckedContinuation { done in
            Thread.detachNewThread { done.resume(returning: try? wait()) }
        }
        #expect(status == 200)

        let waiting = api.with { $0.tasks.startsImmediately = false }
        func cancelled() async {
            let task = waiting.dataTask(.get("users"))
            task.cancel()
            _ = try? await task.value
            #expect(task.error?.kind == .cancelled)
        }
        func silenced() async {
            let task = waiting.dataTask(.get("users"))
            task.cancel(silently: true)
            _ = try? await task.value
            #expect(task.isFinished)
        }
        await cancelled()
        await silenced()
    }

    @Test("Bodies")
    func bodies() async throws {
        let file = try TemporaryPhoto()
        let path = file.path
        let (api, mock) = try mocked()
        var builder = BodyBuilder()
        try builder.append(Bytes(text: "one piece "))
        try await builder.append(.file(path))
        let body = builder.body(mediaType: "text/plain")
        try await api.put("notes/7", body: body)
        #expect(mock.requests.last?.body?.length == 15)
        try await api.put("notes/7", body: body.compressed())
        #expect(mock.requests.last?.headers["Content-Encoding"] == "gzip")
        try await api.upload(file: path, to: "isos/big.iso", method: .put)
        #expect(mock.requests.last?.body?.length == 5)
        let type = MediaType.ofFile(named: path)
        #expect(type == "image/jpeg")
    }

    @Test("Forms")
    func forms() async throws {
        let file = try TemporaryPhoto()
        let photo = file.path
        let data = Data("photo".utf8)
        let (api, mock) = try mocked()
        var form = FormBuilder()
        form.add("Ada", for: "name")
        form.set("Grace", for: "name")
        try await api.submit(form, to: "people")
        #expect(mock.requests.last?.givenText == "name=Grace")
        try form.add(file: photo, for: "portrait")
        try form.set(file: photo, for: "portrait")
        try form.add(file: photo, for: "portrait", fileName: "a.jpg", mediaType: "image/jpeg")
        form.add(data, for: "portrait", fileName: "a.jpg", mediaType: "image/jpeg")
        form.set(data, for: "portrait", fileName: "a.jpg", mediaType: "image/jpeg")
        form.format = .multipart
        form.encoding = .latin1
        try await api.submit(form, to: "people")
        #expect(mock.requests.last?.givenText?.contains("filename=\"a.jpg\"") == true)
        #expect(mock.requests.last?.method == .post)
    }

    @Test("Delegates and blocks")
    func callbacks() async throws {
        let log = CallbackLog<JSON>()
        let (use, report) = (log.onSuccess, log.onFailure)
        let redirects = Counter()
        var decisions = TaskDecisions()
        decisions.responseReceived = { task, response in .allow }
        let observer = EventObserver(.tasks) { event in
            switch event.kind {
            case .taskResumed: print(event.task?.id ?? 0)
            case .redirectDecided(let response, _): print(response.url)
            case .taskCompleted: redirects.add(event.task?.redirects.count ?? 0)
            default: break
            }
        }
        let (api, _) = try mocked(by: MockTransport(responses: [.redirect(to: "/new"), .json([:])])) { [decisions] in
            $0.tasks.decisions = decisions
            $0.events.observers = [observer]
            $0.callbacks = .queue(DispatchQueue(label: "callbacks"))
        }
        api.get("users", success: use, failure: report)
        await log.wait()
        #expect(log.values.count == 1)
        #expect(await eventually { redirects.value == 1 })
    }

    @Test("Progress, and raw bytes")
    func progress() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .text("film") })
        let data = Data("photo".utf8)
        let task = try api.uploadTask(.upload(.data(data), to: "photos"))
        for await step in task.uploadProgress { print(step.completed) }
        for await step in task.downloadProgress { print(step.completed, step.total ?? 0, step.rate ?? 0) }
        #expect(try await task.value.status == 200)
        for try await piece in api.streamTask(.get("film")).bytes { print(piece.count) }
    }

    @Test("Proxies, certificates and connections")
    func connections() throws {
        func identified(_ path: String) throws -> Session {
            let identity = try ClientIdentity(certificateFile: path, password: "secret")
            return try mocked { $0.trust.policy.identity = identity }.api
        }
        #expect(throws: SternaError.self) { try identified("/nowhere/client.p12") }
        var options = EngineOptions()
        options.idleTimeout = .seconds(60)
        let engine = Engine(options: options)
        let (api, _) = try mocked {
            $0.network.engine = engine
            $0.trust.policy = .insecure
            $0.network.proxies = .each { url in nil }
        }
        #expect(api.baseURL?.host == "api.example.com")
    }
}
