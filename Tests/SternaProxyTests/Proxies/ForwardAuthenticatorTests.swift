import HTTPTypes
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A proxy's 407 to requests that it forwards, which an authenticator has an answer to.
@Suite("Proxies: authenticators for forwarded requests", .timeLimit(.minutes(5)))
struct ForwardAuthenticatorTests {
    private struct NoPassword: Error {}

    @Test("The request is resent with the credentials and its body, and later ones send them at once")
    func answered() async throws {
        try await ProxyScene.with(.http, secure: false, options: .guarded) { scene in
            let login = ProxyLogin()
            let api = try scene.session(login)
            try await expectEqual(api.put(scene.url("/put"), body: .text("once")).status, 200)
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            expectEqual(scene.shown, [nil, .right, .right])
            expectEqual(scene.origin.requests().map(\.bodySize), [4, 0])
            let challenge = try #require(login.challenges.first)
            expectEqual(login.challenges.count, 1)
            expectEqual(challenge.request.method, .put)
            #expect(challenge.request.target == "http://origin.test/put")
            expectEqual(challenge.challenges.map(\.realm), ["test proxy"])
            scene.expectNoCredentials()
        }
    }

    @Test("Metrics name the reason of the attempt with credentials")
    func reason() async throws {
        try await ProxyScene.with(.http, secure: false, options: .guarded) { scene in
            let api = try scene.session(ProxyLogin()) { $0.events.collectsMetrics = true }
            let reply = try await api.get(scene.url("/get"))
            expectEqual(reply.response.metrics?.attempts.map(\.reason), [.first, .authentication])
        }
    }

    @Test("Tunnels through the proxy share the credentials")
    func shared() async throws {
        let authority = try CertificateAuthority()
        try await TestServer.withServer(.init(tls: try authority.issue(hosts: ["localhost"]))) { secure in
            try await TestServer.withServer { plain in
                try await TestProxy.withProxy(.guarded) { proxy in
                    let login = ProxyLogin()
                    let api = try ProxyScene.session(proxy.url, authority: authority) {
                        $0.network.proxies.authenticator = login
                    }
                    try await expectEqual(api.get(secure.url("/get")).status, 200)
                    try await expectEqual(api.get(plain.url("/get")).status, 200)
                    expectEqual(proxy.requests().map(\.credentials), [nil, .right, .right])
                    expectEqual(login.challenges.count, 1)
                }
            }
        }
    }

    @Test("After three refused credentials the proxy's response is delivered")
    func endless() async throws {
        try await ProxyScene.with(.http, secure: false, options: .guarded) { scene in
            let login = ProxyLogin { _ in .basic("eve", "no") }
            let api = try scene.session(login, username: "mallory", password: "x")
            let error = await #expect(throws: SternaError.self) { try await api.get(scene.url("/get")) }
            expectEqual(error?.kind, .unacceptableStatus)
            expectEqual(error?.status, 407)
            expectEqual(scene.shown, [.init("mallory", "x"), .wrong, .wrong, .wrong])
            expectEqual(login.challenges.map(\.refusedCount), [1, 2, 3])
            expectEqual(scene.origin.requestCount, 0)
        }
    }

    @Test("For nil the 407 is delivered, and an error fails the request", arguments: [false, true])
    func none(throwing: Bool) async throws {
        try await ProxyScene.with(.http, secure: false, options: .guarded) { scene in
            let login = ProxyLogin { _ in
                if throwing { throw NoPassword() }
                return nil
            }
            let api = try scene.session(login)
            let error = await #expect(throws: SternaError.self) { try await api.get(scene.url("/get")) }
            expectEqual(error?.kind, (throwing ? .proxyFailed : .unacceptableStatus))
            expectEqual((error?.underlying is NoPassword), throwing)
            expectEqual((error?.proxyResponse ?? error?.response)?.status.code, 407)
            expectEqual(scene.shown, [nil])
        }
    }

    @Test("Credentials may be made for each request")
    func each() async throws {
        try await ProxyScene.with(.http, secure: false, options: .guarded) { scene in
            let targets = Mutex<[String]>([])
            let login = ProxyLogin { _ in
                .each { request in
                    targets.withLock { $0.append("\(request.method) \(request.target)") }
                    return .basic("ada", "pw")
                }
            }
            let api = try scene.session(login)
            for path in ["/get?a=1", "/get?b=2#part"] { try await expectEqual(api.get(scene.url(path)).status, 200) }
            #expect(targets.withLock { $0 } == ["GET http://origin.test/get?a=1", "GET http://origin.test/get?b=2"])
            expectEqual(scene.shown, [nil, .right, .right])
        }
    }

    @Test("For a body that cannot be resent the authenticator is not asked")
    func unreplayable() async throws {
        try await ProxyScene.with(.http, secure: false, options: .guarded) { scene in
            let login = ProxyLogin()
            let api = try scene.session(login) { $0.limits.continueThreshold = nil }
            let producer = BodyProducer(length: nil, isReplayable: false) { { nil } }
            let error = await #expect(throws: SternaError.self) {
                try await api.put(scene.url("/put"), body: Body(segments: [.producer(producer)]))
            }
            expectEqual(error?.status, 407)
            #expect(login.challenges.isEmpty)
        }
    }

    @Test(
        "A request that is cancelled, or out of time, ends at once, and cancels the authenticator",
        arguments: [false, true])
    func abandoned(byDeadline: Bool) async throws {
        try await ProxyScene.with(.http, secure: false, options: .guarded) { scene in
            let (time, begun, cancelled) = (TestClock(), Counter(), Counter())
            let login = ProxyLogin { _ in
                begun.add()
                do {
                    try await Task.sleep(for: .seconds(3_600))
                } catch {
                    cancelled.add()
                }
                return nil
            }
            let api = try scene.session(login, engine: PoolSupport.engine { $0.clock = time.clock }) {
                if byDeadline { $0.timeouts.total = .milliseconds(300) }
            }
            let url = scene.url("/get")
            let task = Task { try await api.get(url) }
            #expect(await eventually { begun.value == 1 })
            if byDeadline { await time.advance(by: .milliseconds(300)) } else { task.cancel() }
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, (byDeadline ? .timedOut : .cancelled))
            expectEqual(error?.phase, .proxy)
            #expect(await eventually { cancelled.value == 1 })
        }
    }

    @Test("The deadline applies while a body is read to be hashed")
    func hashing() async throws {
        let options = TestProxy.Options(
            username: "ada", password: "pw", digest: .init(.sha256, quality: "auth-int"))
        try await ProxyScene.with(.http, secure: false, options: options) { scene in
            let time = TestClock()
            let api = try scene.session(engine: PoolSupport.engine { $0.clock = time.clock }) {
                $0.limits.continueThreshold = nil
                $0.timeouts.total = .milliseconds(500)
            }
            let (readers, hashes) = (Counter(), Counter())
            // The first reader is that of the request which the proxy refuses.
            let producer = BodyProducer(length: nil, isReplayable: true) {
                let isFirst = readers.add() == 1
                return {
                    if !isFirst {
                        hashes.add()
                        try await Task.sleep(for: .seconds(3_600))
                    }
                    return nil
                }
            }
            let url = scene.url("/put")
            let task = Task { try await api.put(url, body: Body(segments: [.producer(producer)])) }
            #expect(await eventually { hashes.value == 1 })
            await time.advance(by: .milliseconds(500))
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .timedOut)
            expectEqual(scene.origin.requestCount, 0)
        }
    }

    @Test("The cancellation of its session ends a request that waits for the authenticator")
    func sessionCancelled() async throws {
        try await ProxyScene.with(.http, secure: false, options: .guarded) { scene in
            let begun = Counter()
            let login = ProxyLogin { _ in
                begun.add()
                try await Task.sleep(for: .seconds(3_600))
                return nil
            }
            let api = try scene.session(login)
            let url = scene.url("/get")
            let task = Task { try await api.get(url) }
            #expect(await eventually { begun.value == 1 })
            api.invalidateAndCancel()
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
        }
    }

    /// Sends requests from a Swift task that is already cancelled.
    private struct CancelsFirst: Interceptor {
        nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await next(request)
        }
    }

    @Test("A request of a task that is already cancelled does not wait for its credentials")
    func cancelledBefore() async throws {
        try await ProxyScene.with(.http, secure: false, options: .guarded) { scene in
            let made = Counter()
            let login = ProxyLogin { _ in
                .each { _ in
                    if made.add() > 1 { try await Task.sleep(for: .seconds(3_600)) }
                    return .basic("ada", "pw")
                }
            }
            let api = try scene.session(login)
            let url = scene.url("/get")
            try await expectEqual(api.get(url).status, 200)
            let cancelled = api.with { $0.interceptors = [CancelsFirst()] }
            let task = Task { try await cancelled.get(url) }
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
            expectEqual(scene.shown, [nil, .right])
        }
    }

    @Test("Many concurrent requests ask once")
    func many() async throws {
        try await ProxyScene.with(.http, secure: false, options: .guarded) { scene in
            let gate = Counter()
            let login = ProxyLogin { _ in
                #expect(await eventually { gate.value == 1 })
                return .basic("ada", "pw")
            }
            let api = try scene.session(login)
            let url = scene.url("/get")
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await api.get(url).status } }
                #expect(await eventually { scene.shown.count == 20 })
                gate.add()
                for try await status in group { expectEqual(status, 200) }
            }
            expectEqual(login.challenges.count, 1)
        }
    }

    @Test("A 407 of a server without a proxy, or in a tunnel, does not ask the authenticator")
    func server() async throws {
        try await ProxyScene.with(.http) { scene in
            let login = ProxyLogin()
            let error = await #expect(throws: SternaError.self) {
                try await scene.session(login).get(scene.url("/status/407"))
            }
            expectEqual(error?.status, 407)
            let direct = try scene.session(login) { $0.network.proxies = .none }
            let other = await #expect(throws: SternaError.self) {
                try await direct.get(scene.origin.url("/status/407"))
            }
            #expect(other != nil)
            #expect(login.challenges.isEmpty)
        }
    }
}
