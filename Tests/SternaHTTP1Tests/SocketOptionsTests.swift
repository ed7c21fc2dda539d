import NIOCore
import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTransport
@testable import SternaWireTestSupport

/// What the system is told of the sockets of connections.
@Suite("Options of sockets", .timeLimit(.minutes(5)))
struct SocketOptionsTests {
    /// Whether an idle connection is probed, and whether small pieces leave at once, as the system says.
    private func options(_ change: (inout EngineOptions) -> Void) async throws -> (keepsAlive: Bool, noDelay: Bool) {
        try await TestServer.withServer { server in
            try await PoolSupport.withLoops(1) { group in
                let engine = PoolSupport.engine(group: group, change)
                try await PoolSupport.session(server.url, engine).get("1k")
                let shard = engine.shards[0]
                return try await shard.loop.submit {
                    let idle = shard.idlePools.flatMap(\.idle)
                    let channel = try #require(idle.first?.channel?.syncOptions)
                    let keepsAlive = try channel.getOption(.socketOption(.so_keepalive))
                    let noDelay = try channel.getOption(.tcpOption(.tcp_nodelay))
                    return (keepsAlive != 0, noDelay != 0)
                }.get()
            }
        }
    }

    @Test("Keep-alive and no-delay are on by default")
    func defaults() async throws {
        let set = try await options { _ in }
        #expect(set.keepsAlive)
        #expect(set.noDelay)
    }

    @Test("Each can be switched off")
    func off() async throws {
        let silent = try await options { $0.keepsAlive = false }
        #expect(!silent.keepsAlive && silent.noDelay)
        let gathering = try await options { $0.noDelay = false }
        #expect(gathering.keepsAlive && !gathering.noDelay)
    }
}
