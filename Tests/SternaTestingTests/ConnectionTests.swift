import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Server connections", .timeLimit(.minutes(5)))
struct ConnectionTests {
    @Test("requests share a connection")
    func keepAlive() async throws {
        try await TestServer.withServer { server in
            try await RawClient.with(port: server.port) { client in
                for target in ["/1k", "/stream/3", "/status/204", "/bytes/100000", "/nowhere", "/get"] {
                    _ = try await client.request("GET", target)
                }
                expectEqual(server.openConnections, 1)
            }
            try await server.waitForOpenConnections(0)
            expectEqual(server.totalConnections, 1)
            expectEqual(server.requestCount, 6)
            expectEqual(server.requests().map(\.target).first, "/1k")
            #expect(server.requests().allSatisfy { $0.connection == 0 && $0.headers["host"] == "example.test" })
        }
    }

    @Test("pipelined requests are answered in order")
    func pipelined() async throws {
        try await TestServer.withServer { server in
            try await RawClient.with(port: server.port) { client in
                let targets = ["/delay/0.05", "/status/404", "/stream/2", "/status/201"]
                try await client.send(targets.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
                for status in [200, 404, 200, 201] {
                    try await expectEqual(client.response().status, status)
                }
            }
        }
    }

    @Test(
        "connections end where HTTP says so",
        arguments: [
            ("GET /1k HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "close"),
            ("GET /1k HTTP/1.0\r\n\r\n", "close"),
            ("GET /stream/1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "close"),
        ])
    func ends(request: String, connection: String) async throws {
        try await TestServer.withServer { server in
            try await RawClient.with(port: server.port) { client in
                try await client.send(request)
                let response = try await client.response()
                expectEqual(response.headers["Connection"], connection)
                expectNil(response.headers["Transfer-Encoding"])
                #expect(!response.body.isEmpty)
                try await expectEqual(client.rest(), "")
            }
        }
    }

    @Test("targets in absolute form are answered, tunnels are not")
    func targets() async throws {
        try await TestServer.withServer { server in
            let absolute = try await server.ask("GET", "http://other.test:81/get?a=1", headers: ["Host": "ignored"])
            #expect(absolute.text.contains("\"url\": \"http://other.test:81/get?a=1\""))
            let redirect = try await server.ask("GET", "HTTP://other.test/absolute-redirect/1")
            #expect(redirect.headers["Location"] == "http://other.test/get")
            let root = try await server.ask("GET", "http://other.test")
            #expect(root.text.contains("GET /get"))
            let tunnel = try await server.ask("CONNECT", "other.test:443")
            expectEqual(tunnel.status, 404)
            expectEqual(tunnel.headers["Connection"], "close")
        }
    }

    @Test("HTTP/1.0 may keep the connection")
    func keepsHTTP10() async throws {
        try await TestServer.withServer { server in
            try await RawClient.with(port: server.port) { client in
                for _ in 0..<2 {
                    try await client.send("GET /1k HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                    try await expectEqual(client.response().headers["Connection"], "keep-alive")
                }
            }
        }
    }

    @Test(
        "input that is not HTTP gets 400",
        arguments: [
            "nonsense\r\n\r\n", "GET / HTTP/1.1\r\nbad header\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        ])
    func malformed(request: String) async throws {
        try await TestServer.withServer { server in
            try await RawClient.with(port: server.port) { client in
                try await client.send(request)
                try await expectEqual(client.response().status, 400)
                try await expectEqual(client.rest(), "")
            }
        }
    }

    @Test("a client's close ends its handler", arguments: ["/delay/60", "/fault/never", "/custom"])
    func clientCloses(target: String) async throws {
        let (ended, end) = AsyncStream<Bool>.makeStream()
        try await TestServer.withServer { server in
            server.route("GET", "/custom") { _ in
                try? await Task.sleep(for: .seconds(600))
                end.yield(Task.isCancelled)
                return .text("late")
            }
            try await RawClient.with(port: server.port) { client in
                try await client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
                try await server.waitForRequests(1)
                expectEqual(server.openConnections, 1)
            }
            try await server.waitForOpenConnections(0)
            if target == "/custom" {
                for await cancelled in ended {
                    #expect(cancelled)
                    break
                }
            }
        }
    }

    @Test("an idle connection is closed")
    func idle() async throws {
        try await TestServer.withServer(.init(idleTimeout: .seconds(4))) { server in
            try await RawClient.with(port: server.port) { client async throws in
                try await expectEqual(client.request("GET", "/delay/4.5").status, 200)
                try await expectEqual(client.rest(), "")
            }
        }
    }

    @Test("stopping closes the listener and every connection")
    func stop() async throws {
        let server = try await TestServer.start()
        try await RawClient.with(port: server.port) { client in
            _ = try await client.request("GET", "/1k")
            try await server.stop()
            expectEqual(server.openConnections, 0)
            try await expectEqual(client.rest(), "")
        }
        let before = server.totalConnections
        _ = try? await server.ask("GET", "/1k")
        expectEqual(server.totalConnections, before)
        try await server.stop()
    }

    @Test("a server for a closure stops when it throws")
    func scoped() async throws {
        struct Failure: Error {}
        var started: TestServer?
        await #expect(throws: Failure.self) {
            try await TestServer.withServer { server async throws in
                started = server
                #expect(server.url == "http://127.0.0.1:\(server.port)")
                #expect(server.url("/get").hasSuffix("/get"))
                throw Failure()
            }
        }
        // Its port may already be another server's, so what comes there says nothing: no connection reached this one.
        let server = try #require(started)
        _ = try? await RawClient.with(port: server.port) { try await $0.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
        expectEqual(server.totalConnections, 0)
    }

    @Test("waiting for connections times out")
    func waiting() async throws {
        try await TestServer.withServer { server async throws in
            await #expect(throws: TestServer.TimeoutError.self) {
                try await server.waitForOpenConnections(3, within: 0.02)
            }
            await #expect(throws: TestServer.TimeoutError.self) {
                try await server.waitForRequests(1, within: 0.02)
            }
        }
    }

    @Test("the record of requests is bounded")
    func record() async throws {
        try await TestServer.withServer(.init(recordedRequests: 2)) { server in
            try await RawClient.with(port: server.port) { client in
                for name in ["a", "b", "c"] { _ = try await client.request("POST", "/anything/\(name)", body: name) }
            }
            expectEqual(server.requests().map(\.target), ["/anything/b", "/anything/c"])
            expectEqual(server.requests().map(\.bodySize), [1, 1])
            expectEqual(server.requests().map(\.bodyText), ["b", "c"])
            expectEqual(server.requestCount, 3)
        }
    }
}
