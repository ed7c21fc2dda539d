import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// Redirects and challenges whose bodies arrive after their heads.
@Suite("Pool: the rest of a short body is waited for", .timeLimit(.minutes(5)))
struct AwaitedBodyTests {
    static let heads = [
        "HTTP/1.1 302 Found\r\nLocation: /next\r\n", "HTTP/1.1 308 Permanent Redirect\r\nLocation: /next\r\n",
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"r\"\r\n",
    ]

    /// Makes a request that is followed by another; returns the text of the second response.
    private func ask(_ api: Session) async throws -> String {
        try await api.withResponse(to: .get("first")) { try await $0.body.collect(upTo: 100).text }
    }

    /// - Parameter time: the rest of the first connection; nil for its own.
    private func with(
        _ scripts: [[ScriptedServer.Step]], restTime time: TimeAmount?,
        _ work: (Session, ScriptedServer) async throws -> Void
    ) async throws {
        try await ScriptedServer.withServer(connections: scripts) { server in
            let engine = PoolSupport.engine()
            let api = try PoolSupport.session(server.url, engine) {
                $0.auth.credential = Credential(user: "ada", password: "s3cret")
            }
            try await api.warmUp()
            if let time { try await engine.setRestTime(time) }
            try await work(api, server)
            await PoolSupport.expectNothing(engine)
        }
    }

    @Test("The next request goes over the same connection", arguments: heads)
    func sameConnection(head: String) async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send(head + "Content-Length: 9\r\n\r\n"), .pause(milliseconds: 20), .send("redirect\n"),
            .receiveHead, .answer("end"),
        ]
        try await with([script, [.receiveHead, .answer("other")]], restTime: .hours(1)) { api, server in
            try await expectEqual(ask(api), "end")
            expectEqual(server.acceptedConnections, 1)
        }
    }

    @Test("On the connection's event loop, too")
    func onLoop() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send(Self.heads[0] + "Content-Length: 9\r\n\r\n"), .pause(milliseconds: 20),
            .send("redirect\n"), .receiveHead, .answer("end"),
        ]
        let other: [ScriptedServer.Step] = [.receiveHead, .answer("other")]
        try await ScriptedServer.withServer(connections: [script, other]) { server in
            try await PoolSupport.withLoops(1) { group in
                let engine = PoolSupport.engine(group: group)
                let api = try PoolSupport.session(server.url, engine)
                try await api.warmUp()
                try await engine.setRestTime(.hours(1))
                let text = try await api.onEventLoop {
                    try await api.withResponse(to: .get("first")) { try await $0.body.collect(upTo: 100).text }
                }
                expectEqual(text, "end")
                expectEqual(server.acceptedConnections, 1)
                await PoolSupport.expectNothing(engine)
            }
        }
    }

    @Test("The next request waits no longer than another connection would take")
    func never() async throws {
        let script: [ScriptedServer.Step] = [.receiveHead, .send(Self.heads[0] + "Content-Length: 9\r\n\r\n"), .hang]
        try await with([script, [.receiveHead, .answer("other")]], restTime: nil) { api, server in
            try await expectEqual(ask(api), "other")
            expectEqual(server.acceptedConnections, 2)
        }
    }

    @Test("The end of the connection ends the wait")
    func closed() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send(Self.heads[0] + "Content-Length: 9\r\n\r\n"), .pause(milliseconds: 20), .close,
        ]
        try await with([script, [.receiveHead, .answer("other")]], restTime: .hours(1)) { api, server in
            try await expectEqual(ask(api), "other")
            expectEqual(server.acceptedConnections, 2)
        }
    }

    @Test(
        "Other bodies are not waited for",
        arguments: ["Content-Length: 65537\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n", "\r\n"])
    func others(framing: String) async throws {
        let script: [ScriptedServer.Step] = [.receiveHead, .send(Self.heads[0] + framing), .hang]
        try await with([script, [.receiveHead, .answer("other")]], restTime: .hours(1)) { api, server in
            try await expectEqual(ask(api), "other")
            expectEqual(server.acceptedConnections, 2)
        }
    }

    @Test("Other requests wait no longer either, and not more of them than such connections")
    func crowd() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), .pause(milliseconds: 20),
            .send("redirect\n"), .receiveHead, .answer("end"),
        ]
        let other: [ScriptedServer.Step] = [.receiveHead, .answer("end"), .receiveHead, .answer("end")]
        try await with([script, other], restTime: .hours(1)) { api, server in
            try await api.withResponse(to: .get("first")) { expectEqual($0.status.code, 200) }
            async let one = api.get("one").text()
            async let other = api.get("other").text()
            let texts = try await [one, other]
            expectEqual(texts, ["end", "end"])
            expectEqual(server.acceptedConnections, 2)
        }
    }
}
