import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Sessions that take their proxies from variables as an environment has them.
@Suite("Proxies: the environment", .timeLimit(.minutes(5)))
struct ProxyEnvironmentSessionTests {
    private func session(_ scene: ProxyScene, _ variables: [String: String]) throws -> Session {
        let settings = try ProxySettings.environment(variables)
        return try scene.session { $0.network.proxies = settings }
    }

    @Test("http_proxy applies to http", arguments: ProxyScene.Kind.allCases)
    func http(kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind, secure: false, options: .guarded) { scene in
            let api = try session(scene, ["http_proxy": scene.ownURL])
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            expectEqual(scene.proxy.totalConnections, 1)
            expectEqual(scene.proxy.connections().first?.showedCredentials, true)
        }
    }

    @Test(
        "Each variable for https applies to https", arguments: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
    func https(name: String) async throws {
        try await ProxyScene.with(.http, options: .guarded) { scene in
            let api = try session(scene, [name: scene.ownURL])
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            expectEqual(scene.proxy.requests().map(\.method), ["CONNECT"])
        }
    }

    @Test("A proxy without a scheme is an HTTP proxy")
    func bare() async throws {
        try await ProxyScene.with(.http) { scene in
            let api = try session(scene, ["https_proxy": "127.0.0.1:\(scene.proxy.port)"])
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            expectEqual(scene.proxy.totalConnections, 1)
        }
    }

    @Test("A proxy for the other scheme is not used")
    func other() async throws {
        try await ProxyScene.with(.http, secure: false) { scene in
            let api = try session(scene, ["https_proxy": scene.proxy.url])
            try await expectEqual(api.get(scene.origin.url("/get")).status, 200)
            expectEqual(scene.proxy.totalConnections, 0)
        }
    }

    @Test(
        "Hosts in no_proxy are reached directly",
        arguments: ["127.0.0.1", "*", "127.0.0.0/8", "other.test,127.0.0.1", " 127.0.0.1 , x", "127.0.0.1:PORT"])
    func exceptions(list: String) async throws {
        try await ProxyScene.with(.http, secure: false) { scene in
            let list = list.replacing("PORT", with: "\(scene.origin.port)")
            for name in ["no_proxy", "NO_PROXY"] {
                let api = try session(scene, ["http_proxy": scene.proxy.url, name: list])
                try await expectEqual(api.get(scene.origin.url("/get")).status, 200)
            }
            expectEqual(scene.proxy.totalConnections, 0)
            expectEqual(scene.origin.requests().map(\.target), ["/get", "/get"])
        }
    }

    @Test(
        "Hosts not in no_proxy use the proxy",
        arguments: ["", "127.0.0.2", "origin.tes", "igin.test", "10.0.0.0/8", "test.origin"])
    func noExceptions(list: String) async throws {
        try await ProxyScene.with(.http, secure: false) { scene in
            let api = try session(scene, ["http_proxy": scene.proxy.url, "no_proxy": list])
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            expectEqual(scene.proxy.requests().count, 1)
        }
    }

    @Test("Unset and empty variables mean no proxy", arguments: [[:], ["http_proxy": "", "all_proxy": ""]])
    func nothing(variables: [String: String]) async throws {
        try await ProxyScene.with(.http, secure: false) { scene in
            let api = try session(scene, variables)
            try await expectEqual(api.get(scene.origin.url("/get")).status, 200)
            expectEqual(scene.proxy.totalConnections, 0)
        }
    }

    @Test("A session derived from another has the proxy, too, unless it is changed")
    func derived() async throws {
        try await ProxyScene.with(.http, secure: false) { scene in
            let api = try session(scene, ["http_proxy": scene.proxy.url])
            try await api.with { $0.headers["X-A"] = "1" }.get(scene.url("/get"))
            expectEqual(scene.proxy.totalConnections, 1)
            try await api.with { $0.network.proxies = .none }.get(scene.origin.url("/get"))
            expectEqual(scene.proxy.requests().count, 1)
            expectEqual(scene.origin.requestCount, 2)
        }
    }
}
