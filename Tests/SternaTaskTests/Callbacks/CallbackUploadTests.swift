import Dispatch
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Callbacks: uploads", .timeLimit(.minutes(5)))
struct CallbackUploadTests {
    @Test("A multipart form and a file, with progress")
    func sent() async throws {
        try await TestServer.withServer { server in
            let folder = try TestFolder()
            let path = try folder.write(Array("content".utf8), to: "a.csv")
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.callbacks = .queue(DispatchQueue(label: "test"))
            }
            let form = CallbackLog<JSON>()
            api.upload(
                "post", parameters: ["a": 1], multipart: { $0.append(file: path, name: "f") },
                progress: form.onProgress, success: form.onSuccess, failure: form.onFailure)
            let text = CallbackLog<String>()
            api.upload(
                "post", multipart: { $0.append("b", name: "a") }, as: TextResponseSerializer(),
                success: text.onSuccess, failure: text.onFailure)
            let file = CallbackLog<JSON>()
            api.upload(file: path, to: "put", method: .put, success: file.onSuccess, failure: file.onFailure)
            for log in [form, file] { await log.wait() }
            await text.wait()
            expectEqual(form.values.first?["form"], ["a": "1"])
            expectEqual(form.values.first?["files"], ["f": "content"])
            expectEqual(form.progress.last.map { $0.upload.completed == $0.upload.total }, true)
            expectEqual(text.values.first?.contains("\"b\""), true)
            expectEqual(file.values.first?["data"].string, "content")
        }
    }

    @Test("An upload that cannot be sent calls failure without a task")
    func refused() async throws {
        let api = try Session(baseURL: "http://127.0.0.1:1/") {
            $0.callbacks = .queue(DispatchQueue(label: "test"))
            $0.retry = .none
        }
        let missing = CallbackLog<JSON>()
        let none = api.upload(
            "post", multipart: { $0.append(file: "/none/at/all", name: "f") }, success: missing.onSuccess,
            failure: missing.onFailure)
        let method = CallbackLog<JSON>()
        api.upload(file: "/etc/hostname", to: "a", method: .get, success: method.onSuccess, failure: method.onFailure)
        await missing.wait()
        await method.wait()
        expectNil(none)
        #expect(missing.errors.first?.underlying as? BodyFault == .unreachable(path: "/none/at/all", code: 2))
        #expect(method.errors.first?.underlying as? BodyFault == .methodWithoutBody("GET"))
    }
}
