import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Servers that close a connection behind a redirect or a challenge without saying so, when the next request may be on its way.
/// The engine's clock stands still, so that the close is never late.
@Suite("Connections closed after a redirect or a challenge", .timeLimit(.minutes(5)))
struct ClosedAfterResponseTests {
    static let redirect = "HTTP/1.1 307 R\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n"
    static let challenge =
        "HTTP/1.1 401 U\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\r\nContent-Length: 0\r\n\r\n"

    static let fresh: [ScriptedServer.Step] = [.receiveHead, .receive(atLeast: 1), .answer("fresh")]

    private func with(
        _ response: String, _ end: [ScriptedServer.Step], then second: [ScriptedServer.Step] = fresh,
        settings: (inout SessionSettings) -> Void = { _ in },
        _ work: (Session, ScriptedServer) async throws -> Void
    ) async throws {
        let first: [ScriptedServer.Step] = [.receiveHead, .receive(atLeast: 1), .send(response)] + end
        try await ScriptedServer.withServer(connections: [first, second]) { server in
            var options = Wire.options
            options.clock = TestClock().clock
            let api = try Wire.session(server.url, engine: Engine(options: options)) {
                $0.auth.credential = Credential(user: "ada", password: "s3cret")
                settings(&$0)
            }
            try await work(api, server)
        }
    }

    @Test(
        "A POST or PATCH goes to a fresh connection, with its body", arguments: [redirect, challenge],
        [Request.Method.post, .patch])
    func repeated(response: String, method: Request.Method) async throws {
        for end in [ScriptedServer.Step.close, .reset] {
            try await with(response, [.receiveHead, end]) { api, server in
                try await expectEqual(api.request(method, "first", body: .text("x")).text(), "fresh")
                expectEqual(server.acceptedConnections, 2)
                let sent = String(decoding: server.received(connection: 1), as: UTF8.self)
                #expect(
                    sent.hasPrefix("\(method.rawValue) /\(response == Self.redirect ? "next" : "first") HTTP/1.1\r\n"))
                #expect(sent.hasSuffix("\r\n\r\nx"))
                expectEqual(sent.contains("\r\nAuthorization: Digest "), response == Self.challenge)
            }
        }
    }

    @Test("The request is resent whenever the server closes", arguments: [0, 2, 5, 10])
    func anytime(milliseconds: Int) async throws {
        for _ in 0..<10 {
            try await with(Self.redirect, [.pause(milliseconds: milliseconds), .close]) { api, server in
                try await expectEqual(api.post("first", body: .text("x")).text(), "fresh")
                expectEqual(server.acceptedConnections, 2)
            }
        }
    }

    @Test("It is resent once: if the fresh connection closes too, that is the error")
    func once() async throws {
        try await with(Self.redirect, [.receiveHead, .close], then: [.receiveHead, .close]) { api, server in
            let error = await Wire.failure(.connectionClosed, .wait) { try await api.post("first", body: .text("x")) }
            expectEqual(error?.attempt, 2)
            expectEqual(server.acceptedConnections, 2)
        }
    }

    @Test("It is not resent after a byte of a response")
    func begun() async throws {
        try await with(Self.redirect, [.receiveHead, .send("HTTP/1.1 2"), .pause(milliseconds: 20), .close]) {
            api, server in
            await Wire.failure(.truncated, .read) { try await api.post("first", body: .text("x")) }
            expectEqual(server.acceptedConnections, 1)
        }
    }

    @Test(
        "A setting of the session, or of the request, forbids it",
        arguments: [(nil, false, false), (false, nil, false), (false, true, true), (true, nil, true)]
            as [(Bool?, Bool?, Bool)])
    func setting(row: (session: Bool?, request: Bool?, repeats: Bool)) async throws {
        try await with(
            Self.redirect, [.receiveHead, .close],
            settings: {
                if let own = row.session { $0.network.resendsNonIdempotentRequests = own }
                expectEqual($0.network.resendsNonIdempotentRequests, row.session ?? true)
            }
        ) { api, server in
            let ask: () async throws -> Reply = {
                try await api.post("first", body: .text("x")) {
                    if let own = row.request { $0.network.resendsNonIdempotentRequests = own }
                }
            }
            if row.repeats {
                try await expectEqual(ask().text(), "fresh")
            } else {
                let error = await Wire.failure(.connectionClosed, .wait) { _ = try await ask() }
                expectEqual(error?.requestSent, true)
                expectEqual(error?.attempt, 1)
            }
            expectEqual(server.acceptedConnections, row.repeats ? 2 : 1)
        }
    }

    @Test("The setting is shown")
    func shown() throws {
        _ = try Session {
            var text = ""
            dump($0, to: &text)
            #expect(text.contains("resendsNonIdempotentRequests: true"))
            text = ""
            $0.network.resendsNonIdempotentRequests = false
            dump($0, to: &text)
            #expect(text.contains("resendsNonIdempotentRequests: false"))
        }
    }
}
