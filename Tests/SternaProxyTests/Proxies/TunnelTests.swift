import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// https URLs through HTTP proxies: CONNECT (RFC 9110, 9.3.6), and TLS with the origin inside.
@Suite("Proxies: tunnels", .timeLimit(.minutes(5)))
struct TunnelTests {
    static let kinds: [ProxyScene.Kind] = [.http, .https]

    @Test("CONNECT names host and port, and the origin sees an ordinary request", arguments: kinds)
    func connect(kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind) { scene in
            let reply = try await scene.session().get(scene.url("/get?a=1"))
            expectEqual(reply.status, 200)
            let seen = try #require(scene.proxy.requests().first)
            expectEqual(seen.method, "CONNECT")
            expectEqual(seen.target, "origin.test:443")
            expectEqual(seen.version, "HTTP/1.1")
            expectEqual(seen.headers.all("Host"), ["origin.test:443"])
            #expect(!seen.headers.contains("Content-Length"))
            #expect(!seen.headers.contains("Transfer-Encoding"))
            #expect(!seen.headers.contains("Proxy-Authorization"))
            expectEqual(scene.origin.requests().map(\.target), ["/get?a=1"])
            expectEqual(scene.origin.requests().first?.headers.all("Host"), ["origin.test"])
            let connection = try #require(scene.proxy.connections().first)
            expectEqual(connection.tunnelled.first, 0x16)
            expectEqual(connection.bytesBeforeResponse, 0)
        }
    }

    @Test("The proxy sees only the authority of a request")
    func secrets() async throws {
        try await ProxyScene.with(.http) { scene in
            let api = try scene.session { $0.headers["X-Session"] = "hidden" }
            try await api.post(
                scene.url("/post?token=hidden"), parameters: ["password": "hidden"],
                headers: ["Cookie": "id=hidden", "X-Trace": "hidden"]
            ) { $0.auth.header = .bearer("hidden") }
            let seen = try #require(scene.proxy.requests().first)
            #expect(!seen.text.contains("hidden"))
            for name in ["Authorization", "Cookie", "X-Trace", "X-Session", "Content-Type", "Referer"] {
                #expect(!seen.headers.contains(name), "\(name)")
            }
            expectEqual(scene.origin.requests().first?.headers["Authorization"], "Bearer hidden")
        }
    }

    @Test("Credentials go with CONNECT and nowhere else", arguments: kinds)
    func credentials(kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind, options: .guarded) { scene in
            try await scene.session().get(scene.url("/get"))
            expectEqual(scene.proxy.requests().map(\.credentials), [.init("ada", "pw")])
            expectEqual(scene.origin.requestCount, 1)
            scene.expectNoCredentials()
        }
    }

    @Test("A caller's own Proxy-Authorization is never sent inside a tunnel", arguments: ProxyScene.Kind.allCases)
    func own(kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind, options: .guarded) { scene in
            let headers: Headers = ["Proxy-Authorization": "Basic ZXZlOnB3"]
            let api = try scene.session()
            try await api.get(scene.url("/get"), headers: headers)
            try await api.with { $0.headers = headers }.get(scene.url("/get"))
            expectEqual(scene.origin.requestCount, 2)
            scene.expectNoCredentials()
        }
    }

    @Test(
        "A status other than 2xx is a failure of the proxy, with its response",
        arguments: kinds, [(403, "no"), (407, ""), (502, "bad gateway"), (302, "elsewhere"), (500, "")])
    func refused(kind: ProxyScene.Kind, answer: (status: Int, body: String)) async throws {
        let fault = TestProxy.Fault.refuses(status: answer.status, body: answer.body)
        try await ProxyScene.with(kind, options: .init(fault: fault)) { scene in
            let error = try await scene.refusal()
            expectEqual(error?.status, 0, "it is no word of the server")
            expectEqual(error?.proxyResponse?.status.code, answer.status)
            let name = try #require(HTTPField.Name("X-Proxy"))
            expectEqual(error?.proxyResponse?[name], "TestProxy")
            expectEqual(error?.description.contains("\(answer.status)"), true)
        }
    }

    @Test("Wrong and missing credentials fail with 407, and are not shown", arguments: ["", "eve:hidden@"])
    func unauthorized(userinfo: String) async throws {
        try await ProxyScene.with(.http, options: .guarded) { scene in
            let api = try scene.session("http://\(userinfo)127.0.0.1:\(scene.proxy.port)")
            let error = await Wire.failure(.proxyFailed, .proxy) { try await api.get(scene.url("/get")) }
            expectEqual(error?.proxyResponse?.status.code, 407)
            expectEqual(error.map { "\($0) \(String(reflecting: $0))".contains("hidden") }, false)
            expectEqual(scene.origin.totalConnections, 0)
        }
    }

    @Test(
        "The framing of a 2xx response is ignored (RFC 9110, 9.3.6)",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", "HTTP/1.0 200 Connection established\r\n\r\n",
            "HTTP/1.1 201 \r\nProxy-Agent: x\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        ], [false, true])
    func framing(text: String, drips: Bool) async throws {
        try await ProxyScene.with(.http, options: .init(fault: .answersConnect(text), drips: drips)) { scene in
            let api = try scene.session()
            for _ in 0..<2 { try await expectEqual(api.get(scene.url("/get")).status, 200) }
            expectEqual(scene.proxy.totalConnections, 1)
            expectEqual(scene.proxy.connections().first?.bytesBeforeResponse, 0)
        }
    }

    @Test("IPv6 addresses are in brackets")
    func address() async throws {
        try await ProxyScene.with(.http) { scene in
            let api = try scene.session()
            _ = try? await api.get("https://[::1]:9/")
            let seen = try #require(scene.proxy.requests().first)
            expectEqual(seen.target, "[::1]:9")
            expectEqual(seen.headers["Host"], "[::1]:9")
        }
    }

    @Test("Tunnels are kept and used again", arguments: ProxyScene.Kind.allCases)
    func kept(kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind, options: .guarded) { scene in
            let api = try scene.session()
            for _ in 0..<10 { try await api.get(scene.url("/get")) }
            try await expectEqual(api.get(scene.url("/bytes/3000000?seed=1")).body.count, 3_000_000)
            try await expectEqual(api.put(scene.url("/put"), body: .bytes(Wire.pattern(2_000_000))).status, 200)
            expectEqual(scene.proxy.totalConnections, 1)
            expectEqual(scene.origin.totalConnections, 1)
        }
    }

    @Test("Other credentials, no proxy, and another proxy use separate connections")
    func apart() async throws {
        try await ProxyScene.with(.http, originHosts: ["localhost"]) { scene in
            try await TestProxy.withProxy { other in
                let engine = Wire.engine()
                let url = scene.origin.url("/get")
                let address = "127.0.0.1:\(scene.proxy.port)"
                for proxy in ["http://\(address)", "http://ada:pw@\(address)", "http://eve:pw@\(address)", other.url] {
                    for _ in 0..<2 { try await scene.session(proxy, engine: engine).get(url) }
                }
                let direct = try scene.session(nil, engine: engine) { $0.network.proxies = .none }
                for _ in 0..<2 { try await direct.get(url) }
                expectEqual(scene.proxy.totalConnections, 3)
                expectEqual(other.totalConnections, 1)
                expectEqual(scene.origin.totalConnections, 5)
                let shown = scene.proxy.requests().map(\.credentials)
                expectEqual(shown, [nil, .init("ada", "pw"), .init("eve", "pw")])
            }
        }
    }

    @Test("A tunnel that the origin has ended is replaced")
    func ended() async throws {
        try await ProxyScene.with(.http) { scene in
            let api = try scene.session()
            try await api.get(scene.url("/get"))
            try await api.get(scene.url("/response-headers?Connection=close"))
            for _ in 0..<3 { try await expectEqual(api.get(scene.url("/get")).status, 200) }
            expectEqual(scene.proxy.totalConnections, 2)
        }
    }

    @Test("Many concurrent requests use tunnels")
    func concurrent() async throws {
        try await ProxyScene.with(.http, options: .guarded) { scene in
            let api = try scene.session()
            let total = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<100 {
                    let url = scene.url("/bytes/\(number * 100)")
                    group.addTask { try await api.get(url).body.count }
                }
                return try await group.reduce(0, +)
            }
            expectEqual(total, 495_000)
            scene.expectNoCredentials()
        }
    }

    @Test("Bytes after the proxy's response belong to the tunnel, and are no response to the request")
    func behind() async throws {
        let evil = "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        try await ProxyScene.with(.http, options: .init(fault: .answersConnect(evil))) { scene in
            let api = try scene.session()
            let error = await #expect(throws: SternaError.self) { try await api.get(scene.url("/get")) }
            #expect(error?.response == nil || error?.kind == .proxyFailed)
            expectEqual(scene.origin.requestCount, 0)
        }
    }
}
