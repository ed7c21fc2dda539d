import NIOCore
import NIOHPACK
import NIOHTTP2
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Proxy for tests: HTTP/2", .timeLimit(.minutes(5)))
struct TestProxyHTTP2Tests {
    private static func connect(_ target: String, _ fields: [(String, String)] = []) -> HPACKHeaders {
        HPACKHeaders([(":method", "CONNECT"), (":authority", target)] + fields)
    }

    private func with(
        _ options: TestProxy.Options = .init(),
        _ body: @escaping @Sendable (HTTP2Client, TestProxy) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority()
        var options = options
        options.kind = .https(try authority.issue(hosts: ["localhost"]))
        options.http2 = true
        try await TestProxy.withProxy(options) { proxy in
            try await HTTP2Client.with(port: proxy.port, roots: [authority.pem]) { try await body($0, proxy) }
        }
    }

    /// Asks for a tunnel and says nothing in it.
    private static func ask(
        _ client: HTTP2Client, _ target: String, _ fields: [(String, String)] = []
    ) async throws -> HTTP2Client.Response {
        try await client.withStream(connect(target, fields)) { _, inbound in try await HTTP2Client.read(&inbound) }
    }

    @Test("A tunnel is a stream that carries bytes unchanged until both sides have ended")
    func tunnel() async throws {
        let script: [ScriptedServer.Step] = [.receive(atLeast: 4), .send("pong"), .close]
        try await ScriptedServer.withServer(connections: [script]) { server in
            try await with(.init(routes: ["origin.test:443": server.port])) { client, proxy in
                let head = Self.connect("origin.test:443", [("x-a", "b")])
                let answer = try await client.withStream(head, hasBody: true) { stream, inbound in
                    try await stream.send(Array("ping".utf8), endStream: true)
                    return try await HTTP2Client.read(&inbound)
                }
                expectEqual(answer.status, 200)
                expectEqual(answer.text, "pong")
                try await proxy.waitForOpenTunnels(0)
                let seen = try #require(proxy.requests().first)
                expectEqual([seen.method, seen.target, seen.version], ["CONNECT", "origin.test:443", "HTTP/2"])
                expectEqual(seen.headers, ["x-a": "b"])
                let tunnel = try #require(proxy.tunnels().first)
                #expect(tunnel.holds("ping") && !tunnel.holds("pong"))
                expectEqual([tunnel.bytesFromClient, tunnel.bytesToClient], [4, 4])
                #expect(tunnel.isEnded && tunnel.reset == nil && tunnel.status == 200)
                expectEqual(proxy.connections().map(\.isHTTP2), [true])
                expectNil(client.setting(.maxConcurrentStreams))
            }
        }
    }

    @Test("20 MB arrive at the client's pace, beside other requests")
    func large() async throws {
        try await TestServer.withServer { server in
            let target = "127.0.0.1:\(server.port)"
            try await with(.init(maximumStreams: 7)) { client, proxy in
                let request = Array("GET /bytes/20000000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8)
                let count = try await client.withStream(Self.connect(target), hasBody: true) { stream, inbound in
                    try await stream.send(request)
                    var count = 0
                    while count < 20_000_000, let payload = try await inbound.next() {
                        if case .data(let data) = payload { count += data.data.readableBytes }
                    }
                    try await stream.send([], endStream: true)
                    return count
                }
                #expect(count >= 20_000_000)
                expectEqual(client.setting(.maxConcurrentStreams), 7)
                try await proxy.waitForOpenTunnels(0)
            }
        }
    }

    @Test("Proxy authentication, and unreachable destinations")
    func refusals() async throws {
        let port = try ClosedPort()
        let good = [("proxy-authorization", "Basic YWRhOnB3")]
        try await with(.init(username: "ada", password: "pw")) { client, proxy in
            let refused = try await Self.ask(client, "origin.test:443")
            expectEqual(refused.status, 407)
            expectEqual(refused.headers["Proxy-Authenticate"], "Basic realm=\"test proxy\"")
            let status1 = try await Self.ask(client, "origin.test:443", good).status
            expectEqual(status1, 502)
            let status2 = try await Self.ask(client, "127.0.0.1:\(port.port)", good).status
            expectEqual(status2, 502)
            let status3 = try await Self.ask(client, "origin.test", good).status
            expectEqual(status3, 400)
            let status4 = try await client.request("GET", "/", good).status
            expectEqual(status4, 400)
            expectEqual(proxy.requests().map(\.credentials), [nil] + Array(repeating: .init("ada", "pw"), count: 4))
            expectEqual(proxy.totalConnections, 1)
        }
        withExtendedLifetime(port) {}
    }

    @Test("Faults occur after a number of messages, on a number of connections")
    func faults() async throws {
        try await with(.init(fault: .refuses(status: 403, body: "no"))) { client, _ in
            let answer = try await Self.ask(client, "origin.test:443")
            expectEqual(answer.status, 403)
            expectEqual(answer.text, "no")
        }
        try await with(.init(fault: .resets(code: 0xB, after: 1))) { client, proxy in
            let status5 = try await Self.ask(client, "origin.test:443").status
            expectEqual(status5, 502)
            try await expectEqual(Self.ask(client, "origin.test:443").reset, 0xB)
            #expect(proxy.tunnels().allSatisfy { $0.reset == nil })
        }
        try await with(.init(fault: .goesAway(after: 1))) { client, _ in
            let status6 = try await Self.ask(client, "origin.test:443").status
            expectEqual(status6, 502)
            _ = try? await Self.ask(client, "origin.test:443")
            expectEqual(client.goAway?.last, 1)
            expectEqual(client.goAway?.code, 0)
        }
        try await with(.init(fault: .closes())) { client, _ in
            _ = try? await Self.ask(client, "origin.test:443")
            try await client.waitForClose()
        }
        try await with(.init(fault: .resets(code: 1), faultyConnections: 0)) { client, _ in
            let status7 = try await Self.ask(client, "origin.test:443").status
            expectEqual(status7, 502)
        }
    }

    @Test("Given responses are sent, and a client's reset is recorded")
    func answers() async throws {
        try await ScriptedServer.withServer(connections: []) { server in
            let text = "HTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 299 Yes\r\nContent-Length: 3\r\nX-A: b\r\n\r\n"
            try await with(.init(routes: ["a.test:443": server.port], fault: .answersConnect(text))) { client, proxy in
                try await client.withStream(Self.connect("a.test:443"), hasBody: true) { stream, inbound in
                    var seen: [String] = []
                    while seen.count < 2, case .headers(let head)? = try await inbound.next() {
                        seen.append(head.headers.first(name: ":status") ?? "")
                    }
                    expectEqual(seen, ["103", "299"])
                    expectEqual(proxy.openTunnels, 1)
                    try await stream.reset(.cancel)
                }
                try await proxy.waitForTunnels { $0.map(\.reset) == [8] && !$0[0].isOpen }
            }
        }
    }

    @Test("Tunnels and connections end on command")
    func ends() async throws {
        try await ScriptedServer.withServer(connections: []) { server in
            let target = "127.0.0.1:\(server.port)"
            try await with { client, proxy in
                for code in [nil, 0x2] as [UInt32?] {
                    let answer = try await client.withStream(Self.connect(target), hasBody: true) { stream, inbound in
                        try await proxy.waitForTunnels { $0.contains { $0.isOpen && $0.status == 200 } }
                        if let code {
                            await proxy.resetTunnels(code: code)
                        } else {
                            await proxy.endTunnels()
                            try await stream.send([], endStream: true)
                        }
                        return try await HTTP2Client.read(&inbound)
                    }
                    expectEqual(answer.status, 200)
                    expectEqual(answer.reset, code)
                    try await proxy.waitForOpenTunnels(0)
                }
                await proxy.goAway()
                _ = try? await Self.ask(client, target)
                expectEqual(client.goAway?.last, 3)
                expectEqual(proxy.tunnels().count, 2)
                await proxy.closeConnections()
                try await client.waitForClose()
                try await proxy.waitForOpenConnections(0)
            }
        }
    }

    @Test("A client without HTTP/2 gets HTTP/1.1, and during a pause no client is served")
    func old() async throws {
        let authority = try CertificateAuthority()
        let options = TestProxy.Options(.https(try authority.issue(hosts: ["localhost"])), http2: true)
        try await TestServer.withServer { server in
            try await TestProxy.withProxy(options) { proxy in
                try await proxy.pauseAccepting()
                let answer = Task {
                    try await RawClient.with(port: proxy.port, tls: .init(roots: [authority.pem])) { client in
                        try await client.request("GET", "\(server.url)/get").status
                    }
                }
                try await Task.sleep(for: .milliseconds(100))
                expectEqual(proxy.totalConnections, 0)
                try await proxy.resumeAccepting()
                try await expectEqual(answer.value, 200)
                expectEqual(proxy.requests().map(\.version), ["HTTP/1.1"])
                expectEqual(proxy.connections().map(\.isHTTP2), [false])
            }
        }
    }
}
