import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Redirects that come while an engine is being shut down: they belong to requests that had begun.
@Suite("Engine: shutdown and redirects", .timeLimit(.minutes(5)))
struct ShutdownRedirectTests {
    /// What keeps a server's answers back, and the names of those that were asked for.
    private struct Gates: Sendable {
        let first = Gate()
        let second = Gate()
        let order = PoolOrder()
    }

    /// A server that leads from `/away` elsewhere at the first gate, and answers `/held/{n}` at the second one.
    ///
    /// The engine has one event loop, so that one request that it refuses says that all of it is being shut down.
    private func withEngine(
        isHTTP2: Bool, to target: String = "/held/on", _ work: (Session, Engine, Gates) async throws -> Void
    ) async throws {
        let gates = Gates()
        try await TestServer.withServer(.init(http2: isHTTP2 ? .byPriorKnowledge : [])) { server in
            server.hold(gates.second, nil, gates.order)
            server.route("GET", "/away") { _ in
                gates.order.add("away")
                await gates.first.pass()
                return .redirect(to: target)
            }
            try await PoolSupport.withLoops(1) { group in
                let engine = PoolSupport.engine(group: group)
                let api = try PoolSupport.session(server.url, engine) {
                    $0.network.proxies = .none
                    if isHTTP2 { $0.network.http2 = .priorKnowledge }
                }
                try await work(api, engine, gates)
            }
        }
    }

    /// Shuts an engine down as patiently as can be; returns when it takes no more requests. `ended` counts the end.
    private func shutDown(_ engine: Engine, _ api: Session, _ ended: Counter) async -> Task<Void, Never> {
        let shutdown = Task {
            await engine.shutDown(within: PoolSupport.ages)
            ended.add()
        }
        while (try? await api.get("1k")) != nil {}
        return shutdown
    }

    private func expectRefused(_ api: Session, location: SourceLocation = #_sourceLocation) async {
        let error = await #expect(throws: SternaError.self, sourceLocation: location) { try await api.get("1k") }
        expectEqual(error?.kind, .shutDown, sourceLocation: location)
        expectEqual(error?.requestSent, false, sourceLocation: location)
    }

    @Test("Redirects are followed, and the shutdown waits for their end; new requests fail", arguments: [false, true])
    func followed(isHTTP2: Bool) async throws {
        try await withEngine(isHTTP2: isHTTP2) { api, engine, gates in
            let request = Task { try await api.get("away").text() }
            let hasBegun = await eventually { gates.order.names == ["away"] }
            #expect(hasBegun)
            let ended = Counter()
            let shutdown = await shutDown(engine, api, ended)
            gates.first.open()
            let isFollowed = await eventually { gates.order.names == ["away", "on"] }
            #expect(isFollowed)
            expectEqual(ended.value, 0)
            await expectRefused(api)
            gates.second.open()
            let text = try await request.value
            expectEqual(text, "on")
            await shutdown.value
            let statistics = await engine.statistics()
            expectEqual(statistics.openConnections, 0)
            await expectRefused(api)
        }
    }

    @Test("Any number of redirects is followed", arguments: [false, true])
    func several(isHTTP2: Bool) async throws {
        try await withEngine(isHTTP2: isHTTP2, to: "/redirect/3") { api, engine, gates in
            let request = Task { try await api.get("away").response.redirects.count }
            let hasBegun = await eventually { gates.order.names == ["away"] }
            #expect(hasBegun)
            let shutdown = await shutDown(engine, api, Counter())
            gates.first.open()
            let count = try await request.value
            expectEqual(count, 4)
            await shutdown.value
            await expectRefused(api)
        }
    }

    @Test("The end of the grace period ends redirects, too", arguments: [false, true])
    func graceIsOver(isHTTP2: Bool) async throws {
        try await withEngine(isHTTP2: isHTTP2) { api, engine, gates in
            let request = Task { try await api.get("away").status }
            let hasBegun = await eventually { gates.order.names == ["away"] }
            #expect(hasBegun)
            let shutdown = await shutDown(engine, api, Counter())
            gates.first.open()
            let isFollowed = await eventually { gates.order.names == ["away", "on"] }
            #expect(isFollowed)
            await engine.shutDown(within: .zero)
            await shutdown.value
            let error = await #expect(throws: SternaError.self) { try await request.value }
            expectEqual(error?.kind, .shutDown)
            gates.second.open()
        }
    }

    @Test("A retained response does not delay the shutdown", arguments: [false, true])
    func kept(isHTTP2: Bool) async throws {
        try await withEngine(isHTTP2: isHTTP2) { api, engine, gates in
            let request = Task { try await api.get("held/on") }
            let hasBegun = await eventually { gates.order.names == ["on"] }
            #expect(hasBegun)
            let ended = Counter()
            let shutdown = await shutDown(engine, api, ended)
            gates.second.open()
            let reply = try await request.value
            expectEqual(reply.status, 200)
            let hasEnded = await eventually { ended.value == 1 }
            #expect(hasEnded)
            withExtendedLifetime(reply) {}
            await engine.shutDown(within: .zero)
            await shutdown.value
        }
    }
}
