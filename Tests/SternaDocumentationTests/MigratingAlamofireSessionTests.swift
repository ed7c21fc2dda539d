import Dispatch
import Foundation
import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The rows of docs/Migrating/Alamofire.md about sessions, and the requests they make.
@Suite("Coming from Alamofire: sessions", .timeLimit(.minutes(5)))
struct MigratingAlamofireSessionTests {
    private struct User: Codable, Sendable {
        var id: Int
        var name: String
    }

    @Test("Settings in place of the initializer's arguments")
    func settings() async throws {
        func shared() async throws {
            try await Session.shared.get("https://api.example.com/users")
        }
        func made() throws -> Session {
            let api = try Session(baseURL: "https://api.example.com/v1") { $0.timeout = .seconds(60) }
            return api
        }
        #expect(try made().baseURL?.path == "/v1/")

        let queue = DispatchQueue(label: "callbacks")
        let (api, mock) = try mocked {
            $0.headers["X-Client"] = "7"
            $0.timeouts.total = .seconds(300)
            $0.callbacks = .queue(queue)
            $0.tasks.startsImmediately = false
        }
        let task = api.dataTask(.get("users"))
        #expect(task.state == .suspended)
        task.resume()
        _ = try await task.value
        #expect(mock.requests.first?.headers["X-Client"] == "7")

        let waiting = api.dataTask(.get("users"))
        for task in api.tasks { print(task.id) }
        #expect(api.tasks.map(\.id) == [waiting.id])
        await api.cancelAllTasks()
        #expect(api.tasks.isEmpty)
        api.invalidateAndCancel()
        let error = await #expect(throws: SternaError.self) { try await api.get("users") }
        #expect(error?.kind == .shutDown)
    }

    @Test("Requests, with a handle and without one")
    func requests() async throws {
        let (api, mock) = try mocked(by: MockTransport { _ in .json(["id": 7, "name": "Ada"]) })
        let user = User(id: 7, name: "Ada")
        let url = try HTTPURL("https://api.example.com/users")
        func handle() async throws -> Reply {
            let task = api.dataTask(.post("users", parameters: ["name": "Ada"], headers: ["X-Client": "7"]))
            return try await task.value
        }
        func verb() async throws -> Reply {
            let reply = try await api.post("users", parameters: ["name": "Ada"])
            return reply
        }
        func encodable() async throws -> Reply {
            let reply = try await api.post("users", json: user)
            return reply
        }
        func ready() async throws -> Reply {
            let request = Request(.put, url, headers: [.accept: "text/csv"])
            let task = api.dataTask(request)
            return try await task.value
        }
        func routed() async throws -> Reply {
            let draft = RequestDraft(.get, "users", parameters: ["page": 2])
            return try await api.send(draft)
        }
        for reply in [
            try await handle(), try await verb(), try await encodable(), try await routed(),
        ] {
            #expect(try await reply.decode(User.self).id == 7)
        }
        #expect(try await ready().status == 200)
        #expect(mock.requests.map(\.givenText) == ["name=Ada", "name=Ada", #"{"id":7,"name":"Ada"}"#, nil, nil])
        #expect(mock.requests.first?.headers["X-Client"] == "7")
        #expect(mock.requests[3].url.query == "page=2")
        #expect(mock.requests.last?.headers[.accept] == "text/csv")

        try await api.get("users") { $0.timeout = .seconds(5) }
        try await api.request(.patch, "users/1", parameters: ["name": "Ada"])
        let method = Request.Method("PURGE")
        #expect(mock.requests.last?.method == .patch)
        #expect(method?.rawValue == "PURGE")
    }

    @Test("Uploads")
    func uploads() async throws {
        let (api, mock) = try mocked()
        let file = try TemporaryPhoto()
        let path = file.path
        let photo = Data("photo".utf8)
        try await api.upload(.data(photo), to: "photos")
        try await api.upload(file: path, to: "isos/big.iso", method: .put)
        try await api.upload(
            "photos", multipart: { form in form.append(photo, name: "image", fileName: "a.jpg") })
        let url = try HTTPURL("https://api.example.com/notes/7")
        func ready() async throws {
            let task = api.uploadTask(Request(.put, url, body: .text("Eggs")))
            for await step in task.progress { print(step) }
            #expect(try await task.value.status == 200)
        }
        try await ready()
        try await api.upload(.data(photo), to: "photos", progress: { print($0) })
        #expect(mock.requests.map(\.method) == [.post, .put, .post, .put, .post])
        #expect(mock.requests.first?.givenText == "photo")
        #expect(mock.requests[1].body?.length == 5)
        #expect(mock.requests[2].givenText?.contains("filename=\"a.jpg\"") == true)

        func source() throws -> Body {
            let body = try Body.file(path)
            return body
        }
        #expect(try source().length == 5)

        #if Foundation
        let stream = InputStream(data: photo)
        try await api.upload(.stream(stream, length: 5), to: "photos")
        #expect(mock.requests.last?.body?.length == 5)
        #endif
    }
}
