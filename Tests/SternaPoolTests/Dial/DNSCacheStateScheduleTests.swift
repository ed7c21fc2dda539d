import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("Look-ups of hosts by random schedules")
struct DNSCacheStateScheduleTests {
    struct Track {
        struct Accident: Error {}

        /// What a waiter waits for, or a look-up is for.
        struct Wish: Hashable { let host: Int, families: AddressFamilies }

        struct Running {
            let wish: Wish
            var isGivenUp = false
        }

        var generator: SeededRandom
        var hosts = DNSCacheState<Int>(defaultLifetime: .seconds(2))
        var now: Int64 = 0
        var waiting: [Int: Wish] = [:]
        var running: [Int: Running] = [:]
        var nextWaiter = 0
        var faults: [String] = []
        var most = 0
        var counts = (answers: 0, failures: 0, givenUp: 0, queued: 0, kept: 0)

        init(seed: Int) { generator = SeededRandom(seed: seed) }

        mutating func run() {
            for _ in 0..<400 {
                switch Int.random(in: 0..<10, using: &generator) {
                case 0...4: ask()
                case 5: leave()
                case 6...8: finish()
                default: now += Int64.random(in: 0...1_500_000_000, using: &generator)
                }
                check()
            }
            while !running.isEmpty {
                finish()
                check()
            }
            if !waiting.isEmpty { faults.append("\(waiting.count) waiters were lost") }
        }

        private mutating func ask() {
            let families = AddressFamilies.allCases.randomElement(using: &generator) ?? .any
            let wish = Wish(host: Int.random(in: 0..<30, using: &generator), families: families)
            let text = generator.once(in: 2) ? "h\(wish.host).example" : "H\(wish.host).Example"
            let (waiter, before) = (nextWaiter, counts.answers)
            nextWaiter += 1
            waiting[waiter] = wish
            perform(hosts.resolve(text, families, waiter: waiter, now: now))
            counts.kept += counts.answers - before
        }

        private mutating func leave() {
            guard let waiter = waiting.keys.sorted().randomElement(using: &generator) else { return }
            waiting[waiter] = nil
            perform(hosts.cancelled(waiter))
        }

        private mutating func finish() {
            guard let id = running.keys.sorted().randomElement(using: &generator), let lookup = running[id] else {
                return
            }
            running[id] = nil
            guard !generator.once(in: 4) else {
                perform(hosts.finished(id, .failure(Accident()), now: now))
                return
            }
            // The answer says which host it is for and when it was given.
            let address = IPAddress(v6: UInt64(lookup.wish.host), UInt64(now))
            let timeToLive: Duration? = [nil, .seconds(1), .zero][Int.random(in: 0..<3, using: &generator)]
            perform(hosts.finished(id, .success(ResolvedHost([address], timeToLive: timeToLive)), now: now))
        }

        private mutating func perform(_ actions: [DNSCacheState<Int>.Action]) {
            for action in actions {
                switch action {
                case .lookUp(let id, let key):
                    guard let host = Int(key.host.dropFirst().prefix { $0 != "." }), running[id] == nil else {
                        faults.append("look-up \(id) of \(key.host)")
                        continue
                    }
                    let wish = Wish(host: host, families: key.families)
                    if running.values.contains(where: { $0.wish == wish && !$0.isGivenUp }) {
                        faults.append("\(key.host) is looked up twice")
                    }
                    running[id] = Running(wish: wish)
                case .giveUp(let id):
                    counts.givenUp += 1
                    if running[id] == nil { faults.append("look-up \(id) does not run") }
                    if let wish = running[id]?.wish, waiting.values.contains(wish) {
                        faults.append("\(wish) is waited for")
                    }
                    running[id]?.isGivenUp = true
                case .answer(let waiter, let answer):
                    counts.answers += 1
                    guard let wish = waiting.removeValue(forKey: waiter) else {
                        faults.append("waiter \(waiter) does not wait")
                        continue
                    }
                    let bytes = answer.addresses.first?.bytes ?? []
                    let numbers = [bytes.prefix(8), bytes.dropFirst(8)].map {
                        $0.reduce(Int64(0)) { $0 << 8 | Int64($1) }
                    }
                    let lifetime: Int64 = answer.timeToLive == nil ? 2 : answer.timeToLive == .seconds(1) ? 1 : 0
                    let age = now - numbers[1]
                    if numbers[0] != wish.host { faults.append("\(wish) got the answer of \(numbers[0])") }
                    if age != 0, age >= lifetime * 1_000_000_000 { faults.append("an answer \(age) ns old") }
                case .fail(let waiter, _):
                    counts.failures += 1
                    if waiting.removeValue(forKey: waiter) == nil { faults.append("waiter \(waiter) does not wait") }
                }
            }
        }

        private mutating func check() {
            most = max(most, running.count)
            if running.count != hosts.runningLookups { faults.append("\(hosts.runningLookups) counted") }
            let served = Set(running.values.lazy.filter { !$0.isGivenUp }.map(\.wish))
            let queued = waiting.values.contains { !served.contains($0) }
            if queued { counts.queued += 1 }
            if queued, running.count < 16 { faults.append("a place was free") }
        }
    }

    @Test("No waiter is lost, at most 16 look-ups run, and none waits without need", arguments: 0..<8)
    func schedules(part: Int) {
        var totals = (answers: 0, failures: 0, givenUp: 0, queued: 0, kept: 0)
        var most = 0
        for seed in part * 40..<(part + 1) * 40 {
            var track = Track(seed: seed)
            track.run()
            expectEqual(track.faults, [], "seed \(seed)")
            #expect(track.most <= 16, "seed \(seed)")
            most = max(most, track.most)
            totals.answers += track.counts.answers
            totals.failures += track.counts.failures
            totals.givenUp += track.counts.givenUp
            totals.queued += track.counts.queued
            totals.kept += track.counts.kept
        }
        // Each case came up often, so that what is said of it was put to the test.
        expectEqual(most, 16)
        let fewest = min(totals.answers, totals.failures, totals.givenUp, min(totals.queued, totals.kept))
        #expect(fewest > 50, "\(totals)")
    }
}
