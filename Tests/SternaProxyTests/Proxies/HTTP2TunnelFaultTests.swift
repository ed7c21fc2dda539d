import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Proxies of HTTP/2 that refuse, answer what is no answer, or do not answer.
@Suite("Proxies: tunnels over HTTP/2 that are not opened", .timeLimit(.minutes(5)))
struct HTTP2TunnelFaultTests {
    /// A request that must fail at the proxy.
    @discardableResult
    private func refused(
        _ scene: ProxyScene, _ api: Session, _ number: Int = 0, _ kind: SternaError.Kind = .proxyFailed,
        location: SourceLocation = #_sourceLocation
    ) async -> SternaError? {
        let error = await Wire.failure(kind, .proxy, location: location) { try await api.get(scene.url(of: number)) }
        expectEqual(error?.requestSent, false, sourceLocation: location)
        expectNil(error?.response, "it is no word of the server", sourceLocation: location)
        return error
    }

    // MARK: Answers

    @Test(
        "A status other than 2xx is a failure of the proxy, with its response, for this tunnel only",
        arguments: [(403, "no"), (407, ""), (502, "bad gateway"), (302, "elsewhere"), (500, "")])
    func refused(status: Int, body: String) async throws {
        let fault = TestProxy.Fault.refuses(status: status, body: body)
        try await ProxyScene.withTunnels(options: .init(fault: fault)) { scene, engine in
            let api = try scene.session(engine)
            for _ in 0..<2 {
                let error = await refused(scene, api)
                expectEqual(error?.proxyResponse?.status.code, status)
                let name = try #require(HTTPField.Name("X-Proxy"))
                expectEqual(error?.proxyResponse?[name], "TestProxy")
                expectEqual(error?.description.contains("(\(status))"), true)
                try await scene.proxy.waitForOpenTunnels(0, within: PoolSupport.limit)
            }
            expectEqual(scene.origin.totalConnections, 0)
            scene.expectOnlyHTTP2(connections: 1)
        }
    }

    @Test("A refusal with a large body does not delay the request")
    func largeBody() async throws {
        let fault = TestProxy.Fault.refuses(status: 403, body: String(repeating: "b", count: 2_000_000))
        try await ProxyScene.withTunnels(options: .init(fault: fault)) { scene, engine in
            let error = await refused(scene, try scene.session(engine))
            expectEqual(error?.proxyResponse?.status.code, 403)
            try await scene.proxy.waitForOpenTunnels(0, within: PoolSupport.limit)
        }
    }

    @Test(
        "Wrong credentials and none: the texts are those of HTTP/1.1, and show no secrets",
        arguments: ["", "eve:hidden@"])
    func unauthorized(userinfo: String) async throws {
        var details: [String] = []
        for kind in [ProxyScene.Kind.https, .http2] {
            try await ProxyScene.withTunnels(kind, options: .guarded) { scene, engine in
                let api = try scene.session("https://\(userinfo)localhost:\(scene.proxy.port)", engine: engine)
                let error = try #require(await refused(scene, api))
                expectEqual(error.proxyResponse?.status.code, 407)
                #expect(!"\(error) \(String(reflecting: error))".contains("hidden"))
                #expect(error.detail.contains("(407)"))
                if !userinfo.isEmpty {
                    #expect(error.detail.contains("it does not accept the user name and password."))
                }
                expectEqual(scene.origin.totalConnections, 0)
                details.append(error.detail.replacing("\(scene.proxy.port)", with: "PORT"))
            }
        }
        expectEqual(details.first, details.last)
    }

    @Test(
        "The framing of a 2xx response, and 1xx before it, are ignored",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            "HTTP/1.1 201 Created\r\nProxy-Agent: x\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 299 Other\r\n\r\n",
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        ])
    func framing(text: String) async throws {
        try await ProxyScene.withTunnels(options: .init(fault: .answersConnect(text))) { scene, engine in
            let api = try scene.session(engine)
            for _ in 0..<2 { try await api.expect(scene) }
            expectEqual(scene.proxy.tunnels().count, 1)
            scene.expectOnlyHTTP2(connections: 1)
        }
    }

    @Test("1xx without a final response, and with a refusal, fail the request")
    func interim() async throws {
        let hints = "HTTP/1.1 103 Early Hints\r\n\r\n"
        try await ProxyScene.withTunnels(options: .init(fault: .answersConnect(hints))) { scene, engine in
            await refused(scene, try scene.session(engine) { $0.timeouts.proxy = .milliseconds(700) }, 0, .timedOut)
            expectEqual(scene.proxy.tunnels().map(\.status), [103])
        }
        let fault = TestProxy.Fault.answersConnect(hints + "HTTP/1.1 503 Busy\r\n\r\n")
        try await ProxyScene.withTunnels(options: .init(fault: fault)) { scene, engine in
            let error = await refused(scene, try scene.session(engine))
            expectEqual(error?.proxyResponse?.status.code, 503)
        }
    }

    @Test(
        "A stream that is reset without a response", arguments: [0x0, 0x1, 0x2, 0x8, 0xA, 0xB, 0x1234] as [UInt32])
    func reset(code: UInt32) async throws {
        let fault = TestProxy.Fault.resets(code: code, after: 1)
        try await ProxyScene.withTunnels(origins: 2, options: .init(fault: fault)) { scene, engine in
            let api = try scene.session(engine)
            try await api.expect(scene)
            let error = await refused(scene, api, 1)
            expectNil(error?.proxyResponse)
            // The other tunnel has nothing to do with it.
            try await api.expect(scene)
            expectEqual(scene.proxy.connections().first?.tunnels.map(\.status), [200, nil])
        }
    }

    @Test("A connection that is closed without a response is an error", arguments: [false, true])
    func closes(atOnce: Bool) async throws {
        let fault = atOnce ? TestProxy.Fault.closesAtOnce : .closes()
        try await ProxyScene.withTunnels(options: .init(fault: fault)) { scene, engine in
            let api = try scene.session(engine)
            let error = await #expect(throws: SternaError.self) { try await api.get(scene.url("/get")) }
            #expect(error?.kind == .proxyFailed || error?.kind == .connectionClosed || error?.kind == .tlsFailed)
            #expect(error?.phase == .proxy || error?.phase == .tls)
            expectEqual(error?.requestSent, false)
            expectEqual(scene.origin.totalConnections, 0)
            #expect(scene.proxy.totalConnections <= 3)
            try await scene.proxy.waitForOpenConnections(0, within: PoolSupport.limit)
        }
    }

    @Test(
        "Bytes that are not HTTP/2 instead of a response are an error",
        arguments: ["HTTP/1.1 200 OK\r\n\r\n", "\u{0}\u{0}\u{0}", "zzzzzzzzzzzzzzz"])
    func garbage(text: String) async throws {
        try await ProxyScene.withTunnels(options: .init(fault: .sends(Array(text.utf8)))) { scene, engine in
            let api = try scene.session(engine) { $0.timeouts.proxy = .milliseconds(1_500) }
            let error = await #expect(throws: SternaError.self) { try await api.get(scene.url("/get")) }
            expectEqual(error?.phase, .proxy)
            expectEqual(error?.requestSent, false)
            expectEqual(scene.origin.totalConnections, 0)
        }
    }

    // MARK: Another connection

    enum Refusal: CaseIterable {
        case goAway, refused

        func fault(after count: Int) -> TestProxy.Fault {
            switch self {
            case .goAway: .goesAway(after: count)
            case .refused: .resets(code: 0x7, after: count)
            }
        }
    }

    @Test(
        "An unprocessed CONNECT is sent on another connection, and the request once",
        arguments: Refusal.allCases)
    func again(refusal: Refusal) async throws {
        let options = TestProxy.Options(
            username: "ada", password: "pw", fault: refusal.fault(after: 0), faultyConnections: 1)
        try await ProxyScene.withTunnels(options: options) { scene, engine in
            let reply = try await scene.session(engine).post(scene.url("/post"), body: .text("once"))
            expectEqual(reply.status, 200)
            expectEqual(scene.origin.requestCount, 1)
            expectEqual(scene.origin.totalConnections, 1)
            expectEqual(scene.proxy.requests().map(\.credentials), [.init("ada", "pw"), .init("ada", "pw")])
            scene.expectOnlyHTTP2(connections: 2)
            scene.expectNoCredentials()
        }
    }

    @Test("A tunnel is requested at most three times", arguments: Refusal.allCases)
    func tries(refusal: Refusal) async throws {
        try await ProxyScene.withTunnels(options: .init(fault: refusal.fault(after: 0))) { scene, engine in
            await refused(scene, try scene.session(engine))
            expectEqual(scene.proxy.requests().count, 3)
            expectEqual(scene.origin.totalConnections, 0)
            scene.expectOnlyHTTP2(connections: 3)
        }
    }

    @Test("Unprocessed tunnels are requested again, processed ones are not", arguments: Refusal.allCases)
    func many(refusal: Refusal) async throws {
        let options = TestProxy.Options(fault: refusal.fault(after: 3), faultyConnections: 1)
        try await ProxyScene.withTunnels(origins: 10, options: options) { scene, engine in
            let api = try scene.session(engine)
            for number in 0..<3 { try await api.expect(scene, number) }
            #expect(try await scene.statuses(api, 3..<10).allSatisfy { $0 == 200 })
            expectEqual(scene.origin.requestCount, 10)
            expectEqual(scene.proxy.connections().first?.openTunnels, 3)
            // Those three go on where they are.
            for number in 0..<3 { try await api.expect(scene, number) }
            expectEqual(scene.proxy.connections().first?.tunnels.filter { $0.status == 200 }.count, 3)
            scene.expectOnlyHTTP2()
        }
    }

    @Test("After GOAWAY open tunnels continue, new ones use another connection, and the last one ends this one")
    func goAway() async throws {
        try await ProxyScene.withTunnels(origins: 3) { scene, engine in
            let gate = Gate()
            scene.origin.hold(gate)
            let api = try scene.session(engine)
            try await api.expect(scene)
            let held = try await scene.held(api, 1)
            await scene.proxy.goAway()
            try await api.expect(scene, 2)
            try await api.expect(scene, 0)
            expectEqual(scene.proxy.connections().map(\.openTunnels), [2, 1])
            gate.open()
            try await expectEqual(held.value, "1")
            engine.closeIdleConnections()
            let isClosed = await eventually { scene.proxy.connections().first?.isOpen == false }
            #expect(isClosed)
            #expect(scene.proxy.connections().last?.isOpen == true || scene.proxy.openTunnels == 0)
            scene.expectOnlyHTTP2(connections: 2)
        }
    }

    // MARK: Silence

    @Test("A CONNECT without a response times out, and the connection takes no further tunnels")
    func silent() async throws {
        let options = TestProxy.Options(fault: .stalls(after: 1), faultyConnections: 1)
        try await ProxyScene.withTunnels(origins: 3, options: options) { scene, engine in
            let api = try scene.session(engine)
            try await api.expect(scene)
            let start = ContinuousClock.now
            await refused(scene, api.with { $0.timeouts.proxy = Wire.short }, 1, .timedOut)
            #expect(ContinuousClock.now - start >= .milliseconds(140))
            try await scene.proxy.waitForTunnels(within: 60) { $0.count == 2 && !$0[1].isOpen && $0[1].reset != nil }
            try await api.expect(scene, 2)
            try await api.expect(scene, 1)
            expectEqual(scene.proxy.connections().map(\.tunnels.count), [2, 2])
            // The tunnel that was open goes on.
            try await api.expect(scene, 0)
            expectEqual(scene.proxy.tunnels().count, 4)
            scene.expectOnlyHTTP2(connections: 2)
        }
    }

    @Test("If a proxy stays silent in TLS, all waiting requests time out, and the next succeeds")
    func handshake() async throws {
        try await ProxyScene.withTunnels(origins: 5) { scene, engine in
            try await scene.proxy.pauseAccepting()
            let api = try scene.session(engine)
            let hasty = api.with {
                $0.timeouts.proxy = Wire.short
                $0.timeouts.tls = Wire.short
            }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<5 {
                    let url = scene.url(of: number)
                    group.addTask {
                        let error = await #expect(throws: SternaError.self) { try await hasty.get(url) }
                        expectEqual(error?.kind, .timedOut)
                        #expect(error?.phase == .proxy || error?.phase == .tls)
                    }
                }
            }
            try await scene.proxy.resumeAccepting()
            try await api.expect(scene)
            expectEqual(scene.origin.requestCount, 1)
        }
    }

    @Test("A server's name too long for a frame is refused, and other tunnels continue")
    func longName() async throws {
        try await ProxyScene.withTunnels { scene, engine in
            let gate = Gate()
            scene.origin.hold(gate)
            let api = try scene.session(engine)
            let held = try await scene.held(api)
            let name = String(repeating: "abcdefg.", count: 2_500) + "test"
            await Wire.failure(.limitExceeded, .proxy) { try await api.get("https://\(name)/") }
            gate.open()
            let text = try await held.value
            #expect(!text.isEmpty)
            scene.expectOnlyHTTP2(connections: 1)
        }
    }
}
