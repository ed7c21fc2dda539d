import NIOCore
import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// Many WebSockets at once, half of which are cancelled at moments that follow from a seed.
@Suite("WebSocket: many sockets with random cancellation", .timeLimit(.minutes(20)))
struct WebSocketScheduleTests {
    /// The step of a socket at which it is cancelled.
    enum Step: Sendable, Hashable {
        case opening
        case sending(Int)
        case receiving(Int)
        case closing
    }

    struct Plan: Sendable {
        var messages: [WebSocket.Message] = []
        var compresses = true
        /// Nil for a socket that is not cancelled.
        var stop: Step?
        /// How often the task that cancels yields after the step has begun.
        var delay = 0
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let loops: Int
        let http2: HTTP2Mode
        /// The most connections of the pool.
        let connections: Int

        var testDescription: String {
            "\(loops) loops, \(http2 == .off ? "HTTP/1, \(connections) connections" : "HTTP/2")"
        }
    }

    private static let socketCount = 64

    static let rows: [Row] = [1, 2, 16].flatMap { loops in
        // With few connections, handshakes wait for permits, too.
        [
            Row(loops: loops, http2: .off, connections: 128), Row(loops: loops, http2: .off, connections: 20),
            Row(loops: loops, http2: .priorKnowledge, connections: 128),
        ]
    }

    @Test("64 sockets: none stuck, none lost, and the pool's permits return to zero", arguments: rows)
    func all(_ row: Row) async throws {
        let seed = LongTests.seed
        var random = SeededRandom(seed: seed &+ UInt64(row.loops))
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server in
            try await PoolSupport.withLoops(row.loops) { group in
                let engine = PoolSupport.engine(group: group) { $0.maximumConnectionsPerOrigin = row.connections }
                let api = try PoolSupport.session(server.url, engine) {
                    $0.network.http2 = row.http2
                    // A busy machine is no fault of the sockets.
                    $0.timeouts.write = PoolSupport.ages
                }
                for round in 0..<LongTests.choose(1, inFull: 25) {
                    let plans = (0..<Self.socketCount).map { Self.plan($0, &random) }
                    await Self.run(plans, api, "round \(round), seed \(seed)")
                }
                await PoolSupport.expectNothing(engine)
                #expect(!engine.permits.areInUse, "seed \(seed)")
                await engine.shutDown()
                let areClosed = await eventually { server.openConnections == 0 && server.openStreams == 0 }
                #expect(areClosed, "\(server.openConnections) connections are open at the server, seed \(seed)")
            }
        }
    }

    private static func plan(_ index: Int, _ random: inout SeededRandom) -> Plan {
        let count = LongTests.choose(10, inFull: 100)
        var plan = Plan()
        for number in 0..<count { plan.messages.append(message(number, &random)) }
        plan.compresses = Bool.random(using: &random)
        let step = Int.random(in: 0..<count, using: &random)
        // Each step has its share of every round.
        plan.stop =
            switch index % 8 {
            case 0: .opening
            case 1: .sending(step)
            case 2: .receiving(step)
            case 3: .closing
            default: nil
            }
        plan.delay = Int.random(in: 0..<1 << Int.random(in: 0..<9, using: &random), using: &random)
        return plan
    }

    private static func message(_ number: Int, _ random: inout SeededRandom) -> WebSocket.Message {
        let size = Int.random(in: 0..<(random.once(in: 5) ? 20_000 : 200), using: &random)
        if Bool.random(using: &random) { return .text("\(number) " + String(repeating: "é", count: size)) }
        return .binary(Bytes(copying: noise(size, seed: random.next())))
    }

    // MARK: One round

    /// The end of a socket's task.
    private enum Outcome: Sendable {
        case complete, cancelled
        case wrong(String)
    }

    /// Runs all sockets to their ends, and checks these.
    private static func run(_ plans: [Plan], _ api: Session, _ place: String) async {
        let ended = Counter()
        let tasks = plans.map { plan in
            let moment = Gate()
            let work = Task {
                defer {
                    // A socket that ends before its step.
                    moment.open()
                    ended.add()
                }
                return await outcome(of: plan, moment, api)
            }
            if plan.stop != nil {
                Task {
                    await moment.wait()
                    for _ in 0..<plan.delay { await Task.yield() }
                    work.cancel()
                }
            }
            return work
        }
        let isOver = await eventually { ended.value == plans.count }
        #expect(isOver, "\(plans.count - ended.value) sockets are stuck, \(place)")
        if !isOver { for task in tasks { task.cancel() } }
        for (index, task) in tasks.enumerated() {
            switch await task.value {
            case .complete: break
            case .cancelled where plans[index].stop != nil: break
            case let outcome:
                Issue.record(
                    "socket \(index), stopped at \(plans[index].stop.map { "\($0)" } ?? "none"): \(outcome), \(place)")
            }
        }
    }

    private static func outcome(of plan: Plan, _ moment: Gate, _ api: Session) async -> Outcome {
        do {
            try await exchange(plan, moment, api)
            return .complete
        } catch let error as SternaError where error.kind == .cancelled {
            return .cancelled
        } catch {
            return .wrong("\(error)")
        }
    }

    private struct WrongMessage: Error {
        let number: Int
        let count: Int?
    }

    /// Opens a socket, sends all messages while it receives their echoes, and closes it.
    private static func exchange(_ plan: Plan, _ moment: Gate, _ api: Session) async throws {
        let reach: @Sendable (Step) -> Void = { if $0 == plan.stop { moment.open() } }
        reach(.opening)
        let socket = try await api.webSocket("ws/echo") {
            $0.compresses = plan.compresses
            $0.pingInterval = nil
            $0.closeTimeout = PoolSupport.ages
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for (number, message) in plan.messages.enumerated() {
                    reach(.sending(number))
                    try await socket.send(message)
                }
            }
            var messages = socket.makeAsyncIterator()
            for (number, message) in plan.messages.enumerated() {
                reach(.receiving(number))
                let echo = try await messages.next(isolation: nil)
                guard echo == message else { throw WrongMessage(number: number, count: size(echo)) }
            }
            try await group.waitForAll()
        }
        reach(.closing)
        try await socket.close()
        guard socket.closure == WebSocket.Closure(.normal, isByPeer: false) else {
            throw WrongMessage(number: plan.messages.count, count: nil)
        }
    }

    private static func size(_ message: WebSocket.Message?) -> Int? {
        switch message {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.readableBytes
        case nil: nil
        }
    }
}
