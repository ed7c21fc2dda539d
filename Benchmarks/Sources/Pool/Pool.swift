import BenchKit
import NIOPosix
import Sterna

/// The connection pool over one and many event loops: `Pool KIND=URL... [--ca FILE] [--count N] [--loops 1,2,...]`.
///
/// Each row has an engine of its own. Callers are outside the event loops unless the row says otherwise.
@main
struct Pool {
    static func main() async throws {
        var kinds: [(name: String, url: HTTPURL)] = []
        var authorities: String?
        var count = 12_000
        var loops = [1, 2, 4, 16]
        var rest = CommandLine.arguments.dropFirst()
        while let word = rest.popFirst() {
            switch word {
            case "--ca": authorities = rest.popFirst()
            case "--count": count = rest.popFirst().flatMap { Int($0) } ?? count
            case "--loops": loops = (rest.popFirst() ?? "").split(separator: ",").compactMap { Int($0) }
            default:
                let parts = word.split(separator: "=", maxSplits: 1)
                if parts.count == 2 { kinds.append((String(parts[0]), try HTTPURL(String(parts[1])))) }
            }
        }
        guard !kinds.isEmpty, !loops.isEmpty else {
            return print("usage: Pool KIND=URL... [--ca FILE] [--count N] [--loops 1,2,...]")
        }
        print("kind    loops limit callers   opened  us/request  out of turn")
        for (kind, url) in kinds {
            for loops in loops {
                for limit in [1, 8, 128] {
                    for callers in [1, 64, 150] {
                        let row = Row(
                            kind: kind, url: url, authorities: authorities, loops: loops, limit: limit, callers: callers
                        )
                        print(try await row.measure(count: callers == 1 ? count / 4 : count))
                    }
                }
                let onLoops = Row(
                    kind: kind, url: url, authorities: authorities, loops: loops, limit: 8, callers: 1, isOnLoops: true)
                print(try await onLoops.measure(count: count / 4))
            }
        }
    }
}

/// One engine's load.
struct Row {
    let kind: String
    let url: HTTPURL
    let authorities: String?
    let loops: Int
    let limit: Int
    let callers: Int
    /// Whether each request is made on the next event loop.
    var isOnLoops = false

    private func session(_ engine: Engine) throws -> Session {
        try Session { settings in
            settings.network.engine = engine
            settings.responseSerializer = .data
            if let authorities { settings.trust.policy = .authority(file: authorities) }
        }
    }

    /// Makes the requests and returns the table's line.
    func measure(count: Int) async throws -> String {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: loops)
        var options = EngineOptions()
        options.maximumConnectionsPerOrigin = limit
        let engine = Engine(options: options, group: group)
        let session = try session(engine)
        let (url, isOnLoops) = (url, isOnLoops)
        let load = Load { _ in
            guard isOnLoops else { return try await session.get(url).body.count }
            return try await session.onEventLoop { try await session.get(url).body.count }
        }
        let outcome = await load.run(count: max(count, callers), concurrency: callers)
        let opened = await engine.statistics().dials
        // Streams of one HTTP/2 connection are answered in the server's order.
        let turns = callers > limit && kind != "http2" ? try await outOfTurn(session, engine) : nil
        await engine.shutDown(within: .seconds(1))
        try await group.shutdownGracefully()
        if let error = outcome.firstError { return "failed: \(outcome.errors) errors, \(error)" }
        let figures: [(String, Int)] = [
            (isOnLoops ? kind + " on" : kind, 8), (String(loops), 5), (String(limit), 6), (String(callers), 8),
            (String(opened), 9), (Self.tenths(outcome.cpu * 1e6 / Double(outcome.requests)), 12),
            (turns.map(String.init) ?? "-", 13),
        ]
        return figures.enumerated().map { index, figure in
            let blanks = String(repeating: " ", count: max(0, figure.1 - figure.0.count))
            return index == 0 ? figure.0 + blanks : blanks + figure.0
        }.joined()
    }

    /// How many requests of a queue were answered after one that was queued later and not of higher priority, beyond what the
    /// connections that work at once explain.
    private func outOfTurn(_ session: Session, _ engine: Engine) async throws -> Int {
        let ends = Ends()
        try await withThrowingTaskGroup { group in
            for number in 0..<callers {
                let url = url
                let isHigh = number % 4 == 3
                group.addTask {
                    _ = try await session.get(url) { $0.priority = isHigh ? .high : .normal }
                    await ends.add(number, isHigh)
                }
                // The next one is made when this one has its place.
                while await engine.statistics().activeRequests + ends.count <= number { await Task.yield() }
            }
            try await group.waitForAll()
        }
        return await ends.outOfTurn(of: limit)
    }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

/// The order in which requests were answered.
actor Ends {
    private var all: [(number: Int, isHigh: Bool)] = []
    var count: Int { all.count }

    func add(_ number: Int, _ isHigh: Bool) { all.append((number, isHigh)) }

    func outOfTurn(of limit: Int) -> Int {
        all.indices.count { place in
            let later = all[..<place].count { $0.number > all[place].number && (!$0.isHigh || all[place].isHigh) }
            // As many are answered at once as there are connections, in any order.
            return later > 2 * limit
        }
    }
}
