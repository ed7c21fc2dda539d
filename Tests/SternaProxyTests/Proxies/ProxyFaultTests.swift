import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Proxies that break their protocol.
@Suite("Proxies: faults", .timeLimit(.minutes(5)))
struct ProxyFaultTests {
    @Test("A close before the response is an error", arguments: [ProxyScene.Kind.http, .socks5], [false, true])
    func closes(kind: ProxyScene.Kind, atOnce: Bool) async throws {
        let fault = atOnce ? TestProxy.Fault.closesAtOnce : .closes()
        try await ProxyScene.with(kind, options: .init(fault: fault)) { scene in
            let api = try scene.session()
            let error = await #expect(throws: SternaError.self) { try await api.get(scene.url("/get")) }
            expectEqual(error?.kind, .proxyFailed)
            expectEqual(error?.phase, .proxy)
            expectEqual(error?.requestSent, false)
            expectEqual(scene.origin.totalConnections, 0)
        }
    }

    @Test("A close in the middle of SOCKS is a failure of the proxy", arguments: [1, 2])
    func closesLater(after: Int) async throws {
        let options = TestProxy.Options(username: "ada", password: "pw", fault: .closes(after: after))
        try await ProxyScene.with(.socks5, secure: false, options: options) { scene in try await scene.refusal() }
    }

    @Test(
        "Invalid responses to CONNECT are refused",
        arguments: [
            "garbage\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n",
            "HTTP/2.0 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nNo colon\r\n\r\n", "HTTP/1.1 200 OK\r\n: empty\r\n\r\n",
            "SSH-2.0-OpenSSH_9.2\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "HTTP/1.1 200 OK\r\nX : a\r\n\r\n",
        ])
    func garbage(text: String) async throws {
        try await ProxyScene.with(.http, options: .init(fault: .sends(Array(text.utf8)))) { scene in
            try await scene.refusal()
        }
    }

    @Test("TLS instead of HTTP is a failure of the proxy")
    func tls() async throws {
        try await ProxyScene.with(.http, options: .init(fault: .sends([0x15, 3, 3, 0, 2, 2, 70, 13, 10, 13, 10]))) {
            try await $0.refusal()
        }
    }

    @Test(
        "Invalid replies to the greeting of SOCKS are refused",
        arguments: [[4, 0], [5, 1], [5, 3], [0, 0], Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)] as [[UInt8]])
    func greeting(bytes: [UInt8]) async throws {
        for secure in [false, true] {
            try await ProxyScene.with(.socks5, secure: secure, options: .init(fault: .sends(bytes))) { scene in
                try await scene.refusal()
            }
        }
    }

    @Test("A request for credentials that were not offered is an error")
    func unoffered() async throws {
        try await ProxyScene.with(.socks5, options: .init(fault: .sends([5, 2]))) { scene in
            try await scene.refusal()
            expectNil(scene.proxy.connections().first?.socksCredentials)
        }
    }

    @Test(
        "Invalid replies to credentials and request of SOCKS are refused",
        arguments: [
            (1, [2, 1]), (1, [1, 1]), (1, [0, 255]), (2, [4, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
            (2, [5, 0, 0, 2, 0, 0, 0, 0, 0, 0]), (2, [5, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ] as [(Int, [UInt8])])
    func later(after: Int, bytes: [UInt8]) async throws {
        let options = TestProxy.Options(username: "ada", password: "pw", fault: .sends(bytes, after: after))
        try await ProxyScene.with(.socks5, options: options) { scene in try await scene.refusal() }
    }

    @Test(
        "A too long response to CONNECT is refused", arguments: [(60_000, true), (70_000, false), (1_000_000, false)])
    func long(count: Int, fits: Bool) async throws {
        try await ProxyScene.with(.http, options: .init(fault: .longResponse(count))) { scene in
            guard !fits else {
                try await expectEqual(scene.session().get(scene.url("/get")).status, 200)
                return
            }
            let api = try scene.session()
            let error = await #expect(throws: SternaError.self) { try await api.get(scene.url("/get")) }
            #expect(error?.kind == .proxyFailed || error?.kind == .limitExceeded)
            expectEqual(error?.phase, .proxy)
            expectEqual(scene.origin.requestCount, 0)
            try await scene.proxy.waitForOpenConnections(0, within: 60)
        }
    }

    @Test("An endless response to CONNECT, in its head or in 1xx, is refused")
    func endless() async throws {
        let texts = [
            "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 1_000_000),
            String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 10_000),
        ]
        for text in texts {
            try await ProxyScene.with(.http, options: .init(fault: .sends(Array(text.utf8)))) { scene in
                let api = try scene.session()
                let error = await #expect(throws: SternaError.self) { try await api.get(scene.url("/get")) }
                #expect(error?.kind == .proxyFailed || error?.kind == .limitExceeded)
                expectEqual(error?.phase, .proxy)
                try await scene.proxy.waitForOpenConnections(0, within: 60)
            }
        }
    }

    @Test("A refusal with a large body does not delay the request")
    func largeBody() async throws {
        let fault = TestProxy.Fault.refuses(status: 403, body: String(repeating: "b", count: 2_000_000))
        try await ProxyScene.with(.http, options: .init(fault: fault)) { scene in
            let error = try await scene.refusal()
            expectEqual(error?.proxyResponse?.status.code, 403)
        }
    }

    @Test("A proxy's text is shown without control characters")
    func printable() async throws {
        let text = "HTTP/1.1 403 \u{1B}[31mred\r\n\r\n"
        try await ProxyScene.with(.http, options: .init(fault: .sends(Array(text.utf8)))) { scene in
            let error = try await scene.refusal()
            expectEqual(error.map { "\($0)".unicodeScalars.contains("\u{1B}") }, false)
        }
    }

    @Test("A closed port of the proxy is an error", arguments: ["http", "https", "socks5"])
    func nobody(scheme: String) async throws {
        let port = try ClosedPort()
        let api = try ProxyScene.session("\(scheme)://127.0.0.1:\(port.port)")
        for url in ["http://origin.test/", "https://origin.test/"] {
            let error = await #expect(throws: SternaError.self) { try await api.get(url) }
            #expect(error?.kind == .connectionFailed || error?.kind == .proxyFailed)
            #expect(error?.phase == .connect || error?.phase == .proxy)
            expectEqual(error?.requestSent, false)
        }
        withExtendedLifetime(port) {}
    }

    @Test("After a failure the next request uses a new connection")
    func again() async throws {
        try await ProxyScene.with(.http, options: .init(fault: .refuses(status: 503))) { scene in
            let engine = Wire.engine()
            let api = try scene.session(nil, engine: engine)
            for _ in 0..<3 { await Wire.failure(.proxyFailed, .proxy) { try await api.get(scene.url("/get")) } }
            expectEqual(scene.proxy.totalConnections, 3)
            try await TestProxy.withProxy(.init(routes: ["origin.test:443": scene.origin.port])) { good async throws in
                try await expectEqual(scene.session(good.url, engine: engine).get(scene.url("/get")).status, 200)
            }
        }
    }

    @Test("Failures give back the permit to open a connection")
    func permits() async throws {
        try await ProxyScene.with(.http, options: .init(fault: .refuses(status: 503))) { scene in
            var options = Wire.options
            options.maximumConnectionsPerOrigin = 1
            let api = try scene.session(nil, engine: Engine(options: options))
            let url = scene.url("/get")
            let kinds = await withTaskGroup(of: SternaError.Kind?.self) { group in
                for _ in 0..<5 {
                    group.addTask {
                        do { try await api.get(url) } catch { return (error as? SternaError)?.kind }
                        return nil
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(kinds.allSatisfy { $0 == .proxyFailed })
        }
    }
}
