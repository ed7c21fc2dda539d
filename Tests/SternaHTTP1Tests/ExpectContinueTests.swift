import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A large body waits for the server to ask for it (RFC 9110, 10.1.1).
@Suite("Expect: 100-continue", .timeLimit(.minutes(5)))
struct ExpectContinueTests {
    private static let body = [UInt8](repeating: 0x62, count: 5_000)

    private func session(
        _ url: String, _ authority: CertificateAuthority? = nil, engine: Engine = Wire.engine()
    ) throws -> Session {
        try Wire.session(url, engine: engine, authority: authority) { $0.limits.continueThreshold = 4_999 }
    }

    private func head(_ server: ScriptedServer, _ connection: Int = 0) -> String {
        let text = String(decoding: server.received(connection: connection), as: UTF8.self)
        return text.upTo("\r\n\r\n")
    }

    @Test("The body is sent when the server sends 100, in the clear and over TLS", arguments: [false, true])
    func asked(secure: Bool) async throws {
        let authority = secure ? try CertificateAuthority() : nil
        let script: [ScriptedServer.Step] = [
            .receiveHead, .pause(milliseconds: 50), .send("HTTP/1.1 100 Continue\r\n\r\n"), .receive(atLeast: 5_000),
            .answer("one"), .receiveHead, .receive(atLeast: 4_999), .answer("two"),
        ]
        try await ScriptedServer.withServer(
            tls: try authority?.issue(hosts: ["localhost"]), connections: [script]
        ) { server in
            let api = try session(server.url, authority)
            try await expectEqual(api.post("a", body: .bytes(Self.body)).text(), "one")
            #expect(head(server).contains("\r\nExpect: 100-continue\r\n"))
            // The connection is used again; a smaller body does not wait.
            try await expectEqual(api.post("a", body: .bytes(Self.body.dropLast())).text(), "two")
            expectEqual(server.acceptedConnections, 1)
        }
    }

    @Test("A server that says nothing gets the body after a second")
    func silent() async throws {
        let script: [ScriptedServer.Step] = [.receiveHead, .receive(atLeast: 5_000), .answer("late")]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let time = TestClock()
            var options = EngineOptions()
            options.clock = time.clock
            let api = try session(server.url, engine: Engine(options: options))
            let answer = Task { try await api.post("a", body: .bytes(Self.body)).text() }
            #expect(await server.waitForReceived(10, connection: 0, within: 60))
            await time.advance(by: .milliseconds(999))
            try await Task.sleep(for: .milliseconds(5))
            #expect(server.received(connection: 0).count < 5_000)
            await time.advance(by: .milliseconds(1))
            try await expectEqual(answer.value, "late")
        }
    }

    @Test("A final response is delivered; no part of the body is sent, and the connection is not reused")
    func refused() async throws {
        let refusal: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno"), .waitForClose,
        ]
        let next: [ScriptedServer.Step] = [.receiveHead, .answer("next")]
        try await ScriptedServer.withServer(connections: [refusal, next]) { server in
            let api = try session(server.url)
            let error = await #expect(throws: SternaError.self) {
                try await api.post("a", body: .bytes(Self.body))
            }
            expectEqual(error?.status, 413)
            expectEqual(error?.body?.text, "no")
            try await expectEqual(api.get("b").text(), "next")
            let received = server.received(connection: 0).count
            #expect(received < 1_000)
        }
    }

    @Test("After 417 the body is sent without waiting, also a stream that can be read once")
    func expectationFailed() async throws {
        let refusal: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n"), .waitForClose,
        ]
        let next: [ScriptedServer.Step] = [.receiveHead, .receive(atLeast: 5_000), .answer("taken")]
        try await ScriptedServer.withServer(connections: [refusal, next]) { server in
            let stream = AsyncStream<Bytes> {
                $0.yield(Bytes(copying: Self.body))
                $0.finish()
            }
            let reply = try await session(server.url).post("a", body: .stream(stream, length: 5_000))
            try await expectEqual(reply.text(), "taken")
            #expect(head(server, 0).contains("Expect: 100-continue"))
            #expect(!head(server, 1).contains("Expect"))
        }
    }

    @Test("417 to a request without Expect is delivered like any response")
    func ordinary() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .receive(atLeast: 1), .send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n"),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let error = await #expect(throws: SternaError.self) {
                try await session(server.url).post("a", body: .text("b"))
            }
            expectEqual(error?.status, 417)
            expectEqual(server.acceptedConnections, 1)
        }
    }

    @Test("A redirect or a lost connection during the wait has the same effect as without a body")
    func otherEnds() async throws {
        let redirect: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 307 Elsewhere\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"), .waitForClose,
        ]
        let target: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"), .receive(atLeast: 5_000),
            .answer("there"),
        ]
        try await ScriptedServer.withServer(connections: [redirect, target]) { server in
            let api = try session(server.url)
            try await expectEqual(api.put("a", body: .bytes(Self.body)).text(), "there")
        }
        try await ScriptedServer.withServer(connections: [[.receiveHead, .close]]) { server in
            await Wire.failure(.connectionClosed, .wait) {
                try await session(server.url).post("a", body: .bytes(Self.body))
            }
        }
    }

    @Test("Cancelling during the wait closes the connection at once")
    func cancelled() async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .hang]]) { server in
            let api = try session(server.url)
            let task = Task { try await api.post("a", body: .bytes(Self.body)) }
            #expect(await server.waitForReceived(50, connection: 0))
            task.cancel()
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
            let received = server.received(connection: 0).count
            #expect(received < 1_000)
        }
    }

    @Test("Expect is sent by default above 1 MiB and for unknown lengths, unless switched off")
    func threshold() async throws {
        let api = try Session(baseURL: "http://example.com/")
        func expects(_ length: Int?, _ api: Session, _ change: (inout RequestSettings) -> Void = { _ in }) throws
            -> Bool
        {
            var draft = RequestDraft.post(
                "a", body: .stream(AsyncStream<Bytes> { $0.finish() }, length: length.map(Int64.init)))
            change(&draft.settings)
            return try api.request(for: draft).expectsContinue
        }
        #expect(try !expects(1 << 20, api))
        #expect(try expects((1 << 20) + 1, api))
        #expect(try expects(nil, api))
        #expect(try !expects(nil, api) { $0.limits.continueThreshold = .max })
        #expect(try !expects(nil, api.with { $0.limits.continueThreshold = nil }))
        #expect(try !expects(0, api) { $0.limits.continueThreshold = 0 })
        #expect(try expects(1, api) { $0.limits.continueThreshold = 0 })
        #expect(try !api.request(for: .get("a")).expectsContinue)
        // Compressed, nobody knows how long it is, but about how long.
        for (length, isExpected) in [(1_000, false), (2 << 20, true)] {
            let body = Body.bytes([UInt8](repeating: 0, count: length)).compressed()
            try expectEqual(api.request(for: .post("a", body: body)).expectsContinue, isExpected)
            try expectEqual(api.request(for: .post("a", body: body.throttled())).expectsContinue, isExpected)
        }
    }
}

extension String {
    /// Everything in front of a mark.
    fileprivate func upTo(_ mark: String) -> String {
        firstRange(of: mark).map { String(self[..<$0.upperBound]) } ?? self
    }
}
