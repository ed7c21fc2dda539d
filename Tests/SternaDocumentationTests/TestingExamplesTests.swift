import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The examples of docs/Testing.md, so that they compile and do what it says.
@Suite("Examples: testing")
struct TestingExamplesTests {
    @Test("A mock")
    func mock() async throws {
        let mock = MockTransport { request in .json(["path": .string(request.url.path)]) }
        let api = try Session(baseURL: "https://api.example.com") { $0.network.transport = mock }

        #expect(try await api.get("users").json()["path"].string == "/users")
        #expect(mock.requests.first?.method == .get)

        try await api.post("users", json: ["name": "Ada"])
        #expect(try await mock.requests.last?.bodyText == #"{"name":"Ada"}"#)
    }

    @Test("A mock that answers by a list, and one that fails")
    func listsAndErrors() async throws {
        let (api, _) = try mocked(by: MockTransport(responses: [.redirect(to: "/b"), .json([:])]))
        #expect(try await api.get("a").url.path == "/b")
        let (gone, _) = try mocked(
            by: MockTransport { _ in throw SternaError(.connectionClosed, phase: .wait, "Gone.") })
        let error = await #expect(throws: SternaError.self) { try await gone.get("a") }
        #expect(error?.detail == "Gone.")
    }

    @Test("Responses of a mock and of a server")
    func responses() async throws {
        try await TestServer.withServer { server in
            let ada = ServerResponse.json(["name": "Ada"], headers: ["ETag": "\"7\""])
            let notFound = ServerResponse.json(["message": "no such user"], status: 404)

            let mock = MockTransport { request in request.url.path == "/users/1" ? ada : notFound }
            server.route("GET", "/users/{id}") { request in request.parameters["id"] == "1" ? ada : notFound }

            for api in [try Session(baseURL: server.url), try mocked("https://api.example.com", by: mock).api] {
                let reply = try await api.get("users/1")
                #expect(try await reply.json()["name"].string == "Ada")
                #expect(reply.headers["ETag"] == "\"7\"")
                let error = await #expect(throws: SternaError.self) { try await api.get("users/2") }
                #expect(error?.message == "no such user")
            }
        }
    }

    @Test("A body in pieces")
    func pieces() async throws {
        let mock = MockTransport { _ in
            ServerResponse(
                headers: ["Content-Type": "text/plain"],
                body: .stream(length: nil) { writer in try await writer.write("first") })
        }
        #expect(try await mocked(by: mock).api.get("a").text() == "first")
    }

    @Test("A server that asks for a password")
    func challenge() async throws {
        let mock = MockTransport(responses: [
            .init(status: 401, headers: ["WWW-Authenticate": #"Basic realm="Staff""#]),
            .json(["name": "Ada"]),
        ])
        let api = try Session(baseURL: "https://api.example.com") {
            $0.network.transport = mock
            $0.auth.credential = Credential(user: "ada", password: "secret")
        }

        #expect(try await api.get("me").json()["name"].string == "Ada")
        #expect(mock.requests.map { $0.headers[.authorization] } == [nil, "Basic YWRhOnNlY3JldA=="])
    }

    @Test("A clock", .timeLimit(.minutes(5)))
    func clock() async throws {
        let time = TestClock()
        var options = EngineOptions()
        options.clock = time.clock
        let engine = Engine(options: options)
        let mock = MockTransport(responses: [.init(status: 503, headers: ["Retry-After": "7"]), .text("fine")])
        let api = try Session(baseURL: "https://api.example.com") {
            $0.network.transport = mock
            $0.network.engine = engine
        }

        let reply = Task { try await api.get("report").text() }
        await time.waitForTimer(within: .seconds(7))  // the request waits
        await time.advance(by: .seconds(7))
        #expect(try await reply.value == "fine")
    }

    @Test("A server")
    func server() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/birds/{name}") { request in .text(request.parameters["name"] ?? "") }
            let reply = try await Session.shared.get(server.url("/birds/tern"))
            #expect(try await reply.text() == "tern")

            let error = await #expect(throws: SternaError.self) {
                try await Session.shared.get(server.url("/fault/close-half"))
            }
            #expect(error?.kind == .truncated)
        }
    }

    @Test("WebSockets")
    func webSockets() async throws {
        try await TestServer.withServer { server in
            let echo = ServerResponse.webSocket(subprotocols: ["chat.v1"]) { socket in
                for try await message in socket { try await socket.send(message) }
            }
            server.route("GET", "/chat") { _ in echo }
            let mock = MockTransport { _ in echo }

            // What is no handshake is refused.
            for api in [try Session(baseURL: server.url), try mocked("https://api.example.com", by: mock).api] {
                let error = await #expect(throws: SternaError.self) { try await api.get("chat") }
                #expect(error?.status == 426)
            }
        }
    }

    @Test("A server with TLS")
    func secure() async throws {
        let authority = try CertificateAuthority()
        let options = TestServer.Options(tls: try authority.issue(CertificateOptions(hosts: ["localhost"])))
        try await TestServer.withServer(options) { server in
            let api = try Session(baseURL: server.url) { $0.trust.policy = .authority(pem: authority.pem) }
            #expect(try await api.get("get").status == 200)
        }
    }
}
