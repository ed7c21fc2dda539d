import NIOCore
import SternaCore
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Refreshes that requests share", .timeLimit(.minutes(5)))
struct TokenRefreshTests {
    static let url = "https://api.example.com/a"

    private func session(
        _ mock: MockTransport, _ tokens: TokenAuthentication, clock: TestClock? = nil
    ) throws -> Session {
        try mocked(nil, by: mock) {
            $0.auth.tokens = tokens
            if let clock {
                var options = EngineOptions()
                options.clock = clock.clock
                $0.network.engine = Engine(options: options)
            }
        }.api
    }

    private struct Broken: Error {}

    private final class Sessions: Sendable {
        private let list = Mutex<[Session]>([])

        subscript(index: Int) -> Session? { list.withLock { $0.indices.contains(index) ? $0[index] : nil } }
        func set(_ sessions: [Session]) { list.withLock { $0 = sessions } }
    }

    @Test("A hundred requests with a rejected token cause one refresh, and all succeed")
    func hundred() async throws {
        let (scene, held) = (TokenScene(), Gate())
        let mock = scene.mock
        let tokens = try scene.tokens(held: held)
        let api = try session(mock, tokens)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { try await api.get(Self.url).status } }
            #expect(await eventually { tokens.waiterCount == 100 })
            held.open()
            for try await status in group { expectEqual(status, 200) }
        }
        expectEqual(scene.refreshes, 1)
        expectEqual(tokens.waiterCount, 0)
        expectEqual(mock.authorizations.count { $0 == "Bearer t1" }, 100)
    }

    @Test("Requests that wait for a refresh fail together with its error")
    func together() async throws {
        let refused = SternaError(.hostNotFound, phase: .resolve, "The login server is gone.")
        for (error, kind) in [
            (Broken(), .interceptorFailed), (refused, .hostNotFound), (CancellationError(), .interceptorFailed),
        ]
            as [(any Error, SternaError.Kind)]
        {
            let (scene, held) = (TokenScene(), Gate())
            let tokens = try scene.tokens(held: held, error: error)
            let api = try session(scene.mock, tokens)
            await withTaskGroup(of: SternaError?.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        do {
                            try await api.get(Self.url)
                            return nil
                        } catch {
                            return error as? SternaError
                        }
                    }
                }
                #expect(await eventually { tokens.waiterCount == 100 })
                held.open()
                for await error in group { expectEqual(error?.kind, kind) }
            }
            expectEqual(scene.refreshes, 1)
        }
    }

    @Test("Requests under way with the old token are sent again with the new one, without another refresh")
    func inFlight() async throws {
        let (scene, arrived, held) = (TokenScene(), Gate(), Gate())
        let mock = MockTransport { request in
            let known = request.headers[.authorization]
            if request.url.path == "/slow", known == "Bearer t0" {
                arrived.open()
                await held.wait()
            }
            return known == "Bearer t1" ? .json([:]) : .init(status: 401)
        }
        let api = try session(mock, scene.tokens())
        async let slow = api.get("https://api.example.com/slow")
        await arrived.wait()
        try await api.get(Self.url)
        held.open()
        try await expectEqual(slow.status, 200)
        expectEqual(scene.refreshes, 1)
        expectEqual(mock.requests.count, 4)
    }

    @Test("The refresh survives the cancellation of the request that began it")
    func cancellation() async throws {
        let (scene, held) = (TokenScene(), Gate())
        let tokens = try scene.tokens(held: held)
        let api = try session(scene.mock, tokens)
        let first = Task { try await api.get(Self.url) }
        #expect(await eventually { tokens.waiterCount == 1 })
        let second = Task { try await api.get(Self.url) }
        #expect(await eventually { tokens.waiterCount == 2 })
        first.cancel()
        let error = await #expect(throws: SternaError.self) { try await first.value }
        expectEqual(error?.kind, .cancelled)
        #expect(await eventually { tokens.waiterCount == 1 })
        held.open()
        try await expectEqual(second.value.status, 200)
        expectEqual(scene.refreshes, 1)
    }

    @Test("A task that waits is cancelled, and its refresh still gives the token")
    func task() async throws {
        let (scene, held) = (TokenScene(), Gate())
        let tokens = try scene.tokens(held: held)
        let task = try session(scene.mock, tokens).dataTask(.get(Self.url))
        #expect(await eventually { tokens.waiterCount == 1 })
        task.cancel()
        let error = await #expect(throws: SternaError.self) { try await task.value }
        expectEqual(error?.kind, .cancelled)
        held.open()
        #expect(await eventually { tokens.token?.value == "t1" })
    }

    @Test("The cancellation of its session, or of one above it, ends a wait at once", arguments: [false, true])
    func sessionCancelled(isAbove: Bool) async throws {
        let (scene, held, time) = (TokenScene(), Gate(), TestClock())
        defer { held.open() }
        let tokens = try scene.tokens(held: held) { $0.clock = time.clock }
        let api = try session(scene.mock, tokens, clock: time)
        let derived = api.with { $0.headers["X-Own"] = "1" }
        let request = Task { try await derived.get(Self.url) }
        #expect(await eventually { tokens.waiterCount == 1 })
        // Time stands still: no look at a later moment could notice it.
        (isAbove ? api : derived).invalidateAndCancel()
        let error = await #expect(throws: SternaError.self) { try await request.value }
        expectEqual(error?.kind, .cancelled)
        expectEqual(tokens.waiterCount, 0)
    }

    @Test("A wait ends at the request's deadline; the refresh goes on")
    func deadline() async throws {
        let (scene, held, time) = (TokenScene(), Gate(), TestClock())
        let tokens = try scene.tokens(held: held) { $0.clock = time.clock }
        let api = try session(scene.mock, tokens, clock: time)
        let request = Task { try await api.get(Self.url) { $0.timeouts.total = .seconds(10) } }
        #expect(await eventually { tokens.waiterCount == 1 })
        await time.waitForTimer(within: .seconds(10))
        await time.advance(by: .seconds(10))
        let error = await #expect(throws: SternaError.self) { try await request.value }
        expectEqual(error?.kind, .timedOut)
        expectEqual(error?.url, Self.url)
        held.open()
        #expect(await eventually { tokens.token?.value == "t1" })
    }

    @Test("The deadline of a task that was suspended meanwhile is not passed, however soon it comes")
    func resumed() async throws {
        let (scene, held, time) = (TokenScene(), Gate(), TestClock())
        let tokens = try scene.tokens(held: held) { $0.clock = time.clock }
        let api = try session(scene.mock, tokens, clock: time)
        let task = api.dataTask(.get(Self.url) { $0.timeouts.total = .milliseconds(700) })
        #expect(await eventually { tokens.waiterCount == 1 })
        await time.waitForTimer(within: .milliseconds(700))
        await time.advance(by: .milliseconds(500))
        task.suspend()
        // The timer at 700 ms finds the call paused; the deadline is at 1,200 ms then.
        await time.advance(by: .milliseconds(500))
        task.resume()
        await time.advance(by: .milliseconds(199))
        expectEqual(tokens.waiterCount, 1)
        await time.advance(by: .milliseconds(1))
        #expect(await eventually { tokens.waiterCount == 0 })
        held.open()
        let error = await #expect(throws: SternaError.self) { try await task.value }
        expectEqual(error?.kind, .timedOut)
    }

    @Test("A token is refreshed before it expires")
    func expiry() async throws {
        let (scene, time) = (TokenScene(), TestClock())
        scene.valid = "t0"
        let tokens = try scene.tokens(AccessToken("t0", lifetime: .seconds(600)), lifetime: .seconds(600)) {
            $0.clock = time.clock
        }
        let mock = MockTransport { _ in .json([:]) }
        let api = try session(mock, tokens, clock: time)
        try await api.get(Self.url)
        await time.advance(by: .seconds(539))
        try await api.get(Self.url)
        expectEqual(scene.refreshes, 0)
        scene.valid = "t1"
        await time.advance(by: .seconds(1))
        try await api.get(Self.url)
        expectEqual(scene.refreshes, 1)
        expectEqual(mock.authorizations, ["Bearer t0", "Bearer t0", "Bearer t1"])
    }

    @Test("The first request obtains the first token")
    func first() async throws {
        let scene = TokenScene()
        let mock = scene.mock
        try await session(mock, scene.tokens(nil)).get(Self.url)
        expectEqual(scene.expired, [nil])
        expectEqual(mock.authorizations, ["Bearer t1"])
    }

    @Test("Excessive refreshes are an error, until the window has moved on")
    func excessive() async throws {
        let (scene, time) = (TokenScene(), TestClock())
        let mock = MockTransport { _ in .init(status: 401) }
        let tokens = try scene.tokens {
            $0.clock = time.clock
            $0.mostRefreshes = 2
            $0.refreshWindow = .seconds(30)
        }
        let api = try session(mock, tokens, clock: time)
        for _ in 0..<2 {
            let error = await #expect(throws: SternaError.self) { try await api.get(Self.url) }
            expectEqual(error?.status, 401)
            expectEqual(error?.kind, .unacceptableStatus)
        }
        let error = await #expect(throws: SternaError.self) { try await api.get(Self.url) }
        expectEqual(error?.kind, .limitExceeded)
        expectEqual(error?.status, 401)
        expectEqual(error?.detail.contains("2 times"), true)
        expectEqual(scene.refreshes, 2)
        await time.advance(by: .seconds(30))
        _ = try? await api.get(Self.url)
        // One for the token that is known to be rejected, one since the new one is, too.
        expectEqual(scene.refreshes, 4)
    }

    @Test("The error of too many refreshes says how the last one ended")
    func excessiveFailures() async throws {
        let refused = SternaError(.hostNotFound, phase: .resolve, "The login server is gone.")
        let (scene, time) = (TokenScene(), TestClock())
        let tokens = try scene.tokens(nil, error: refused) {
            $0.clock = time.clock
            $0.mostRefreshes = 1
        }
        let api = try session(scene.mock, tokens, clock: time)
        _ = await #expect(throws: SternaError.self) { try await api.get(Self.url) }
        let error = await #expect(throws: SternaError.self) { try await api.get(Self.url) }
        expectEqual(error?.kind, .limitExceeded)
        expectEqual(error?.detail.contains("1 time within"), true)
        expectEqual(error?.detail.contains("The login server is gone."), true)
        expectEqual((error?.underlying as? SternaError)?.kind, .hostNotFound)
        expectEqual(scene.refreshes, 1)
    }

    @Test("Setting a token ends the waits")
    func replaced() async throws {
        let (scene, held) = (TokenScene(), Gate())
        let mock = scene.mock
        let tokens = try scene.tokens(held: held)
        let api = try session(mock, tokens)
        let request = Task { try await api.get(Self.url).status }
        #expect(await eventually { tokens.waiterCount == 1 })
        scene.valid = "own"
        tokens.token = AccessToken("own")
        try await expectEqual(request.value, 200)
        held.open()
        expectEqual(tokens.token?.value, "own")
        expectEqual(mock.authorizations, ["Bearer t0", "Bearer own"])
    }

    @Test("Requests of the refresh bypass it, also in the same session and in tasks")
    func bypass() async throws {
        let mock = MockTransport { request in
            guard request.url.path != "/login" else { return .json(["token": "t1"]) }
            return request.headers[.authorization] == "Bearer t1" ? .json([:]) : .init(status: 401)
        }
        let own = Sessions()
        let tokens = try TokenAuthentication(AccessToken("t0"), for: [TokenScene.origin]) { _ in
            guard let api = own[0] else { throw Broken() }
            try await api.get("https://api.example.com/login")
            let reply = try await api.dataTask(.get("https://api.example.com/login")).value
            return AccessToken(try await reply.json()["token"].string ?? "")
        }
        let api = try session(mock, tokens)
        own.set([api])
        try await expectEqual(api.get(Self.url).status, 200)
        expectEqual(mock.authorizations, ["Bearer t0", nil, nil, "Bearer t1"])
        own.set([])
    }

    @Test("Two authentications whose refreshes use each other's sessions do not wait for each other")
    func mutual() async throws {
        let mock = MockTransport { request in
            request.headers[.authorization] == "Bearer new" ? .json([:]) : .init(status: 401)
        }
        let sessions = Sessions()
        func make(_ origin: String, _ other: Int) throws -> TokenAuthentication {
            try TokenAuthentication(AccessToken("old"), for: [origin]) { _ in
                _ = try? await sessions[other]?.get("https://\(other == 0 ? "a" : "b").test/login")
                return AccessToken("new")
            }
        }
        let (a, b) = (try session(mock, make("https://a.test", 1)), try session(mock, make("https://b.test", 0)))
        sessions.set([a, b])
        #expect(try await a.get("https://a.test/x").status == 200)
        #expect(try await b.get("https://b.test/x").status == 200)
        sessions.set([])
    }

    /// A server that says why it rejects each token.
    private static var rejecting: MockTransport {
        MockTransport { _ in GuardedMock.refusal([#"Bearer error="invalid_token""#]) }
    }

    @Test("Requests that were not sent, since a refresh failed, fail with the 401 that made it necessary")
    func keptRejection() async throws {
        var failure = SternaError(.connectionFailed, phase: .connect, "The login server is gone.")
        failure.url = "https://login.example.com/"
        for error in [Broken(), failure] as [any Error] {
            let tokens = try TokenScene().tokens(error: error) { $0.mostRefreshes = 2 }
            let mock = Self.rejecting
            let api = try session(mock, tokens)
            for (number, path) in ["first", "second", "third"].enumerated() {
                let error = await #expect(throws: SternaError.self) {
                    try await api.get("https://api.example.com/\(path)")
                }
                expectEqual(error?.status, 401, "\(path)")
                expectEqual(error?.response?.url.path, "/first")
                expectEqual(error?.response?.challenges.first?["error"], "invalid_token")
                // That of the first may be of the refresh's own request.
                if number > 0 { expectEqual(error?.requestSent, false) }
                // The third would need one refresh more than the window admits.
                if number == 2 { expectEqual(error?.kind, .limitExceeded) }
            }
            expectEqual(mock.requests.map(\.url.path), ["/first"])
        }
    }

    @Test("Requests that waited for a failed refresh have the first request's 401 and count as not sent")
    func waitingRejection() async throws {
        let (scene, held) = (TokenScene(), Gate())
        let tokens = try scene.tokens(held: held, error: Broken())
        let api = try session(Self.rejecting, tokens)
        let first = Task { try await api.get("https://api.example.com/first") }
        #expect(await eventually { tokens.waiterCount == 1 })
        let second = Task { try await api.get("https://api.example.com/second") }
        #expect(await eventually { tokens.waiterCount == 2 })
        held.open()
        for (task, isSent) in [(first, true), (second, false)] {
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.status, 401)
            expectEqual(error?.response?.url.path, "/first")
            expectEqual(error?.requestSent, isSent)
        }
    }

    @Test("A body that can be read only once leaves its 401 to the next request, too")
    func rejectionWithoutRefresh() async throws {
        let tokens = try TokenScene().tokens(error: Broken())
        let api = try session(Self.rejecting, tokens)
        let once = Body.stream(AsyncStream<Bytes> { $0.finish() })
        _ = await #expect(throws: SternaError.self) { try await api.post("https://api.example.com/once", body: once) }
        let error = await #expect(throws: SternaError.self) { try await api.get("https://api.example.com/next") }
        expectEqual(error?.status, 401)
        expectEqual(error?.response?.url.path, "/once")
        expectEqual(error?.requestSent, false)
    }

    @Test("An error keeps the refresh's own response; a 401 is dropped with its token; an ended wait has no response")
    func otherResponses() async throws {
        let url = try HTTPURL("https://login.example.com/")
        var failure = SternaError(.unacceptableStatus, phase: .read, "The login failed.")
        failure.response = Response(status: .badRequest, url: url)
        failure.url = url.href
        let login = try session(Self.rejecting, TokenScene().tokens(error: failure))
        for _ in 0..<2 {
            let error = await #expect(throws: SternaError.self) { try await login.get(Self.url) }
            expectEqual(error?.status, 400)
        }
        let (scene, held) = (TokenScene(), Gate())
        let tokens = try scene.tokens(held: held, error: Broken())
        let api = try session(Self.rejecting, tokens)
        let first = Task { try await api.get(Self.url) }
        #expect(await eventually { tokens.waiterCount == 1 })
        let second = Task { try await api.get(Self.url) }
        #expect(await eventually { tokens.waiterCount == 2 })
        second.cancel()
        let cancelled = await #expect(throws: SternaError.self) { try await second.value }
        expectEqual(cancelled?.kind, .cancelled)
        expectEqual(cancelled?.status, 0)
        held.open()
        _ = try? await first.value
        // Without a token there was no response to one.
        tokens.token = nil
        let error = await #expect(throws: SternaError.self) { try await api.get(Self.url) }
        expectEqual(error?.status, 0)
    }

    @Test("The error of a refresh before a request says that the request was not sent")
    func notSent() async throws {
        let scene = TokenScene()
        var failure = SternaError(.unacceptableStatus, phase: .read, "The login failed.")
        failure.requestSent = true
        failure.url = "https://login.example.com/"
        let mock = scene.mock
        let tokens = try scene.tokens(nil, error: failure)
        let error = await #expect(throws: SternaError.self) { try await session(mock, tokens).get(Self.url) }
        expectEqual(error?.requestSent, false)
        #expect(error?.url == "https://login.example.com/")
        #expect(mock.requests.isEmpty)
    }
}
