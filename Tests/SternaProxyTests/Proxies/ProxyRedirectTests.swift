import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Each step of a redirect goes by the rule for its own URL.
@Suite("Proxies: redirects", .timeLimit(.minutes(5)))
struct ProxyRedirectTests {
    @Test("From http to https: forwarded, then tunnelled; the proxy's credentials reach only the proxy")
    func upgrade() async throws {
        try await ProxyScene.with(.http, options: .guarded) { scene in
            try await TestServer.withServer { plain in
                let reply = try await scene.session().get(plain.url("/redirect-to?url=\(scene.url("/get"))"))
                expectEqual(reply.status, 200)
                expectEqual("\(reply.url)", scene.url("/get"))
                expectEqual(scene.proxy.requests().map(\.method), ["GET", "CONNECT"])
                expectEqual(scene.proxy.requests().last?.target, "origin.test:443")
                #expect(scene.proxy.requests().allSatisfy { $0.credentials == .init("ada", "pw") })
                #expect(!plain.requests().contains { $0.headers.contains("Proxy-Authorization") })
                scene.expectNoCredentials()
            }
        }
    }

    @Test("From a proxied origin to one that is excepted, and back")
    func exception() async throws {
        try await ProxyScene.with(.http, secure: false, options: .guarded) { scene in
            try await TestServer.withServer { direct in
                let proxy = try Proxy(scene.ownURL)
                let api = try scene.session { $0.network.proxies = .proxy(proxy, except: ["127.0.0.1"]) }
                let home = scene.url("/get")
                let reply = try await api.get(
                    scene.url("/redirect-to?url=\(direct.url("/redirect-to?url=\(home)"))"),
                    headers: ["Proxy-Authorization": "Basic ZXZlOnB3"])
                expectEqual("\(reply.url)", home)
                expectEqual(scene.proxy.requests().count, 2)
                expectEqual(direct.requestCount, 1)
                expectEqual(direct.requests().first?.target.hasPrefix("/redirect-to"), true)
                expectNil(direct.requests().first?.headers["Proxy-Authorization"])
            }
        }
    }

    @Test("From one proxy to another, chosen by a closure")
    func each() async throws {
        try await ProxyScene.with(.http, secure: false, options: .guarded) { scene in
            let options = TestProxy.Options(
                .socks5, username: "eve", password: "other", routes: ["second.test:80": scene.origin.port])
            try await TestProxy.withProxy(options) { socks in
                let (first, second) = (try Proxy(scene.ownURL), try Proxy(socks.urlWithCredentials))
                let api = try scene.session {
                    $0.network.proxies = .each { $0.host == "second.test" ? second : first }
                }
                let reply = try await api.get(scene.url("/redirect-to?url=http://second.test/get"))
                #expect("\(reply.url)" == "http://second.test/get")
                expectEqual(scene.proxy.requests().count, 1)
                expectEqual(socks.connections().first?.socksCredentials, .init("eve", "other"))
                expectEqual(socks.connections().first?.tunnelHolds("GET /get HTTP/1.1"), true)
                expectEqual(socks.connections().first?.tunnelHolds("YWRhOnB3"), false)
            }
        }
    }
}
