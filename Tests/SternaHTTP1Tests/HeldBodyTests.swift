import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A body that waits to be asked for (RFC 9110, 10.1.1), and servers that do not play along.
@Suite("Bodies that wait for 100 (Continue)", .timeLimit(.minutes(5)))
struct HeldBodyTests {
    private static let body = [UInt8](repeating: 0x62, count: 5_000)
    private static let proceed = "HTTP/1.1 100 Continue\r\n\r\n"

    private func session(_ url: String, engine: Engine = Wire.engine()) throws -> Session {
        try Wire.session(url, engine: engine) { $0.limits.continueThreshold = 0 }
    }

    private static func content(_ server: ScriptedServer) -> Int {
        server.received(connection: 0).count { $0 == 0x62 }
    }

    @Test(
        "A short time-out does not expire before the waiting body is sent",
        arguments: ["", "HTTP/1.1 103 Early Hints\r\n\r\n"])
    func patience(interim: String) async throws {
        let script: [ScriptedServer.Step] = [.receiveHead, .send(interim), .receive(atLeast: 5_000), .answer("late")]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let (time, told) = (TestClock(), Counter())
            let engine = PoolSupport.engine {
                $0.continueWait = .seconds(4)
                $0.clock = time.clock
            }
            let api = try session(server.url, engine: engine).with {
                $0.timeouts.firstByte = .seconds(3)
                $0.timeouts.betweenBytes = .seconds(3)
            }
            let answer = Task {
                try await api.post("a", body: .bytes(Self.body)) { $0.onInformational = { _ in told.add() } }.text()
            }
            // The request, and what the server says to it, are there before time passes.
            #expect(await server.waitForReceived(10, connection: 0, within: 60))
            #expect(await eventually { told.value == (interim.isEmpty ? 0 : 1) })
            await time.advance(by: .seconds(4))
            try await expectEqual(answer.value, "late")
        }
    }

    @Test("The body is sent once, however often 100 arrives")
    func repeated() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send(Self.proceed + Self.proceed), .receive(atLeast: 5_000), .send(Self.proceed),
            .answer("one"), .receiveHead, .answer("two"),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let api = try session(server.url)
            try await expectEqual(api.post("a", body: .bytes(Self.body)).text(), "one")
            try await expectEqual(api.get("c").text(), "two")
            #expect(server.received(connection: 0).suffix(5_000).contains(0x62))
            #expect(String(decoding: server.received(connection: 0), as: UTF8.self).contains("GET /c HTTP/1.1"))
            expectEqual(server.acceptedConnections, 1)
        }
    }

    @Test("100 after the final response sends no body, and the connection is not reused")
    func afterwards() async throws {
        let refusal = "HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nno"
        let script: [ScriptedServer.Step] = [.receiveHead, .send(refusal + Self.proceed), .waitForClose]
        try await ScriptedServer.withServer(connections: [script, [.receiveHead, .answer("new")]]) { server in
            let api = try session(server.url)
            let error = await #expect(throws: SternaError.self) { try await api.post("a", body: .bytes(Self.body)) }
            expectEqual(error?.status, 401)
            try await expectEqual(api.get("c").text(), "new")
            #expect(try await server.waitForClose(connection: 0, within: 60))
            #expect(Self.content(server) < 100)
        }
    }

    @Test(
        "An invalid response ends the request, and no part of the body is sent",
        arguments: [
            ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", SternaError.Kind.malformedResponse),
            (String(repeating: "HTTP/1.1 102 Processing\r\n\r\n", count: 40), .limitExceeded),
            ("HTTP/1.1 417 No\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", .malformedResponse),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", .truncated), ("HTTP/1.1 1", .truncated),
        ])
    func broken(answer: String, kind: SternaError.Kind) async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .send(answer), .close]]) { server in
            let error = await #expect(throws: SternaError.self) {
                try await session(server.url).post("a", body: .bytes(Self.body))
            }
            expectEqual(error?.kind, kind)
            let isClosed = try await server.waitForClose(connection: 0, within: 60)
            #expect(isClosed)
            expectEqual(server.acceptedConnections, 1)
            #expect(Self.content(server) < 100)
        }
    }

    @Test("A second 417 is delivered as the response")
    func twice() async throws {
        let refusal = "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n"
        let first: [ScriptedServer.Step] = [.receiveHead, .send(refusal), .waitForClose]
        let second: [ScriptedServer.Step] = [.receiveHead, .receive(atLeast: 5_000), .send(refusal)]
        try await ScriptedServer.withServer(connections: [first, second]) { server in
            let error = await #expect(throws: SternaError.self) {
                try await session(server.url).post("a", body: .bytes(Self.body))
            }
            expectEqual(error?.status, 417)
            expectEqual(server.acceptedConnections, 2)
        }
    }
}
