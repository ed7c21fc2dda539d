import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Tasks of ready requests", .timeLimit(.minutes(5)))
struct ReadyRequestTests {
    private func request(_ text: String = "https://other.example/notes/7", body: Body? = nil) throws -> Request {
        var request = Request(body == nil ? .get : .put, try HTTPURL(text), body: body)
        request.headers[.ifMatch] = "\"1\""
        return request
    }

    @Test("The request is sent as it is: nothing of the session's is added")
    func unchanged() async throws {
        let (api, mock) = try mocked {
            $0.headers = ["X-Session": "1"]
            $0.auth.header = .bearer("secret")
            $0.timeouts.betweenBytes = .seconds(3)
        }
        var request = try request()
        request.priority = .high
        request.timeouts.betweenBytes = .seconds(8)
        let task = api.dataTask(request)
        expectEqual(task.priority, .high)
        _ = try await task.value
        _ = try await api.send(request)
        for sent in mock.requests {
            expectEqual(sent.url, request.url)
            expectEqual(sent.method, .get)
            expectEqual(sent.headers, request.headers)
            expectEqual(sent.timeouts.betweenBytes, .seconds(8))
        }
        expectEqual(mock.requests.count, 2)
    }

    @Test("A request that a task has sent begins a new call, also after the task was released")
    func sentAgain() async throws {
        let (api, mock) = try mocked(nil)
        let sent = try await sentByTask(api)
        #expect(sent.call != nil)
        _ = try await api.send(sent)
        #expect(mock.requests.first?.call !== mock.requests.last?.call)
        expectEqual(mock.requests.count, 2)
    }

    private func sentByTask(_ api: Session) async throws -> Request {
        let task = api.dataTask(.get("https://other.example/notes/7"))
        _ = try await task.value
        return try #require(task.currentRequest)
    }

    @Test("Missing fields that describe the body are added")
    func body() async throws {
        let (api, mock) = try mocked()
        _ = try await api.uploadTask(request(body: .text("a"))).value
        var own = try request(body: .text("a"))
        own.headers[.contentType] = "text/csv"
        _ = try await api.uploadTask(own).value
        expectEqual(
            mock.requests.map { $0.headers[.contentType] }, ["text/plain; charset=utf-8", "text/csv"])
        expectEqual(mock.requests.map(\.givenText), ["a", "a"])
    }

    @Test("The session's response serializer judges the response, and its options are the defaults")
    func judged() async throws {
        let mock = MockTransport { request in
            request.url.path == "/from" ? .redirect(to: "/to") : .json([:], status: 404)
        }
        let (api, _) = try mocked(by: mock) { $0.redirects = .doNotFollow }
        let failed = api.dataTask(try request())
        let error = await #expect(throws: SternaError.self) { try await failed.value }
        expectEqual(error?.kind, .unacceptableStatus)
        let redirect = try await api.dataTask(request("https://other.example/from")).value
        expectEqual(redirect.status, 302)
        var follows = try request("https://other.example/from")
        follows.options[RedirectPolicyKey.self] = .follow
        let task = api.dataTask(follows)
        _ = try? await task.value
        expectEqual(task.redirects.count, 1)
    }

    @Test("A request that another task has sent is sent again, in a call of its own")
    func again() async throws {
        let (api, mock) = try mocked()
        let first = api.dataTask(.get("users/1"))
        _ = try await first.value
        let second = api.dataTask(try #require(first.originalRequest))
        _ = try await second.value
        #expect(second.id != first.id)
        expectEqual(second.requests.count, 1)
        expectEqual(mock.requests[1].headers, mock.requests[0].headers)
    }

    @Test("Streams and downloads send it; an invalidated session rejects it")
    func kinds() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let api = try Session {
                    $0.network.engine = Engine()
                    $0.responseSerializer = .data
                }
                let request = Request(.get, try HTTPURL("\(server.url)/bytes/1000"))
                let file = try await api.downloadTask(request, to: .file(folder + "/a")).value
                expectEqual(file.length, 1000)
                var count = 0
                for try await piece in api.streamTask(request).bytes { count += piece.readableBytes }
                expectEqual(count, 1000)
                api.invalidateAndCancel()
                let error = await #expect(throws: SternaError.self) { try await api.dataTask(request).value }
                expectEqual(error?.kind, .shutDown)
            }
        }
    }
}
