import NIOCore
import NIOPosix
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// Helpers for the tests of the pool over real sockets.
enum PoolSupport {
    /// Longer than any test, so that only the tested behaviour ends a wait.
    static let ages: Duration = .seconds(3_600)

    /// The longest wait for an expected event, in seconds.
    static let limit = 60.0

    static func engine(group: (any EventLoopGroup)? = nil, _ change: (inout EngineOptions) -> Void = { _ in }) -> Engine
    {
        var options = Wire.options
        change(&options)
        guard let group else { return Engine(options: options) }
        return Engine(options: options, group: group)
    }

    /// Runs work with event loops of its own.
    static func withLoops<R>(_ count: Int = 1, _ work: (MultiThreadedEventLoopGroup) async throws -> R) async throws
        -> R
    {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: count)
        let result: Result<R, any Error>
        do {
            result = .success(try await work(group))
        } catch {
            result = .failure(error)
        }
        try await group.shutdownGracefully()
        return try result.get()
    }

    /// A session whose requests have no time limit.
    static func session(
        _ base: String, _ engine: Engine, authority: CertificateAuthority? = nil,
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Wire.session(base, engine: engine, authority: authority) {
            $0.timeout = ages
            $0.responseSerializer = .data
            configure(&$0)
        }
    }

    /// Waits until an engine's statistics meet a condition; records an issue with them otherwise.
    static func expect(
        _ engine: Engine, _ what: Comment, location: SourceLocation = #_sourceLocation,
        _ isMet: (EngineStatistics) -> Bool
    ) async {
        let isMet = await eventually(within: .seconds(60)) { isMet(await engine.statistics()) }
        guard !isMet else { return }
        Issue.record("\(what): \(await engine.statistics())", sourceLocation: location)
    }

    /// Waits until no connection is open and no request or dial is under way.
    static func expectNothing(_ engine: Engine, location: SourceLocation = #_sourceLocation) async {
        await expect(engine, "nothing is open or under way", location: location) { statistics in
            engine.closeIdleConnections()
            return statistics.origins.isEmpty && statistics.activeRequests == 0 && statistics.openConnections == 0
        }
    }

    /// Begins requests one after the other, each when the previous one waits.
    static func queue<R: Sendable>(
        _ count: Int, _ engine: Engine, location: SourceLocation = #_sourceLocation,
        _ work: @escaping @Sendable (Int) async throws -> R
    ) async -> [Task<R, any Error>] {
        let before = await engine.statistics().waiting
        var tasks: [Task<R, any Error>] = []
        for number in 0..<count {
            tasks.append(Task { try await work(number) })
            await expect(engine, "request \(number) waits", location: location) { $0.waiting == before + number + 1 }
        }
        return tasks
    }
}

/// Names in the order in which they were added.
final class PoolOrder: Sendable {
    private let list = Mutex<[String]>([])

    var names: [String] { list.withLock { $0 } }

    func add(_ name: String) { list.withLock { $0.append(name) } }
}

extension TestServer {
    /// Responds to `/held/{n}` with the number when a gate is opened.
    func hold(_ gate: Gate, _ crowd: Crowd? = nil, _ order: PoolOrder? = nil) {
        route("GET", "/held/{n}") { request in
            let name = request.parameters["n"] ?? ""
            order?.add(name)
            if let crowd { await crowd.with { await gate.pass() } } else { await gate.pass() }
            return .text(name)
        }
    }
}
