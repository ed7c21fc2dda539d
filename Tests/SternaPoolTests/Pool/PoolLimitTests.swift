import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// No more connections than allowed, and all are served nevertheless.
@Suite("Pool: limits", .timeLimit(.minutes(5)))
struct PoolLimitTests {
    private func count(_ server: TestServer, _ crowd: Crowd) {
        server.route("GET", "/count/{n}") { request in
            await crowd.with { await Task.yield() }
            return .text(request.parameters["n"] ?? "")
        }
    }

    /// Sends requests at once to sessions in turn; each must be served with its own answer.
    private func ask(_ sessions: [Session], _ count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                let api = sessions[number % sessions.count]
                group.addTask {
                    let text = try await api.get("count/\(number)").text()
                    expectEqual(text, "\(number)")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("200 at once to one origin, on one event loop and on four", arguments: [1, 3, 8], [1, 4])
    func perOrigin(maximum: Int, loops: Int) async throws {
        try await TestServer.withServer { server in
            try await PoolSupport.withLoops(loops) { group in
                let crowd = Crowd()
                count(server, crowd)
                let engine = PoolSupport.engine(group: group) { $0.maximumConnectionsPerOrigin = maximum }
                try await ask([try PoolSupport.session(server.url, engine)], 200)
                expectEqual(crowd.all, 200)
                #expect(crowd.most <= maximum)
                // On one event loop no connection is ever closed for another.
                if loops == 1 { #expect(server.totalConnections <= maximum) }
                let statistics = await engine.statistics()
                expectEqual(statistics.requests, 200)
                expectEqual(statistics.waiting, 0)
                #expect(statistics.openConnections <= maximum)
                await PoolSupport.expectNothing(engine)
            }
        }
    }

    @Test("200 at once over TLS")
    func secure() async throws {
        let authority = try CertificateAuthority()
        let options = TestServer.Options(tls: try authority.issue(hosts: ["localhost"]))
        try await TestServer.withServer(options) { server in
            let crowd = Crowd()
            count(server, crowd)
            let engine = PoolSupport.engine { $0.maximumConnectionsPerOrigin = 4 }
            try await ask([try PoolSupport.session(server.url, engine, authority: authority)], 200)
            expectEqual(crowd.all, 200)
            #expect(crowd.most <= 4)
        }
    }

    @Test("200 at once to three origins under one limit for all", arguments: [1, 2, 5], [1, 2])
    func inAll(maximum: Int, loops: Int) async throws {
        try await TestServer.withServer { first in
            try await TestServer.withServer { second in
                try await TestServer.withServer { third in
                    try await PoolSupport.withLoops(loops) { group in
                        let crowd = Crowd()
                        let engine = PoolSupport.engine(group: group) { $0.maximumConnections = maximum }
                        var sessions: [Session] = []
                        for server in [first, second, third] {
                            count(server, crowd)
                            sessions.append(try PoolSupport.session(server.url, engine))
                        }
                        try await ask(sessions, 200)
                        expectEqual(crowd.all, 200)
                        #expect(crowd.most <= maximum)
                        #expect(await engine.statistics().openConnections <= maximum)
                        await PoolSupport.expectNothing(engine)
                    }
                }
            }
        }
    }

    @Test("The lower limit applies, that of all connections or that of an origin")
    func lesser() async throws {
        try await TestServer.withServer { server in
            for (perOrigin, all) in [(1, 9), (9, 1), (0, 9), (9, 0), (-5, -5)] {
                let crowd = Crowd()
                count(server, crowd)
                let engine = PoolSupport.engine {
                    $0.maximumConnectionsPerOrigin = perOrigin
                    $0.maximumConnections = all
                }
                try await ask([try PoolSupport.session(server.url, engine)], 20)
                expectEqual(crowd.most, 1, "\(perOrigin) of \(all)")
                await PoolSupport.expectNothing(engine)
            }
        }
    }
}
