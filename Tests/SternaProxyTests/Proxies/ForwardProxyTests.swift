import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// http URLs through HTTP proxies: requests in absolute form (RFC 9112, 3.2.2).
@Suite("Proxies: forwarding", .timeLimit(.minutes(5)))
struct ForwardProxyTests {
    static let kinds: [ProxyScene.Kind] = [.http, .https]

    @Test("The target is absolute, Host is the origin's, and nothing else goes to the proxy", arguments: kinds)
    func absolute(kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind, secure: false) { scene in
            let reply = try await scene.session().get(scene.url("/get?a=1#part"))
            expectEqual(reply.status, 200)
            #expect("\(reply.url)".hasPrefix("http://origin.test/get?a=1"))
            let seen = try #require(scene.proxy.requests().first)
            expectEqual(seen.method, "GET")
            #expect(seen.target == "http://origin.test/get?a=1")
            expectEqual(seen.version, "HTTP/1.1")
            expectEqual(seen.headers.all("Host"), ["origin.test"])
            #expect(!seen.headers.contains("Proxy-Authorization"))
            #expect(!seen.headers.contains("Proxy-Connection"))
            expectEqual(scene.origin.requests().map(\.target), ["/get?a=1"])
        }
    }

    @Test(
        "Targets without a path, with a port, and with escapes are sent",
        arguments: [
            ("http://origin.test", "http://origin.test/"), ("http://origin.test?b=2", "http://origin.test/?b=2"),
            ("http://origin.test:80/a%20b", "http://origin.test/a%20b"),
            ("http://ORIGIN.test/%7Eada", "http://origin.test/%7Eada"),
        ])
    func targets(url: String, target: String) async throws {
        try await ProxyScene.with(.http, secure: false) { scene in
            try await scene.session().withResponse(to: .get(url)) { _ in }
            expectEqual(scene.proxy.requests().map(\.target), [target])
        }
    }

    @Test("A port that is not the default is in the target and in Host")
    func port() async throws {
        try await ProxyScene.with(.http, secure: false) { scene in
            try await scene.session().get(scene.origin.url("/get"))
            let seen = try #require(scene.proxy.requests().first)
            expectEqual(seen.target, scene.origin.url("/get"))
            expectEqual(seen.headers["Host"], "127.0.0.1:\(scene.origin.port)")
        }
    }

    @Test("A request's own Host field goes to the proxy, beside the server's URL")
    func ownHost() async throws {
        try await ProxyScene.with(.http, secure: false) { scene in
            try await scene.session().get(scene.origin.url("/get"), headers: ["Host": "own.test"])
            let seen = try #require(scene.proxy.requests().first)
            expectEqual(seen.target, scene.origin.url("/get"))
            expectEqual(seen.headers.all("Host"), ["own.test"])
        }
    }

    @Test("User information of the URL is not in the target")
    func userinfo() async throws {
        try await ProxyScene.with(.http, secure: false) { scene in
            try? await scene.session().withResponse(to: .get("http://eve:secret@origin.test/get")) { _ in }
            #expect(scene.proxy.requests().allSatisfy { !$0.text.contains("secret") && !$0.target.contains("@") })
        }
    }

    @Test("Bodies of known and unknown length are relayed both ways", arguments: kinds)
    func bodies(kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind, secure: false) { scene in
            let api = try scene.session()
            let bytes = Wire.pattern(2_000_000)
            try await expectEqual(api.put(scene.url("/put"), body: .bytes(bytes)).status, 200)
            expectEqual(scene.origin.requests().last?.bodySize, bytes.count)
            let pieces = AsyncStream<Bytes> { continuation in
                for _ in 0..<50 { continuation.yield(Bytes(copying: bytes[0..<5_000])) }
                continuation.finish()
            }
            try await expectEqual(api.post(scene.url("/post"), body: .stream(pieces)).status, 200)
            expectEqual(scene.origin.requests().last?.bodySize, 250_000)
            try await expectEqual(api.get(scene.url("/bytes/3000000?seed=1")).body.count, 3_000_000)
            try await expectEqual(api.get(scene.url("/stream-bytes/300000")).body.count, 300_000)
            #expect(try await api.head(scene.url("/bytes/1000")).body.isEmpty)
        }
    }

    @Test("Connections to the proxy are kept", arguments: kinds)
    func kept(kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind, secure: false, options: .guarded) { scene in
            let api = try scene.session()
            for _ in 0..<10 { try await api.get(scene.url("/get")) }
            expectEqual(scene.proxy.totalConnections, 1)
            expectEqual(scene.proxy.requests().count, 10)
            #expect(scene.proxy.requests().allSatisfy { $0.credentials == .init("ada", "pw") })
            scene.expectNoCredentials()
        }
    }

    @Test(
        "Credentials may have any characters",
        arguments: [("ada", "pw"), ("ada", ""), ("a b", "p:w@/?#%"), ("Zoë", "pässwörd")])
    func credentials(username: String, password: String) async throws {
        let options = TestProxy.Options(username: username, password: password)
        try await ProxyScene.with(.http, secure: false, options: options) { scene in
            try await expectEqual(scene.session().get(scene.url("/get")).status, 200)
            let proxy = try Proxy(
                .http, host: "127.0.0.1", port: scene.proxy.port, username: username, password: password)
            let api = try scene.session { $0.network.proxies = .proxy(proxy) }
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            expectEqual(
                scene.proxy.requests().map(\.credentials), Array(repeating: .init(username, password), count: 2))
        }
    }

    @Test("407 is an ordinary response, without credentials and with wrong ones", arguments: ["", "eve:pw@"])
    func unauthorized(userinfo: String) async throws {
        try await ProxyScene.with(.http, secure: false, options: .guarded) { scene in
            let api = try scene.session("http://\(userinfo)127.0.0.1:\(scene.proxy.port)")
            let error = await Wire.failure(.unacceptableStatus, .decode) { try await api.get(scene.url("/get")) }
            expectEqual(error?.status, 407)
            expectEqual(error?.body?.text, "proxy authentication required")
            let challenge = try await api.withResponse(to: .get(scene.url("/get"))) { $0[.proxyAuthenticate] }
            expectEqual(challenge, "Basic realm=\"test proxy\"")
            expectEqual(scene.origin.requestCount, 0)
        }
    }

    @Test("The proxy's own response is delivered", arguments: [403, 502, 504])
    func refused(status: Int) async throws {
        let fault = TestProxy.Fault.refuses(status: status, body: "not by me")
        try await ProxyScene.with(.http, secure: false, options: .init(fault: fault)) { scene in
            let found = try await scene.session().withResponse(to: .get(scene.url("/get"))) { response in
                var text = ""
                for try await chunk in response.body { text += chunk.text }
                return (response.status.code, text)
            }
            #expect(found == (status, "not by me"))
        }
    }

    @Test("A caller's own Proxy-Authorization goes to a proxy without credentials", arguments: kinds)
    func own(kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind, secure: false, options: .guarded) { scene in
            let api = try scene.session(scene.proxy.url)
            let headers: Headers = ["Proxy-Authorization": "Basic YWRhOnB3"]
            try await expectEqual(api.get(scene.url("/get"), headers: headers).status, 200)
            scene.expectNoCredentials()
        }
    }

    @Test("Without a proxy there is no absolute form, and Proxy-Authorization is not sent")
    func direct() async throws {
        try await TestServer.withServer { origin in
            let api = try Wire.session(origin.url) { $0.network.proxies = .none }
            try await api.get("get", headers: ["Proxy-Authorization": "Basic YWRhOnB3"])
            expectEqual(origin.requests().map(\.target), ["/get"])
            expectNil(origin.requests().first?.headers["Proxy-Authorization"])
        }
    }

    @Test("A response that arrives byte by byte is delivered")
    func drips() async throws {
        let options = TestProxy.Options(fault: .refuses(status: 200, body: "drop by drop"), drips: true)
        try await ProxyScene.with(.http, secure: false, options: options) { scene async throws in
            try await expectEqual(scene.session().get(scene.url("/get")).body.text, "drop by drop")
        }
    }
}
