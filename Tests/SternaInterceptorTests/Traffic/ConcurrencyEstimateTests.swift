import NIOCore
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// The adaptive limit in values, beside a simulated server on virtual time.
@Suite("Adaptive concurrency limit: the estimate")
struct ConcurrencyEstimateTests {
    @Test("Comes close to what the server can do at once, and keeps it busy", arguments: [5, 20, 60])
    func converges(capacity: Int) {
        for seed in 1...2 {
            var server = SimulatedServer(capacity: capacity, seed: UInt64(seed))
            server.run(for: 10)
            let seen = server.run(for: 20)
            let room = Double(capacity)
            #expect(seen.mean > room * 0.8, "seed \(seed)")
            #expect(seen.mean < room * 2 + 5, "seed \(seed)")
            #expect(seen.throughput > 0.85 * room / server.service, "seed \(seed)")
            expectEqual(server.lost, 0)
        }
    }

    @Test("Follows a server whose capacity or speed changes")
    func follows() {
        var server = SimulatedServer(capacity: 60, seed: 7)
        server.run(for: 10)
        for capacity in [10, 40, 4, 30] {
            server.capacity = capacity
            server.run(for: 40)
            let seen = server.run(for: 20)
            #expect(seen.mean < Double(capacity) * 2 + 8, "\(capacity)")
            #expect(seen.throughput > 0.85 * Double(capacity) / server.service, "\(capacity)")
        }
        // A server that has become slower, and no smaller, is not throttled for ever.
        server.service = 0.2
        server.run(for: 120)
        let seen = server.run(for: 60)
        #expect(seen.throughput > 0.85 * 30 / 0.2)
        expectEqual(server.lost, 0)
    }

    @Test("Stays below what a server refuses, most of the time", arguments: [5, 20])
    func refusals(capacity: Int) {
        var server = SimulatedServer(capacity: capacity, seed: 3)
        server.refusesBeyond = capacity
        server.run(for: 10)
        let (before, done) = (server.refused, server.done)
        let seen = server.run(for: 20)
        #expect(seen.mean > Double(capacity) * 0.6)
        #expect(server.refused - before < (server.done - done) / 5)
    }

    @Test("Never leaves its bounds, whatever happens", arguments: 1...4)
    func bounds(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            let least = Int.random(in: -2...10, using: &random)
            let most = Int.random(in: -2...40, using: &random)
            let bounds = ConcurrencyEstimate.Bounds(least: least, most: most)
            #expect(bounds.least >= 1 && bounds.most >= bounds.least)
            var estimate = ConcurrencyEstimate(bounds)
            var now = NIODeadline.uptimeNanoseconds(1 << 40)
            for _ in 0..<400 {
                let sent = now
                now = now + .nanoseconds(Int64.random(in: 0...1 << 34, using: &random))
                let outcomes: [ConcurrencyEstimate.Outcome] = [.answered, .answered, .answered, .overloaded, .unknown]
                // Clocks of several threads may be read out of order.
                let isReversed = Int.random(in: 0..<20, using: &random) == 0
                estimate.ended(
                    outcomes.randomElement(using: &random) ?? .unknown, sent: isReversed ? now : sent,
                    inFlight: Int.random(in: 0...60, using: &random), at: isReversed ? sent : now)
                #expect(estimate.limit >= bounds.least && estimate.limit <= bounds.most)
            }
        }
    }

    @Test("Does not grow without a demand for it")
    func demand() {
        var server = SimulatedServer(capacity: 60, seed: 5)
        server.demand = 4
        server.run(for: 40)
        #expect(server.estimate.limit <= 12)
        server.demand = 400
        server.run(for: 10)
        #expect(server.estimate.exact > 40)
    }

    @Test("Time-outs at about the same time count once")
    func timeouts() {
        var estimate = ConcurrencyEstimate(.init(least: 1, most: 100))
        var now = NIODeadline.uptimeNanoseconds(1 << 40)
        func answer(_ count: Int) {
            for _ in 0..<count {
                let sent = now
                now = now + .milliseconds(1)
                estimate.ended(.answered, sent: sent, inFlight: 3, at: now)
            }
        }
        answer(40)
        let before = estimate.exact
        for _ in 0..<20 { estimate.ended(.overloaded, sent: now - .seconds(30), inFlight: 20, at: now) }
        expectEqual(estimate.exact, before * 0.8)
        now = now + .seconds(1)
        estimate.ended(.overloaded, sent: now, inFlight: 20, at: now)
        #expect(abs(estimate.exact - before * 0.64) < 0.001)
    }

    @Test("Statuses and errors as outcomes for the estimate")
    func outcomes() {
        let statuses: [Int: ConcurrencyEstimate.Outcome] = [
            200: .answered, 304: .answered, 404: .answered, 429: .overloaded, 500: .unknown, 503: .overloaded,
            504: .unknown,
        ]
        for (status, outcome) in statuses {
            expectEqual(ConcurrencyEstimate.outcome(of: status), outcome, "\(status)")
        }
        let errors: [(SternaError.Kind, SternaError.Phase, ConcurrencyEstimate.Outcome)] = [
            (.timedOut, .wait, .overloaded), (.timedOut, .connect, .overloaded), (.timedOut, .prepare, .unknown),
            (.connectionFailed, .connect, .overloaded), (.connectionClosed, .wait, .overloaded),
            (.cancelled, .wait, .unknown), (.certificateRejected, .tls, .unknown),
            (.trafficLimited, .prepare, .unknown),
        ]
        for (kind, phase, outcome) in errors {
            expectEqual(
                ConcurrencyEstimate.outcome(of: SternaError(kind, phase: phase, "")), outcome, "\(kind) \(phase)")
        }
        expectEqual(ConcurrencyEstimate.outcome(of: CancellationError()), .unknown)
    }

    // MARK: Places

    @Test("Places are given in order, never more than there are, and none is lost", arguments: 1...6)
    func permits(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var permits = ConcurrencyPermits()
        var (waiting, ticket, limit): ([UInt64], UInt64, Int) = ([], 0, 3)
        var running: Set<UInt64> = []
        for _ in 0..<5_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                ticket += 1
                let isFree = running.count < limit && waiting.isEmpty
                switch permits.enter(ticket, limit: limit, waiting: 8) {
                case .pass:
                    #expect(isFree)
                    running.insert(ticket)
                case .wait:
                    #expect(!isFree && waiting.count < 8)
                    waiting.append(ticket)
                case .refuse: #expect(!isFree && waiting.count == 8)
                }
            case 2:
                guard let gone = (waiting + running).randomElement(using: &random) else { continue }
                if permits.giveUp(gone) {
                    #expect(waiting.contains(gone))
                    waiting.removeAll { $0 == gone }
                } else {
                    #expect(running.contains(gone))
                }
            case 3:
                guard let done = running.randomElement(using: &random) else { continue }
                running.remove(done)
                permits.leave()
            default: limit = Int.random(in: 1...6, using: &random)
            }
            let admitted = permits.admit(limit: limit)
            expectEqual(admitted, Array(waiting.prefix(admitted.count)))
            waiting.removeFirst(admitted.count)
            running.formUnion(admitted)
            #expect(admitted.isEmpty || running.count <= limit)
            #expect(waiting.isEmpty || running.count >= limit)
            #expect(permits.inFlight == running.count && permits.queue == waiting)
        }
    }
}

/// A server with a number of workers and a queue, and clients that always want more, on virtual time.
struct SimulatedServer {
    private struct Run {
        let end: UInt64
        let ticket: UInt64
        let isRefused: Bool
    }

    private struct Sent {
        let moment: UInt64
        let inFlight: Int
    }

    private(set) var estimate = ConcurrencyEstimate(.init(least: 1, most: 200))
    private var permits = ConcurrencyPermits()
    private var random: SeededRandom
    private var now: UInt64 = 1 << 40
    private var runs: [Run] = []
    private var busy = 0
    private var queue: [UInt64] = []
    private var sent: [UInt64: Sent] = [:]
    private var lastTicket: UInt64 = 0

    /// The number of workers.
    var capacity: Int

    /// The mean time of a request, in seconds.
    var service = 0.05

    /// The number of requests that clients want to have under way.
    var demand = 400

    /// The number of requests beyond which the server answers 503 at once.
    var refusesBeyond = Int.max
    private(set) var done = 0
    private(set) var refused = 0

    init(capacity: Int, seed: UInt64) {
        self.capacity = capacity
        random = SeededRandom(seed: seed)
    }

    /// The number of requests under way that the server does not know.
    var lost: Int { permits.inFlight - runs.count - queue.count }

    private mutating func start(_ ticket: UInt64) {
        let seconds = service * Double.random(in: 0.5..<1.5, using: &random)
        busy += 1
        runs.append(Run(end: now + UInt64(seconds * 1e9), ticket: ticket, isRefused: false))
    }

    private mutating func arrive(_ ticket: UInt64) {
        sent[ticket] = Sent(moment: now, inFlight: permits.inFlight)
        if busy + queue.count >= refusesBeyond {
            runs.append(Run(end: now + 1_000_000, ticket: ticket, isRefused: true))
        } else if busy < capacity {
            start(ticket)
        } else {
            queue.append(ticket)
        }
    }

    private mutating func ask() {
        while permits.queue.count < 20, permits.inFlight + permits.queue.count < demand {
            lastTicket += 1
            if permits.enter(lastTicket, limit: estimate.limit, waiting: 20) == .pass { arrive(lastTicket) }
        }
    }

    /// Lets seconds pass; returns the mean limit, and the requests done in a second.
    @discardableResult
    mutating func run(for seconds: Double) -> (mean: Double, throughput: Double) {
        let (began, before) = (now, done)
        let end = now + UInt64(seconds * 1e9)
        var (sum, count) = (0.0, 0.0)
        while now < end {
            ask()
            guard let index = runs.indices.min(by: { runs[$0].end < runs[$1].end }) else { break }
            let run = runs.remove(at: index)
            now = run.end
            if run.isRefused {
                refused += 1
            } else {
                busy -= 1
                done += 1
            }
            while busy < capacity, !queue.isEmpty { start(queue.removeFirst()) }
            if let sent = sent.removeValue(forKey: run.ticket) {
                estimate.ended(
                    run.isRefused ? .overloaded : .answered, sent: .uptimeNanoseconds(sent.moment),
                    inFlight: sent.inFlight, at: .uptimeNanoseconds(now))
            }
            permits.leave()
            for ticket in permits.admit(limit: estimate.limit) { arrive(ticket) }
            sum += Double(estimate.limit)
            count += 1
        }
        return (sum / max(count, 1), Double(done - before) / (Double(now - began) / 1e9))
    }
}
