import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Reuse of connections", .timeLimit(.minutes(5)))
struct ConnectionReuseTests {
    @Test("50 requests one after another share one connection", arguments: [false, true])
    func sequential(secure: Bool) async throws {
        let authority = try CertificateAuthority()
        let options = TestServer.Options(tls: secure ? try authority.issue(hosts: ["localhost"]) : nil)
        try await TestServer.withServer(options) { server in
            let api = try Wire.session(server.url, authority: authority)
            let paths = [
                "1k", "status/204", "bytes/300000", "stream-bytes/100000", "get", "bytes/0", "gzip", "anything",
            ]
            for number in 0..<50 { try await api.get(paths[number % paths.count]) }
            try await api.post("post", parameters: ["a": 1])
            try await api.head("1k")
            expectEqual(server.totalConnections, 1)
            expectEqual(server.requestCount, 52)
        }
    }

    @Test("A response that is streamed to its end gives its connection back")
    func streamed() async throws {
        try await TestServer.withServer { server in
            let api = try Wire.session(server.url)
            for number in 0..<10 {
                try await api.withResponse(to: .get("bytes/\(number * 150_000)?seed=1")) { response in
                    var count = 0
                    for try await chunk in response.body { count += chunk.readableBytes }
                    expectEqual(count, number * 150_000)
                }
            }
            expectEqual(server.totalConnections, 1)
        }
    }

    /// Two requests; the first is answered by the steps, and the second must come on a connection of its own.
    private func expectEnd(
        of first: [ScriptedServer.Step], location: SourceLocation = #_sourceLocation,
        _ ask: (Session) async throws -> Void = { try await $0.get("first") }
    ) async throws {
        let second: [ScriptedServer.Step] = [.receiveHead, .answer("second")]
        try await ScriptedServer.withServer(connections: [[.receiveHead] + first, second]) { server in
            let api = try Wire.session(server.url)
            try await ask(api)
            #expect(try await server.waitForClose(connection: 0, within: 60), sourceLocation: location)
            try await expectEqual(api.get("second").text(), "second", sourceLocation: location)
            expectEqual(server.acceptedConnections, 2, sourceLocation: location)
        }
    }

    @Test(
        "Responses after which the connection ends",
        arguments: [
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nconnection: Keep-Alive, CLOSE\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.0 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
            "HTTP/1.1 200 OK\nConnection: keep-alive\nContent-Length: 2\r\n\r\nok",
        ])
    func closing(text: String) async throws {
        try await expectEnd(of: [.send(text)])
    }

    @Test(
        "Bytes after the response end the connection",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok!", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
            "HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nbody",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n\r\n",
        ])
    func behind(text: String) async throws {
        try await expectEnd(of: [.send(text)])
    }

    @Test("A body after the response to HEAD ends the connection")
    func head() async throws {
        try await expectEnd(of: [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]) {
            try await $0.head("first")
        }
    }

    @Test("Bytes that arrive between requests end the connection")
    func later() async throws {
        try await expectEnd(of: [
            .answer("ok"), .pause(milliseconds: 100), .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"),
        ])
    }

    @Test("An HTTP/1.0 connection with keep-alive is kept")
    func oldKeepAlive() async throws {
        let answer = ScriptedServer.Step.send(
            "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok")
        try await ScriptedServer.withServer(connections: [[.receiveHead, answer, .receiveHead, answer]]) { server in
            let api = try Wire.session(server.url)
            for _ in 0..<2 { try await expectEqual(api.get("row").text(), "ok") }
            expectEqual(server.acceptedConnections, 1)
        }
    }

    @Test("A response before the end of the request's body is delivered, and ends the connection")
    func early() async throws {
        let answer = ScriptedServer.Step.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 8\r\n\r\ntoo much")
        try await ScriptedServer.withServer(connections: [[.receive(atLeast: 1 << 20), answer]]) { server in
            let api = try Wire.session(server.url)
            let endless = BodyProducer(length: nil, isReplayable: false) { { Bytes(repeating: 1, count: 64 << 10) } }
            let error = await Wire.failure(.unacceptableStatus, .decode) {
                try await api.post("row", body: Body(segments: [.producer(endless)]))
            }
            expectEqual(error?.status, 413)
            expectEqual(error?.body.map { String(buffer: $0) }, "too much")
            #expect(try await server.waitForClose(connection: 0, within: 60))
        }
    }

    @Test("Idle connections close after the idle time-out", arguments: [false, true])
    func idle(streams: Bool) async throws {
        try await TestServer.withServer { server in
            var options = Wire.options
            options.idleTimeout = .milliseconds(100)
            let api = try Wire.session(server.url, engine: Engine(options: options))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { try await api.get(streams ? "bytes/600000" : "delay/0.05") } }
                try await group.waitForAll()
            }
            #expect(server.totalConnections >= 1)
            try await server.waitForOpenConnections(0, within: 60)
            try await api.get("1k")
        }
    }

    @Test("Idle connections close when they are told to, busy ones do not")
    func closeIdle() async throws {
        try await TestServer.withServer { server in
            let engine = Wire.engine()
            let api = try Wire.session(server.url, engine: engine)
            try await api.get("1k")
            let busy = Task { try await api.get("delay/0.5").status }
            try await server.waitForRequests(2, within: 60)
            engine.closeIdleConnections()
            try await expectEqual(busy.value, 200)
            engine.closeIdleConnections()
            let isEmpty = await eventually {
                engine.closeIdleConnections()
                return server.openConnections == 0
            }
            #expect(isEmpty)
        }
    }

    @Test("Sessions of differing trust share no connection, those of one trust do")
    func trust() async throws {
        let authority = try CertificateAuthority()
        let options = TestServer.Options(tls: try authority.issue(hosts: ["localhost"]))
        try await TestServer.withServer(options) { server in
            let engine = Wire.engine()
            let lax = try Wire.session(server.url, engine: engine) { $0.trust.policy = .insecure }
            try await lax.get("1k")
            let strict = try Wire.session(server.url, engine: engine, authority: try CertificateAuthority())
            await Wire.failure(.certificateRejected, .tls) { try await strict.get("1k") }
            let good = try Wire.session(server.url, engine: engine, authority: authority)
            try await good.get("1k")
            try await good.with { $0.headers["X-A"] = "1" }.get("1k")
            expectEqual(server.requestCount, 3)
            expectEqual(server.totalConnections, 3)
        }
    }
}
