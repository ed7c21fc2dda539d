import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// SOCKS 5 (RFC 1928, RFC 1929): every request through a tunnel, names looked up by the proxy.
@Suite("Proxies: SOCKS", .timeLimit(.minutes(5)))
struct SOCKSProxyTests {
    @Test("Names go to the proxy as they are, and the origin sees an ordinary request", arguments: [false, true])
    func name(secure: Bool) async throws {
        try await ProxyScene.with(.socks5, secure: secure) { scene in
            let api = try scene.session()
            for _ in 0..<3 { try await expectEqual(api.get(scene.url("/get?a=1")).status, 200) }
            let connections = scene.proxy.connections()
            expectEqual(connections.count, 1)
            let asked = try #require(connections.first?.socksRequest)
            expectEqual(asked.command, 1)
            expectEqual(asked.addressType, .name)
            expectEqual(asked.host, "origin.test")
            expectEqual(asked.port, (secure ? 443 : 80))
            expectEqual(connections.first?.bytesBeforeResponse, 0)
            expectEqual(connections.first?.socksMethods.contains(0), true)
            expectNil(connections.first?.socksCredentials)
            expectEqual(scene.origin.requests().map(\.target), ["/get?a=1", "/get?a=1", "/get?a=1"])
            expectEqual(scene.origin.requests().first?.headers["Host"], "origin.test")
        }
    }

    @Test("socks5 and socks5h mean the same", arguments: ["socks5", "socks5h"])
    func schemes(scheme: String) async throws {
        try await ProxyScene.with(.socks5, secure: false) { scene in
            let api = try scene.session("\(scheme)://127.0.0.1:\(scene.proxy.port)")
            try await api.get("http://localhost:\(scene.origin.port)/get")
            expectEqual(scene.proxy.connections().first?.socksRequest?.addressType, .name)
            expectEqual(scene.proxy.connections().first?.socksRequest?.host, "localhost")
        }
    }

    @Test("Addresses are sent as addresses")
    func addresses() async throws {
        try await ProxyScene.with(.socks5, secure: false) { scene in
            let api = try scene.session()
            try await api.get("http://127.0.0.1:\(scene.origin.port)/get")
            _ = try? await api.get("http://[::1]:9/")
            let asked = scene.proxy.connections().compactMap(\.socksRequest)
            expectEqual(asked.map(\.addressType), [.ipv4, .ipv6])
            expectEqual(asked.map(\.host), ["127.0.0.1", "::1"])
        }
    }

    @Test(
        "User name and password are sent",
        arguments: [("ada", "pw"), ("a b", "p:w@/?#%"), ("Zoë", "pässwörd"), (String(repeating: "u", count: 255), "p")])
    func credentials(username: String, password: String) async throws {
        let options = TestProxy.Options(username: username, password: password)
        try await ProxyScene.with(.socks5, secure: false, options: options) { scene in
            try await expectEqual(scene.session().get(scene.url("/get")).status, 200)
            let seen = try #require(scene.proxy.connections().first)
            #expect(seen.socksMethods.contains(2))
            expectEqual(seen.socksCredentials, .init(username, password))
            #expect(!scene.origin.requests().contains { $0.headers.contains("Proxy-Authorization") })
        }
    }

    @Test("Credentials are not sent unless the proxy asks for them")
    func unasked() async throws {
        try await ProxyScene.with(.socks5) { scene in
            let api = try scene.session(scene.proxy.url(username: "ada", password: "pw"))
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            scene.expectNoCredentials()
        }
    }

    @Test("Wrong credentials fail, and missing ones if required", arguments: [false, true], ["", "eve:hidden@"])
    func unauthorized(secure: Bool, userinfo: String) async throws {
        try await ProxyScene.with(.socks5, secure: secure, options: .guarded) { scene in
            let api = try scene.session("socks5h://\(userinfo)127.0.0.1:\(scene.proxy.port)")
            let error = await Wire.failure(.proxyFailed, .proxy) { try await api.get(scene.url("/get")) }
            expectEqual(error.map { "\($0) \(String(reflecting: $0))".contains("hidden") }, false)
            expectNil(error?.response)
            expectEqual(scene.proxy.totalConnections, 1)
            expectEqual(scene.origin.totalConnections, 0)
            try await scene.proxy.waitForOpenConnections(0, within: 60)
        }
    }

    @Test("Each refusal code is a failure of the proxy", arguments: [1, 2, 3, 4, 5, 6, 7, 8, 9, 255] as [UInt8])
    func refused(code: UInt8) async throws {
        try await ProxyScene.with(.socks5, options: .init(fault: .refusesAddress(code: code))) { scene in
            try await scene.refusal()
        }
    }

    @Test("A proxy that accepts no method is an error")
    func methods() async throws {
        try await ProxyScene.with(.socks5, options: .init(fault: .refusesMethods)) { scene in
            try await scene.refusal()
        }
    }

    @Test(
        "Any bound address in the reply is accepted, in one piece or byte by byte",
        arguments: [
            [1, 127, 0, 0, 1, 4, 56], [4] + [UInt8](repeating: 7, count: 18), [3, 5] + Array("terns".utf8) + [0, 80],
            [3, 255] + [UInt8](repeating: 0x61, count: 257), [3, 0, 0, 0],
        ] as [[UInt8]], [false, true])
    func bound(address: [UInt8], drips: Bool) async throws {
        for secure in [false, true] {
            let options = TestProxy.Options(username: "ada", password: "pw", fault: .binds(address), drips: drips)
            try await ProxyScene.with(.socks5, secure: secure, options: options) { scene async throws in
                try await expectEqual(scene.session().get(scene.url("/get")).status, 200)
                expectEqual(scene.proxy.connections().first?.bytesBeforeResponse, 0)
            }
        }
    }

    @Test("Large bodies are relayed both ways", arguments: [false, true])
    func large(secure: Bool) async throws {
        try await ProxyScene.with(.socks5, secure: secure) { scene in
            let api = try scene.session()
            try await expectEqual(api.put(scene.url("/put"), body: .bytes(Wire.pattern(3_000_000))).status, 200)
            expectEqual(scene.origin.requests().last?.bodySize, 3_000_000)
            try await expectEqual(api.get(scene.url("/bytes/5000000?seed=1")).body.count, 5_000_000)
        }
    }

    @Test("Connections are not shared with direct ones, nor with other credentials")
    func apart() async throws {
        try await ProxyScene.with(.socks5, secure: false) { scene in
            let engine = Wire.engine()
            let address = "127.0.0.1:\(scene.proxy.port)"
            for url in ["socks5://\(address)", "socks5h://\(address)", "socks5://ada:pw@\(address)"] {
                try await scene.session(url, engine: engine).get(scene.origin.url("/get"))
            }
            try await scene.session(nil, engine: engine) { $0.network.proxies = .none }.get(scene.origin.url("/get"))
            expectEqual(scene.proxy.totalConnections, 2)
            expectEqual(scene.origin.totalConnections, 3)
        }
    }
}
