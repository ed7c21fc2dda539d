import Dispatch
import Foundation
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The rows of docs/Migrating/AFNetworking.md about AFNetworking 2's operations.
@Suite("Coming from AFNetworking: operations", .timeLimit(.minutes(5)))
struct MigratingOperationTests {
    @Test("An operation is a task")
    func operation() async throws {
        // The mock holds its response: it could complete the task before the line that suspends it.
        let release = Gate()
        defer { release.open() }
        let answering = MockTransport { _ in
            await release.wait()
            return .json(["name": "Ada"])
        }
        let (api, mock) = try mocked(by: answering) { $0.tasks.startsImmediately = false }
        let task = api.dataTask(.get("users"))
        task.userInfo["section"] = 3
        task.priority = .high
        #expect(task.priority == .high)
        task.resume()
        task.suspend()
        #expect(task.state == .suspended)
        task.resume()
        release.open()
        _ = try await task.value
        #expect(try await task.value.json()["name"].string == "Ada")
        #expect(try await task.value.data() == Data(#"{"name":"Ada"}"#.utf8))
        #expect(try await task.value.text() == #"{"name":"Ada"}"#)
        #expect(task.userInfo["section"] as? Int == 3)
        #expect(task.isFinished)
        #expect(task.originalRequest?.method == .get)
        #expect(task.response?.status == .ok)
        #expect(mock.requests.count == 1)

        let draft = RequestDraft.get("users")
        let again = api.dataTask(draft)
        #expect(again.id != task.id)
        func cancelled(_ task: DataTask) async {
            task.cancel()
            _ = try? await task.value
            #expect(task.error?.kind == .cancelled)
        }
        await cancelled(again)
    }

    @Test("A script waits for an operation, and reads a stream")
    func script() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .json(["name": "Ada"]) }) {
            $0.callbacks = .queue(DispatchQueue(label: "callbacks"))
        }
        @Sendable func wait() throws -> JSON {
            let reply = try api.dataTask(.get("users")).startSynchronous()
            return try reply.json()
        }
        @Sendable func read() -> Int {
            let stream = api.streamTask(.get("report")).inputStream()
            stream.open()
            defer { stream.close() }
            var bytes = [UInt8](repeating: 0, count: 64)
            return stream.read(&bytes, maxLength: bytes.count)
        }
        let (name, count): (String?, Int) = await withCheckedContinuation { done in
            Thread.detachNewThread { done.resume(returning: ((try? wait())?["name"].string, read())) }
        }
        #expect(name == "Ada")
        #expect(count == 14)
    }

    @Test("A batch, with the number of finished ones, and its serializers")
    func batch() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .text("a") }) {
            $0.callbacks = .queue(DispatchQueue(label: "callbacks"))
        }
        let log = CallbackLog<JSON>()
        let (use, report) = (log.onSuccess, log.onFailure)
        let task = api.dataTask(.get("report") { $0.responseSerializer = .text })
        let batch = [task, api.dataTask(.get("report") { $0.responseSerializer = .data })]
        for task in batch { _ = try await task.value }
        #expect(batch.filter(\.isFinished).count == 2)

        api.send(.get("users"), success: use, failure: report)
        await log.wait()
        #expect(log.errors.first?.kind == .unacceptableMediaType)

        for task in api.tasks { task.cancel() }
    }

    @Test("Streams in both directions, and progress")
    func streams() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                server.route("GET", "/report") { _ in ServerResponse(body: .bytes(Array("report".utf8))) }
                let api = try Downloading.session(server) { $0.responseSerializer = .data }
                let path = folder + "/report"

                let download = api.download("report", to: .file(path))
                #expect(try await download.value.length == 6)
                for try await piece in api.streamTask(.get("report")).bytes { print(piece.count) }

                for name in ["a.iso", "b.iso"] {
                    server.route("GET", "/\(name)") { _ in ServerResponse(body: .bytes(Array("iso".utf8))) }
                }
                let files = api.download(["a.iso", "b.iso"], into: folder, concurrency: 2)
                for await step in files.progress { print(step) }
                let results = try await files.results
                #expect(try results.map { try $0.get().length } == [3, 3])

                let task = try api.uploadTask(.upload(file: path, to: "post"))
                for await step in task.uploadProgress { print(step.completed) }
                for await step in task.downloadProgress { print(step.completed) }
                #expect(try await task.value.status == 200)
            }
        }
    }

    #if Foundation
    @Test("An InputStream")
    func inputStream() async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.callbacks = .queue(DispatchQueue(label: "callbacks"))
            }
            server.route("POST", "/photos") { request in
                .text(#"{"count": \#(try await request.body.collect().count)}"#, mediaType: "application/json")
            }
            let log = CallbackLog<JSON>()
            let (use, report) = (log.onSuccess, log.onFailure)
            let stream = InputStream(data: Data("photo".utf8))
            api.upload(.stream(stream, length: 5), to: "photos", success: use, failure: report)
            await log.wait()
            #expect(log.values.first?["count"].int == 5)
        }
    }
    #endif
}
