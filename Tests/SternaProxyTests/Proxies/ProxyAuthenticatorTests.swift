import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A proxy's 407 to CONNECT, which an authenticator has an answer to (RFC 9110, 11.7).
@Suite("Proxies: authenticators", .timeLimit(.minutes(5)))
struct ProxyAuthenticatorTests {
    static let kinds: [ProxyScene.Kind] = [.http, .https]

    private struct NoPassword: Error {}

    @Test("The credentials are sent on the same connection, then with every tunnel", arguments: kinds)
    func answered(kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind, options: .guarded, originHosts: ["origin.test", "other.test"]) { scene in
            let login = ProxyLogin()
            let api = try scene.session(login)
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            expectEqual(scene.shown, [nil, .right])
            expectEqual(scene.proxy.totalConnections, 1)
            #expect(try await api.get("https://other.test/get").status == 200)
            expectEqual(scene.shown, [nil, .right, .right])
            expectEqual(login.challenges.count, 1)
            scene.expectNoCredentials()
        }
    }

    @Test("The challenge has the proxy, the request and the schemes")
    func challenge() async throws {
        try await ProxyScene.with(.http, options: .guarded) { scene in
            let login = ProxyLogin()
            let api = try scene.session(login, username: "eve", password: "hidden")
            // The URL's credentials are sent unasked, and refused once.
            await Wire.failure(.proxyFailed, .proxy) { try await api.get(scene.url("/get")) }
            let challenge = try #require(login.challenges.first)
            expectEqual(login.challenges.count, 1)
            expectEqual(challenge.proxy, (try Proxy(scene.proxy.url)))
            #expect(!challenge.proxy.hasCredentials)
            expectEqual(challenge.request.method, .connect)
            expectEqual(challenge.request.target, "origin.test:443")
            expectEqual(challenge.refusedCount, 1)
            expectEqual(challenge.response.status.code, 407)
            #expect(challenge.offers("basic") && !challenge.offers("Digest"))
            expectEqual(challenge.challenges.map(\.realm), ["test proxy"])
            var dumped = ""
            dump(challenge, to: &dumped)
            #expect(!"\(challenge) \(dumped)".contains("hidden"))
            // They are not sent again.
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            expectEqual(scene.shown, [.init("eve", "hidden"), nil, .right])
        }
    }

    @Test("The URL's credentials are sent at once, and the authenticator is not called if they are right")
    func ownCredentials() async throws {
        try await ProxyScene.with(.http, options: .guarded) { scene in
            let login = ProxyLogin()
            let api = try scene.session(login, username: "ada", password: "pw")
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            expectEqual(scene.shown, [.right])
            #expect(login.challenges.isEmpty)
        }
    }

    @Test("After a refusal other credentials are sent, and the refused ones never again")
    func second() async throws {
        try await ProxyScene.with(.http, options: .guarded, originHosts: ["origin.test", "other.test"]) { scene in
            let login = ProxyLogin { $0.refusedCount == 0 ? .basic("eve", "no") : .basic("ada", "pw") }
            let api = try scene.session(login)
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            #expect(try await api.get("https://other.test/get").status == 200)
            expectEqual(scene.shown, [nil, .wrong, .right, .right])
            expectEqual(scene.proxy.totalConnections, 2)
            expectEqual(login.challenges.map(\.refusedCount), [0, 1])
        }
    }

    @Test("After three refused credentials the refusal is the error")
    func endless() async throws {
        try await ProxyScene.with(.http, options: .guarded) { scene in
            let login = ProxyLogin { _ in .basic("eve", "no") }
            let api = try scene.session(login)
            let error = await Wire.failure(.proxyFailed, .proxy) { try await api.get(scene.url("/get")) }
            expectEqual(error?.proxyResponse?.status.code, 407)
            expectEqual(error?.detail.contains("3 times"), true)
            expectEqual(error?.requestSent, false)
            expectEqual(scene.shown, [nil, .wrong, .wrong, .wrong])
            expectEqual(login.challenges.map(\.refusedCount), [0, 1, 2])
            expectEqual(scene.proxy.totalConnections, 1)
            expectEqual(scene.origin.totalConnections, 0)
            // The next connection begins without the answer that was refused.
            await Wire.failure(.proxyFailed, .proxy) { try await api.get(scene.url("/get")) }
            #expect(scene.shown.count == 8 && scene.shown[4] == nil)
            try await scene.proxy.waitForOpenConnections(0, within: 60)
        }
    }

    @Test("An authenticator that returns nil, or throws, fails the request", arguments: [false, true], kinds)
    func none(throwing: Bool, kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind, options: .guarded) { scene in
            let login = ProxyLogin { _ in
                if throwing { throw NoPassword() }
                return nil
            }
            let api = try scene.session(login)
            let error = await Wire.failure(.proxyFailed, .proxy) { try await api.get(scene.url("/get")) }
            expectEqual(error?.proxyResponse?.status.code, 407)
            expectEqual((error?.underlying is NoPassword), throwing)
            expectEqual(error?.detail.contains("authenticator"), true)
            expectEqual(scene.shown, [nil])
            expectEqual(login.challenges.count, 1)
            try await scene.proxy.waitForOpenConnections(0, within: 60)
        }
    }

    @Test("While the authenticator runs, only the request's deadline applies, no limit of the dial", arguments: kinds)
    func slow(kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind, options: .guarded) { scene in
            let time = TestClock()
            let login = ProxyLogin { _ in
                await time.advance(by: .milliseconds(2_500))
                return .basic("ada", "pw")
            }
            let api = try scene.session(login, engine: PoolSupport.engine { $0.clock = time.clock }) {
                $0.timeouts.proxy = .milliseconds(1_500)
                $0.timeouts.tls = .seconds(20)
            }
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            expectEqual(scene.proxy.totalConnections, 1)
        }
    }

    @Test(
        "A request that is cancelled, or out of time, ends at once, and cancels the authenticator",
        arguments: [false, true])
    func abandoned(byDeadline: Bool) async throws {
        try await ProxyScene.with(.http, options: .guarded) { scene in
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
            try await scene.proxy.waitForOpenConnections(0, within: 60)
        }
    }

    @Test("Many concurrent connections ask once", arguments: kinds)
    func many(kind: ProxyScene.Kind) async throws {
        let hosts = (0..<40).map { "h\($0).test" }
        try await ProxyScene.with(kind, options: .guarded, originHosts: hosts) { scene in
            let gate = Counter()
            let login = ProxyLogin { _ in
                #expect(await eventually { gate.value == 1 })
                return .basic("ada", "pw")
            }
            let api = try scene.session(login)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for host in hosts { group.addTask { try await api.get("https://\(host)/get").status } }
                #expect(await eventually { scene.shown.count == hosts.count })
                gate.add()
                for try await status in group { expectEqual(status, 200) }
            }
            expectEqual(login.challenges.count, 1)
            expectEqual(scene.shown.count { $0 == nil }, hosts.count)
            expectEqual(scene.shown.count { $0 == .right }, hosts.count)
        }
    }

    @Test("Many concurrent connections without credentials ask once, and all fail")
    func manyRefused() async throws {
        let hosts = (0..<20).map { "h\($0).test" }
        try await ProxyScene.with(.http, options: .guarded, originHosts: hosts) { scene in
            let gate = Counter()
            let login = ProxyLogin { _ in
                #expect(await eventually { gate.value == 1 })
                return nil
            }
            let api = try scene.session(login)
            await withTaskGroup(of: Void.self) { group in
                for host in hosts {
                    group.addTask {
                        await Wire.failure(.proxyFailed, .proxy) { try await api.get("https://\(host)/get") }
                    }
                }
                #expect(await eventually { scene.shown.count == hosts.count })
                gate.add()
            }
            expectEqual(login.challenges.count, 1)
        }
    }

    @Test("A cancelled request does not cancel the question of others")
    func oneLeaves() async throws {
        try await ProxyScene.with(.http, options: .guarded, originHosts: ["origin.test", "other.test"]) { scene in
            let gate = Counter()
            let login = ProxyLogin { _ in
                #expect(await eventually { gate.value == 1 })
                return Task.isCancelled ? nil : .basic("ada", "pw")
            }
            let api = try scene.session(login)
            let url = scene.url("/get")
            let leaver = Task { try await api.get(url) }
            #expect(await eventually { login.challenges.count == 1 })
            let other = Task { try await api.get("https://other.test/get").status }
            #expect(await eventually { scene.shown.count == 2 })
            leaver.cancel()
            await #expect(throws: SternaError.self) { try await leaver.value }
            gate.add()
            try await expectEqual(other.value, 200)
            // The proxy has the other's request, but its 407 may arrive after the leaver has ended the question.
            #expect((1...2).contains(login.challenges.count))
        }
    }

    @Test("Credentials for each request are made for every CONNECT, with its target")
    func each() async throws {
        try await ProxyScene.with(.http, options: .guarded, originHosts: ["origin.test", "other.test"]) { scene in
            let targets = Mutex<[String]>([])
            let login = ProxyLogin { _ in
                .each { request in
                    targets.withLock { $0.append("\(request.method) \(request.target)") }
                    return .basic("ada", "pw")
                }
            }
            let api = try scene.session(login)
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            #expect(try await api.get("https://other.test/get").status == 200)
            expectEqual(targets.withLock { $0 }, ["CONNECT origin.test:443", "CONNECT other.test:443"])
            expectEqual(scene.shown, [nil, .right, .right])
            expectEqual(login.challenges.count, 1)
        }
    }

    @Test(
        "Credentials that cannot be written, or are not made, fail the request and are not shown", arguments: [0, 1, 2])
    func unusable(which: Int) async throws {
        try await ProxyScene.with(.http, options: .guarded) { scene in
            let login = ProxyLogin { _ in
                switch which {
                case 0: ProxyAuthorization(Authorization("Custom", "hidden\r\nX-Evil: 1"))
                case 1: .each { _ in Authorization("Not a token", "hidden") }
                default: .each { _ in throw NoPassword() }
                }
            }
            let api = try scene.session(login)
            let kind: SternaError.Kind = which == 2 ? .proxyFailed : .invalidHeader
            let error = await Wire.failure(kind, .proxy) { try await api.get(scene.url("/get")) }
            expectEqual(error.map { "\($0) \(String(reflecting: $0))".contains("hidden") }, false)
            expectEqual((error?.underlying is NoPassword), (which == 2))
            expectEqual(scene.shown, [nil])
            try await scene.proxy.waitForOpenConnections(0, within: 60)
        }
    }

    @Test("An inspection of certificates asks, too")
    func inspection() async throws {
        try await ProxyScene.with(.http, options: .guarded) { scene in
            let login = ProxyLogin()
            let inspection = try await scene.session(login).inspectTrust(of: scene.url("/"))
            expectNil(inspection.failure)
            expectEqual(scene.shown, [nil, .right])
        }
    }

    @Test("A warm-up asks, too")
    func warmUp() async throws {
        try await ProxyScene.with(.http, options: .guarded) { scene in
            let api = try scene.session(ProxyLogin())
            try await api.warmUp(scene.url("/"))
            expectEqual(scene.shown, [nil, .right])
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            expectEqual(scene.proxy.totalConnections, 1)
        }
    }
}
