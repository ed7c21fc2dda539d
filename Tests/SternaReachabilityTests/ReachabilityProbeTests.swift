import HTTPTypes
import SternaCore
import SternaPlatform
import SternaSigning
import SternaTesting
import SternaTransport
import Synchronization
import Testing

@testable import Sterna
@testable import SternaReachability
@testable import SternaTestSupport

@Suite("Reachability: probes that are repeated", .timeLimit(.minutes(5)))
struct ReachabilityProbeTests {
    private let time = TestClock()
    private let network = TestNetwork()

    private func reachability(_ probe: ReachabilityProbe) -> NetworkReachability {
        var options = ReachabilityOptions()
        options.settlingTime = .zero
        options.probe = probe
        options.probe?.timeLimit = .seconds(60)
        return network.reachability(options: options, clock: time)
    }

    @Test("A captive portal is probed again until the user has signed in, though the network stays the same")
    func portal() async throws {
        try await TestServer.withServer { server async throws in
            let isSignedIn = Mutex(false)
            server.route("GET", "/probe") { _ in
                isSignedIn.withLock { $0 } ? ServerResponse(status: 204) : .redirect(to: "/login")
            }
            let reachability = reachability(ReachabilityProbe(server.url("/probe")))
            var updates = reachability.updates.makeAsyncIterator()
            await expectEqual(updates.next()?.confirmation, .captivePortal)
            // Twice as long each time, up to a minute.
            for (number, pause) in [5, 10, 20, 40, 60].enumerated() {
                await time.waitForTimer(within: .seconds(pause))
                await time.advance(by: .seconds(pause))
                try await server.waitForRequests(number + 2, within: 60)
            }
            // Its response has arrived when the next pause begins.
            await time.waitForTimer(within: .seconds(60))
            isSignedIn.withLock { $0 = true }
            await time.advance(by: .seconds(60))
            let path = await updates.next()
            #expect(path?.isReachable == true && path?.confirmation == .confirmed)
            let count = server.requests().count
            expectEqual(count, 7)
        }
    }

    @Test("A captive portal gets none of the session's fields, credentials, cookies and signatures")
    func secrets() async throws {
        try await TestServer.withServer { server async throws in
            let challenges = Mutex(0)
            server.route("GET", "/probe") { _ in
                ServerResponse(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"portal\""])
            }
            let credentials = AWSCredentials(accessKey: "key", secretKey: "secret")
            let jar = CookieJar()
            try jar.set(Cookie(name: "user", value: "ada", domain: "127.0.0.1"))
            var probe = ReachabilityProbe(server.url("/probe"))
            probe.session = try Session {
                $0.headers["X-API-Key"] = "secret"
                $0.auth.header = .bearer("secret")
                $0.auth.credential = Credential(user: "ada", password: "secret")
                $0.auth.challengeHandler = { _ in
                    challenges.withLock { $0 += 1 }
                    return .use(Credential(user: "ada", password: "secret"))
                }
                $0.auth.awsSigning = AWSSigning(region: "r", service: "s", credentials: credentials)
                $0.adapters = [KeyAdding()]
                $0.interceptors = [KeyAdding()]
                $0.networkInterceptors = [KeyAdding()]
                $0.cookies.jar = jar
            }
            await expectEqual(probe.run(), .captivePortal)
            let requests = server.requests()
            #expect(requests.count == 1 && challenges.withLock { $0 } == 0)
            for request in requests {
                for name in ["x-api-key", "authorization", "cookie", "x-amz-date", "referer"] {
                    expectNil(request.headers[name], "\(name)")
                }
            }
        }
    }

    @Test(
        "The failure of a probe decides the confirmation of the path",
        arguments: [
            (.certificateRejected, nil, .captivePortal), (.malformedResponse, nil, .captivePortal),
            (.tooManyRedirects, 302, .captivePortal), (.unacceptableStatus, 511, .captivePortal),
            (.unacceptableStatus, 204, .confirmed), (.timedOut, nil, .failed), (.hostNotFound, nil, .failed),
            (.tlsFailed, nil, .failed), (.connectionFailed, nil, .failed), (.cancelled, nil, .failed),
        ] as [(SternaError.Kind, Int?, NetworkPath.Confirmation)])
    func judged(kind: SternaError.Kind, status: Int?, expected: NetworkPath.Confirmation) throws {
        var error = SternaError(kind, phase: .read, "It failed.")
        error.response = try status.map { Response(status: .init(code: $0), url: try HTTPURL("http://a.example/")) }
        expectEqual(ReachabilityProbe.judge(error, expected: 204), expected)
    }

    @Test("Changes of other links do not end a probe")
    func otherLinks() async throws {
        try await TestServer.withServer { server async throws in
            let isAsked = Mutex(0)
            let (asked, open) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
            server.route("GET", "/probe") { _ in
                isAsked.withLock { $0 += 1 }
                asked.continuation.yield()
                for await _ in open.stream { break }
                return ServerResponse(status: 204)
            }
            let reachability = reachability(ReachabilityProbe(server.url("/probe")))
            var updates = reachability.updates.makeAsyncIterator()
            let first = Task { await reachability.current() }
            for await _ in asked.stream { break }
            // The same path in a new table.
            for _ in 0..<20 { network.connect() }
            open.continuation.yield()
            await expectEqual(first.value.confirmation, .confirmed)
            await expectEqual(updates.next()?.confirmation, .confirmed)
            expectEqual(isAsked.withLock { $0 }, 1)
        }
    }
}

private struct KeyAdding: Interceptor, RequestAdapter {
    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        var request = request
        request.headers[.referer] = "secret"
        return try await next(request)
    }

    func adapt(_ request: Request, _ progress: RetryProgress) async throws -> Request {
        var request = request
        request.headers[.referer] = "secret"
        return request
    }
}
