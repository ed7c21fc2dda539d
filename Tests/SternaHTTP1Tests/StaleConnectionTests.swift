import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A kept connection that the server closes just when the next request is sent (RFC 9112, 9.3.1).
@Suite("Stale connections", .timeLimit(.minutes(5)))
struct StaleConnectionTests {
    private func withStale(
        _ end: ScriptedServer.Step = .close, then others: [[ScriptedServer.Step]] = [ScriptedServer.Step.fresh],
        secure: Bool = false,
        _ body: (Session, ScriptedServer) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority()
        let bundle = secure ? try authority.issue(hosts: ["localhost"]) : nil
        try await ScriptedServer.withServer(tls: bundle, connections: [ScriptedServer.Step.stale(end)] + others) {
            server in
            let api = try Wire.session(server.url, authority: authority)
            try await expectEqual(api.get("first").text(), "first")
            try await body(api, server)
        }
    }

    @Test(
        "GET is sent once more on a fresh connection", arguments: [ScriptedServer.Step.close, .reset, .closeAbruptly],
        [false, true])
    func get(end: ScriptedServer.Step, secure: Bool) async throws {
        try await withStale(end, secure: secure) { api, server in
            let second = try await api.get("second").text()
            expectEqual(second, "fresh")
            let third = try await api.get("third").text()
            expectEqual(third, "next")
            expectEqual(server.acceptedConnections, 2)
            let sent = String(decoding: server.received(connection: 1), as: UTF8.self)
            #expect(sent.hasPrefix("GET /second HTTP/1.1\r\n"))
        }
    }

    @Test("The other repeatable methods are also sent once more", arguments: [Request.Method.put, .delete, .options])
    func idempotent(method: Request.Method) async throws {
        try await withStale { api, server in
            let body: Body? = method == .put ? .bytes(Array("again".utf8)) : nil
            let status = try await api.request(method, "second", body: body).status
            expectEqual(status, 200)
            expectEqual(server.acceptedConnections, 2)
            if method == .put {
                #expect(String(decoding: server.received(connection: 1), as: UTF8.self).hasSuffix("\r\n\r\nagain"))
            }
        }
    }

    @Test(
        "POST and PATCH are not repeated, and the error says that they may have arrived",
        arguments: [Request.Method.post, .patch])
    func post(method: Request.Method) async throws {
        try await withStale { api, server in
            let error = await Wire.failure(.connectionClosed, .wait) {
                try await api.request(method, "second", body: .text("x"))
            }
            expectEqual(error?.requestSent, true)
            expectEqual(error?.attempt, 1)
            expectEqual(server.acceptedConnections, 1)
        }
    }

    @Test("A body that can be read only once is not repeated")
    func once() async throws {
        try await withStale { api, server in
            let once = AsyncStream<Bytes> { continuation in
                continuation.yield(Bytes(string: "once"))
                continuation.finish()
            }
            await #expect(throws: SternaError.self) { try await api.put("second", body: .stream(once)) }
            expectEqual(server.acceptedConnections, 1)
        }
    }

    @Test(
        "If the fresh connection fails too, that error is thrown",
        arguments: [[ScriptedServer.Step.receiveHead, .close], [.receiveHead, .reset]])
    func twice(script: [ScriptedServer.Step]) async throws {
        try await withStale(then: [script]) { api, server in
            let error = await Wire.failure(.connectionClosed, .wait) { try await api.get("second") }
            expectEqual(error?.attempt, 2)
            expectEqual(error?.requestSent, true)
            expectEqual(server.acceptedConnections, 2)
        }
    }

    @Test("If no fresh connection can be opened, that error is thrown")
    func gone() async throws {
        let server = try await ScriptedServer.start(
            connections: [[.receiveHead, .answer("first"), .receiveHead, .pause(milliseconds: 200), .close]])
        let api = try Wire.session(server.url)
        try await expectEqual(api.get("first").text(), "first")
        let second = Task { try await api.get("second") }
        #expect(await server.waitForReceived(200, connection: 0, within: 60))
        try await server.stop()
        let error = await #expect(throws: SternaError.self) { try await second.value }
        #expect(error?.kind == .connectionFailed || error?.kind == .connectionClosed)
        expectEqual(error?.attempt, 2)
    }

    @Test("A request is not repeated after a byte of the response")
    func begun() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .answer("first"), .receiveHead, .send("HTTP/1.1 2"), .pause(milliseconds: 50), .close,
        ]
        try await ScriptedServer.withServer(connections: [script, ScriptedServer.Step.fresh]) { server in
            let api = try Wire.session(server.url)
            try await api.get("first")
            await Wire.failure(.truncated, .read) { try await api.get("second") }
            expectEqual(server.acceptedConnections, 1)
        }
    }

    @Test("The close of an unused connection does not repeat the request")
    func first() async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .close], ScriptedServer.Step.fresh]) {
            server in
            let api = try Wire.session(server.url)
            let error = await Wire.failure(.connectionClosed, .wait) { try await api.get("first") }
            expectEqual(error?.attempt, 1)
            expectEqual(server.acceptedConnections, 1)
        }
    }

    @Test("A connection that the server closed while it was idle is not used")
    func closedIdle() async throws {
        try await ScriptedServer.withServer(
            // The end of the server's side alone: when the other side ends too, the client has noticed.
            connections: [[.receiveHead, .answer("first"), .closeOutput, .waitForClose], ScriptedServer.Step.fresh]
        ) { server in
            let api = try Wire.session(server.url)
            try await api.get("first")
            #expect(try await server.waitForClose(connection: 0, within: 60))
            try await expectEqual(api.post("second", body: .text("x")).text(), "fresh")
        }
    }

    @Test("With one connection allowed, the fresh one takes the stale one's place")
    func limited() async throws {
        try await ScriptedServer.withServer(connections: [ScriptedServer.Step.stale(.close), ScriptedServer.Step.fresh])
        { server in
            var options = Wire.options
            options.maximumConnectionsPerOrigin = 1
            let api = try Wire.session(server.url, engine: Engine(options: options))
            try await api.get("first")
            try await expectEqual(api.get("second").text(), "fresh")
        }
    }

    @Test("No GET is lost if the server closes each connection after its response")
    func storm() async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .answer("one"), .close]]) { server in
            let api = try Wire.session(server.url)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<100 {
                            let text = try await api.get("a").text()
                            expectEqual(text, "one")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(server.acceptedConnections >= 400)
        }
    }
}
