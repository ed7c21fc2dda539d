import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

extension EventLog {
    /// What proxies have answered, once it is delivered.
    fileprivate func answers(of api: Session) async -> [Response?] {
        await api.flushEvents()
        return events.compactMap { event -> Response?? in
            if case .proxyConnected(_, let response) = event.kind { .some(response) } else { nil }
        }
    }
}

/// The head of an answer that has made a tunnel (RFC 9110 §9.3.6), which an event carries.
@Suite("Proxies: the response to CONNECT", .timeLimit(.minutes(5)))
struct TunnelAnswerTests {
    @Test("Status, reason phrase and fields are reported once for a connection", arguments: [false, true])
    func head(drips: Bool) async throws {
        let text =
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
            + "HTTP/1.1 201 Made a Tunnel\r\nProxy-Agent: x\r\nSet-Cookie: id=hidden\r\n\r\n"
        try await ProxyScene.with(.http, options: .init(fault: .answersConnect(text), drips: drips)) { scene in
            let log = EventLog(.network)
            let api = try scene.session { $0.events.observers = [log.observer] }
            for _ in 0..<2 { try await expectEqual(api.get(scene.url("/get")).status, 200) }
            let answers = await log.answers(of: api)
            expectEqual(answers.count, 1)
            let answer = try #require(answers.first ?? nil)
            expectEqual(answer.status.code, 201)
            expectEqual(answer.reasonPhrase, "Made a Tunnel")
            expectEqual(answer.version, .http11)
            try expectEqual(answer[#require(.init("Proxy-Agent"))], "x")
            #expect(!"\(answer) \(String(reflecting: answer))".contains("hidden"))
        }
    }

    @Test("Over HTTP/2, too")
    func http2() async throws {
        let authority = try CertificateAuthority()
        try await FramePeer.withPeer(tls: try authority.issue(hosts: ["localhost"])) { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.respondHead(stream, status: 201, headers: [("proxy-agent", "x")])
            // The tunnel is there, and leads nowhere.
            try await connection.sendBody(stream, [1, 2, 3])
        } body: { peer in
            let log = EventLog(.network)
            let api = try ProxyScene.session("https://ada:hidden@localhost:\(peer.port)", authority: authority) {
                $0.events.observers = [log.observer]
            }
            await #expect(throws: SternaError.self) { try await api.get("https://origin.test/get") }
            let answer = try #require(await log.answers(of: api).first ?? nil)
            expectEqual(answer.status.code, 201)
            expectEqual(answer.version, .http2)
            try expectEqual(answer[#require(.init("proxy-agent"))], "x")
            #expect(!"\(answer) \(String(reflecting: answer))".contains("hidden"))
        }
    }

    @Test("Over HTTP/2 through a whole tunnel")
    func tunnel() async throws {
        try await ProxyScene.withTunnels { scene, engine in
            let log = EventLog(.network)
            let api = try scene.session(engine) { $0.events.observers = [log.observer] }
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            let answers = await log.answers(of: api)
            expectEqual(answers.map { $0?.status.code }, [200])
        }
    }

    @Test("SOCKS and forwarding have no response to CONNECT", arguments: [true, false])
    func none(isSOCKS: Bool) async throws {
        try await ProxyScene.with(isSOCKS ? .socks5 : .http, secure: isSOCKS) { scene in
            let log = EventLog(.network)
            let api = try scene.session { $0.events.observers = [log.observer] }
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            let answers = await log.answers(of: api)
            expectEqual(answers.count, 1)
            #expect(answers.allSatisfy { $0 == nil })
        }
    }

    @Test("A refusal is only in the error")
    func refused() async throws {
        let fault = TestProxy.Fault.refuses(status: 403, body: "no")
        try await ProxyScene.with(.http, options: .init(fault: fault)) { scene in
            let log = EventLog(.network)
            let error = try await scene.refusal { $0.events.observers = [log.observer] }
            expectEqual(error?.proxyResponse?.status.code, 403)
            #expect(await eventually { log.metrics.count == 1 })
            #expect(!log.events.contains { $0.kind.name == "proxyConnected" })
        }
    }
}
