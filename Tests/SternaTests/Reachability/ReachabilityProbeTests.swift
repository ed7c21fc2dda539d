import SternaCore
import SternaPlatform
import SternaTesting
import SternaTransport
import Synchronization
import Testing

@testable import Sterna

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

    @Test("A captive portal is asked again until somebody has signed in, though the network stays the same")
    func portal() async throws {
        try await TestServer.withServer { server async throws in
            let isSignedIn = Mutex(false)
            server.route("GET", "/probe") { _ in
                isSignedIn.withLock { $0 } ? ServerResponse(status: 204) : .redirect(to: "/login")
            }
            let reachability = reachability(ReachabilityProbe(server.url("/probe")))
            var updates = reachability.updates.makeAsyncIterator()
            #expect(await updates.next()?.confirmation == .captivePortal)
            for (number, pause) in [5, 10, 20].enumerated() {
                await time.waitForTimer(within: .seconds(pause))
                await time.advance(by: .seconds(pause))
                try await server.waitForRequests(number + 2, within: 60)
            }
            // Its answer has come when the next pause begins.
            await time.waitForTimer(within: .seconds(40))
            isSignedIn.withLock { $0 = true }
            await time.advance(by: .seconds(40))
            let path = await updates.next()
            #expect(path?.isReachable == true && path?.confirmation == .confirmed)
            let count = server.requests().count
            #expect(count == 5)
        }
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
            #expect(await first.value.confirmation == .confirmed)
            #expect(await updates.next()?.confirmation == .confirmed)
            #expect(isAsked.withLock { $0 } == 1)
        }
    }
}
