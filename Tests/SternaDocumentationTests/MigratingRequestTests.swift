import Dispatch
import Foundation
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// The rows of docs/Migrating/AFNetworking.md about requests with callbacks, and about tasks.
@Suite("Coming from AFNetworking: requests", .timeLimit(.minutes(5)))
struct MigratingRequestTests {
    /// What `use` and `report` were called with, for one request after another.
    private final class Ends: Sendable {
        private let state = Mutex<(count: Int, waiters: [(Int, CheckedContinuation<Void, Never>)])>((0, []))

        func add() {
            let ready = state.withLock { state in
                state.count += 1
                defer { state.waiters.removeAll { $0.0 <= state.count } }
                return state.waiters.filter { $0.0 <= state.count }
            }
            for (_, waiter) in ready { waiter.resume() }
        }

        func wait(for count: Int) async {
            await withCheckedContinuation { continuation in
                let isReached = state.withLock { state in
                    if state.count < count { state.waiters.append((count, continuation)) }
                    return state.count >= count
                }
                if isReached { continuation.resume() }
            }
        }
    }

    @Test("The verbs, with callbacks")
    func verbs() async throws {
        let (api, mock) = try mocked { $0.callbacks = .queue(DispatchQueue(label: "callbacks")) }
        let ends = Ends()
        let failures = Mutex<[SternaError]>([])
        let show: Session.ProgressCallback = { _, progress in print(progress) }
        let use: Session.Success<JSON> = { _, _ in ends.add() }
        let report: Session.Failure = { _, error in
            failures.withLock { $0.append(error) }
            ends.add()
        }
        let sequence = AsyncStream<Bytes> { continuation in
            continuation.yield(Bytes(text: "photo"))
            continuation.finish()
        }
        let photo = Data("photo".utf8)
        let file = try TemporaryPhoto()
        let path = file.path

        api.get(
            "users", parameters: ["page": 2], headers: ["X-Client": "7"], progress: show, success: use, failure: report)
        await ends.wait(for: 1)
        api.get("users", parameters: ["page": 2], success: use, failure: report)
        await ends.wait(for: 2)
        api.head("users", success: use, failure: report)
        await ends.wait(for: 3)
        api.post("users", parameters: ["name": "Ada"], success: use, failure: report)
        await ends.wait(for: 4)
        api.upload(
            "photos", parameters: ["name": "Ada"],
            multipart: { form in form.append(photo, name: "image", fileName: "a.jpg") }, progress: show, success: use,
            failure: report)
        await ends.wait(for: 5)
        api.put("users/1", parameters: ["name": "Ada"], success: use, failure: report)
        await ends.wait(for: 6)
        api.patch("users/1", parameters: ["name": "Ada"], success: use, failure: report)
        await ends.wait(for: 7)
        api.delete("users/1", success: use, failure: report)
        await ends.wait(for: 8)
        api.request(.post, "users", parameters: ["name": "Ada"], progress: show, success: use, failure: report)
        await ends.wait(for: 9)
        api.send(.get("users"), progress: show, success: use, failure: report)
        await ends.wait(for: 10)
        api.upload(file: path, to: "isos", progress: show, success: use, failure: report)
        await ends.wait(for: 11)
        api.upload(.data(photo), to: "photos", progress: show, success: use, failure: report)
        await ends.wait(for: 12)
        api.upload(.stream(sequence), to: "photos", progress: show, success: use, failure: report)
        await ends.wait(for: 13)

        let methods = "GET GET HEAD POST POST PUT PATCH DELETE POST GET POST POST POST"
        #expect(mock.requests.map(\.method.rawValue).joined(separator: " ") == methods)
        #expect(mock.requests.first?.url.query == "page=2")
        #expect(mock.requests[3].givenText == "name=Ada")
        #expect(failures.withLock { $0.map(\.description) }.isEmpty)
    }

    @Test("Downloads to a chosen place, and again from what an interrupted one left")
    func downloads() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let count = 20_000_000
                let release = Gate()
                server.route("GET", "/big.iso") { _ in ServerResponse(body: .bytes(Array("iso".utf8))) }
                server.holdBody(of: count, until: release)
                let api = try Downloading.session(server)

                func chosen() async throws {
                    let download = api.download(
                        "big.iso", to: .choose { temporary, response in folder + "/big.iso" })
                    #expect(try await download.value.path == folder + "/big.iso")
                }
                try await chosen()

                let download = api.download("held", to: .file(folder + "/held"))
                for await step in download.progress where step.completed > 1 << 20 { break }
                func interrupted() async -> ResumeData? {
                    let data = await download.cancelProducingResumeData()
                    return data
                }
                let data = try #require(await interrupted())
                release.open()
                let again = api.downloadTask(resuming: data)
                #expect(try await again.value.resumedAt == data.receivedBytes)
                #expect(try Downloading.names(in: folder) == ["big.iso", "held"])
            }
        }
    }

    @Test("A task and its properties")
    func task() async throws {
        let (api, _) = try mocked { $0.tasks.startsImmediately = false }
        let task = api.dataTask(.get("users"))
        task.taskDescription = "nightly"
        #expect(task.state == .suspended)
        #expect(task.originalRequest?.url.path == "/v1/users")
        #expect(task.currentRequest == nil)
        #expect(api.task(id: task.id) === task)
        task.resume()
        _ = try await task.value
        #expect(task.response?.status == .ok)
        #expect(task.error == nil)
        task.suspend()
        task.cancel()
        #expect(task.state == .completed)
        #expect(task.taskDescription == "nightly")
    }

    #if Foundation
    @Test("Foundation's progress of a task")
    func progressObjects() async throws {
        let (api, _) = try mocked { $0.tasks.startsImmediately = false }
        let task = api.dataTask(.get("users"))
        #expect(task.uploadProgressObject !== task.downloadProgressObject)
        #expect(task.downloadProgressObject.isPausable)
        task.cancel()
    }
    #endif
}
