import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import SternaReachability
import SternaTesting
import SternaTransport
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Waiting for the network", .timeLimit(.minutes(5)))
struct ConnectivityTests {
    private let time = TestClock()
    private let network = TestNetwork()

    private static let lost = SternaError(.connectionFailed, phase: .connect, "There is no route to the host.")

    /// Makes a session on a mock that fails while the network is away.
    private func make(
        _ configure: (inout SessionSettings) -> Void = { _ in },
        _ answer: @escaping @Sendable (Request) async throws -> Void = { _ in }
    ) throws -> (api: Session, mock: MockTransport) {
        try mocked(
            by: MockTransport { request in
                try await answer(request)
                return .json([:])
            }
        ) {
            var options = EngineOptions()
            options.clock = time.clock
            $0.network.engine = Engine(options: options)
            $0.timeouts.total = .seconds(60)
            $0.retry = .none
            $0.network.waitsForConnectivity = true
            $0.network.reachability = network.reachability()
            configure(&$0)
        }
    }

    /// Sends a request; after its response the session knows the network.
    private func know(_ api: Session) async throws {
        try await api.get("first")
        #expect(await eventually { network.isWatched })
        let gate = try #require(api.plan.builder.connectivity)
        _ = await gate.answer()
    }

    @Test("Without the setting a session watches no network")
    func off() async throws {
        let (api, _) = try make { $0.network.waitsForConnectivity = false }
        network.lose()
        try await api.get("a")
        let error = await #expect(throws: SternaError.self) {
            try await api.get("a") { $0.network.waitsForConnectivity = true }  // the session has no watch
        }
        expectEqual(error?.kind, .invalidRequest)
        #expect(!network.isWatched && api.plan.builder.connectivity == nil)
    }

    @Test("A session watches the network from its first request to its release")
    func watched() async throws {
        do {
            let (api, _) = try make()
            #expect(!network.isWatched)
            try await api.get("a")
            #expect(await eventually { network.isWatched })
        }
        #expect(await eventually { !network.isWatched })
    }

    @Test("A request waits while the network is away, and is sent when it returns")
    func held() async throws {
        let (api, mock) = try make()
        try await know(api)
        network.lose()
        #expect(await eventually { api.plan.builder.connectivity?.path.status == .notReachable })
        let work = Task { try await api.get("a") }
        await time.waitForTimer(within: .seconds(60))
        expectEqual(mock.requests.count, 1)
        network.connect(by: .wifi)
        _ = try await work.value
        #expect(mock.requests.count == 2 && time.timerCount == 0)
    }

    @Test("The deadline ends the wait with timedOut, a cancellation with cancelled")
    func ends() async throws {
        let (api, mock) = try make()
        try await know(api)
        network.lose()
        #expect(await eventually { api.plan.builder.connectivity?.path.status == .notReachable })
        let late = Task { try await api.get("a") { $0.deadline = time.deadline + .seconds(5) } }
        await time.waitForTimer(within: .seconds(5))
        await time.advance(by: .seconds(5))
        let error = await #expect(throws: SternaError.self) { try await late.value }
        #expect(error?.kind == .timedOut && error?.phase == .wait && error?.requestSent == false)
        let work = Task { try await api.get("a") }
        await time.waitForTimer(within: .seconds(60))
        work.cancel()
        await expectEqual(#expect(throws: SternaError.self) { try await work.value }?.kind, .cancelled)
        expectEqual(mock.requests.count, 1)
    }

    @Test("A POST, a request without the setting, and one to this machine do not wait")
    func passed() async throws {
        let (api, mock) = try make()
        try await know(api)
        network.lose()
        #expect(await eventually { api.plan.builder.connectivity?.path.status == .notReachable })
        try await api.post("a", parameters: ["b": 1])
        try await api.get("a") { $0.network.waitsForConnectivity = false }
        let local = api.with { $0.network.allowsOtherOrigins = true }
        for url in ["http://127.0.0.1/", "http://localhost/", "http://[::1]/", "http://a.localhost/"] {
            try await local.get(url)
        }
        expectEqual(mock.requests.count, 7)
    }

    @Test("A request that the loss of the network fails waits and is sent again; other failures are the caller's")
    func failed() async throws {
        let isAway = Mutex(false)
        let (api, mock) = try make({ _ in }) { request in
            guard isAway.withLock({ $0 }) else { return }
            throw request.url.path == "/v1/refused" ? SternaError(.tlsFailed, phase: .tls, "No.") : Self.lost
        }
        isAway.withLock { $0 = true }
        // While the network is there, nothing waits.
        await expectEqual(#expect(throws: SternaError.self) { try await api.get("a") }?.kind, .connectionFailed)
        network.lose()
        #expect(await eventually { api.plan.builder.connectivity?.path.status == .notReachable })
        let fresh = api.with { $0.headers["X-Fresh"] = "1" }
        let work = Task { try await fresh.get("a") }
        await time.waitForTimer(within: .seconds(60))
        // The derived session may know of the loss before it has sent anything.
        #expect((1...2).contains(mock.requests.count))
        isAway.withLock { $0 = false }
        network.connect()
        _ = try await work.value
        expectEqual(time.timerCount, 0)
        isAway.withLock { $0 = true }
        await expectEqual(#expect(throws: SternaError.self) { try await api.get("refused") }?.kind, .tlsFailed)
    }

    @Test("After an error without a route, a request waits for the message of the loss")
    func early() async throws {
        let isAway = Mutex(true)
        let (api, mock) = try make({ _ in }) { request in
            guard request.url.path == "/v1/a", isAway.withLock({ $0 }) else { return }
            var error = Self.lost
            error.underlying = IOError(errnoCode: ENETUNREACH, reason: "connect")
            throw error
        }
        try await know(api)
        let work = Task { try await api.get("a") }
        await time.waitForTimer(within: .milliseconds(100))
        network.lose()
        #expect(
            await eventually { time.timerCount == 1 && api.plan.builder.connectivity?.path.status == .notReachable })
        isAway.withLock { $0 = false }
        network.connect()
        _ = try await work.value
        expectEqual(mock.requests.count, 3)
    }

    @Test("A host that refuses the connection was reached")
    func refused() async throws {
        let watch = Mutex<ConnectivityGate?>(nil)
        let (api, mock) = try make({ _ in }) { request in
            guard request.url.path == "/v1/a" else { return }
            // The session knows of the loss when the request fails, but not before it is sent.
            network.lose()
            let gate = watch.withLock { $0 }
            #expect(await eventually { gate?.path.status == .notReachable })
            var error = Self.lost
            error.underlying = IOError(errnoCode: ECONNREFUSED, reason: "connect")
            throw error
        }
        try await know(api)
        watch.withLock { $0 = api.plan.builder.connectivity }
        await expectEqual(#expect(throws: SternaError.self) { try await api.get("a") }?.kind, .connectionFailed)
        expectEqual(mock.requests.count, 2)
    }

    @Test("The pause before a retry ends when the network returns")
    func retry() async throws {
        let count = Mutex(0)
        let (api, mock) = try make({
            $0.retry = .transient
            $0.retry.backoff = .constant(.seconds(30))
        }) { request in
            guard request.url.path == "/v1/a" else { return }
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            guard isFirst else { return }
            network.lose()
            throw Self.lost
        }
        try await know(api)
        let work = Task { try await api.get("a") { $0.network.waitsForConnectivity = false } }
        await time.waitForTimer(within: .seconds(30))
        expectEqual(mock.requests.count, 2)
        // A loss that is over before it was seen wakes nothing.
        #expect(await eventually { api.plan.builder.connectivity?.path.status == .notReachable })
        network.connect()
        _ = try await work.value
        expectEqual(mock.requests.count, 3)
    }

    @Test("Idle connections are closed when the path is lost, or moves to another interface", arguments: [false, true])
    func idle(moves: Bool) async throws {
        try await TestServer.withServer { server async throws in
            let engine = Engine()
            let api = try Session(baseURL: server.url) {
                $0.network.engine = engine
                $0.network.waitsForConnectivity = true
                $0.network.reachability = network.reachability()
            }
            try await api.get("get")
            let gate = try #require(api.plan.builder.connectivity)
            _ = await gate.answer()
            try await api.get("get")
            expectEqual(server.totalConnections, 1)
            if moves { network.connect(by: .wifi, named: "test1") } else { network.lose() }
            #expect(await eventually { moves ? gate.path.interface == "test1" : gate.path.status == .notReachable })
            try await Self.closed(server)
            try await api.get("get")
            expectEqual(server.totalConnections, 2)
        }
    }

    private static func closed(_ server: TestServer) async throws {
        #expect(await eventually { server.openConnections == 0 })
    }
}
