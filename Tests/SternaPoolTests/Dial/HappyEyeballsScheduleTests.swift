import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("Races of connection attempts by random schedules")
struct HappyEyeballsScheduleTests {
    /// Does what a race says in a time of its own, and takes note of what must hold.
    struct Track {
        enum Event { case timer(Int), succeeds(Int), fails(Int), cancel }

        struct Accident: Error {}

        var generator: SeededRandom
        var race: HappyEyeballs
        let delay: Int64
        var now: Int64 = 0
        var events: [(time: Int64, event: Event)] = []
        // A timer that was moved or cancelled may go off all the same.
        var timer = 0
        var started: [Int: Int64] = [:]
        var failed: Set<Int> = []
        var failedSinceStart = true
        var connected: Set<Int> = []
        var abandoned: Set<Int> = []
        var won: [Int] = []
        var lost: [[IPAddress]] = []
        var isCancelled = false
        var tooClose = 0
        var connectsAfterEnd = 0

        init(seed: Int) {
            var generator = SeededRandom(seed: seed)
            let addresses = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
                let number = UInt64.random(in: 0..<12, using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0...1: return IPAddress(v4: UInt32(number))
                case 2...3: return IPAddress(v6: 1, number)
                default: return IPAddress(v6: 0, 0xFFFF_0000_0000 | number)
                }
            }
            let families: [IPAddress.Family?] = [nil, .v4, .v6]
            delay = Int64.random(in: 10...400, using: &generator) * 1_000_000
            race = HappyEyeballs(
                addresses: addresses, preferring: families[Int.random(in: 0..<3, using: &generator)],
                attemptDelay: delay, maximumAddresses: Int.random(in: 0...16, using: &generator))
            self.generator = generator
        }

        mutating func run() {
            if generator.once(in: 4) { events.append((some(0...3_000), .cancel)) }
            perform(race.start(now: now))
            while let next = events.indices.min(by: { events[$0].time < events[$1].time }) {
                let (time, event) = events.remove(at: next)
                now = max(now, time)
                switch event {
                case .timer: perform(race.timerFired(now: now))
                case .succeeds(let attempt):
                    connected.insert(attempt)
                    // One that was given up and connects all the same must be closed again.
                    abandoned.remove(attempt)
                    perform(race.connected(attempt))
                case .fails(let attempt):
                    failed.insert(attempt)
                    failedSinceStart = true
                    perform(race.failed(attempt, error: Accident(), now: now))
                case .cancel where won.isEmpty && lost.isEmpty:
                    isCancelled = true
                    perform(race.cancel())
                case .cancel: perform(race.cancel())
                }
            }
        }

        private mutating func perform(_ actions: [HappyEyeballs.Action]) {
            for action in actions {
                switch action {
                case .connect(let attempt, _):
                    if let last = started.values.max(), now - last < delay, !failedSinceStart { tooClose += 1 }
                    if !won.isEmpty || !lost.isEmpty || isCancelled { connectsAfterEnd += 1 }
                    started[attempt] = now
                    failedSinceStart = false
                    let end = now + some(0...1_500)
                    events.append((end, generator.once(in: 4) ? .succeeds(attempt) : .fails(attempt)))
                case .setTimer(let time):
                    dropTimer()
                    timer += 1
                    events.append((time + some(0...20), .timer(timer)))
                case .cancelTimer: dropTimer()
                case .abandon(let attempt):
                    abandoned.insert(attempt)
                    // Most end quietly; some connect, or fail, all the same.
                    guard !generator.once(in: 3) else { continue }
                    events.removeAll { entry in
                        switch entry.event {
                        case .succeeds(attempt), .fails(attempt): true
                        default: false
                        }
                    }
                case .won(let attempt): won.append(attempt)
                case .lost(let failures): lost.append(failures.map(\.0))
                }
            }
        }

        private mutating func dropTimer() {
            guard !generator.once(in: 5) else { return }
            events.removeAll { entry in if case .timer = entry.event { true } else { false } }
        }

        private mutating func some(_ range: ClosedRange<Int64>) -> Int64 {
            Int64.random(in: range, using: &generator) * 1_000_000
        }
    }

    @Test("The rules hold in every race", arguments: 0..<8)
    func schedules(part: Int) {
        var ends = (won: 0, lost: 0, cancelled: 0, late: 0)
        for seed in part * 1_000..<(part + 1) * 1_000 {
            var track = Track(seed: seed)
            track.run()
            expectEqual(track.won.count + track.lost.count, (track.isCancelled ? 0 : 1), "seed \(seed)")
            expectEqual(
                track.connected.subtracting(track.won), track.connected.intersection(track.abandoned), "seed \(seed)")
            #expect(track.abandoned.isDisjoint(with: track.won), "seed \(seed)")
            #expect(Set(track.won).isSubset(of: track.connected), "seed \(seed)")
            #expect(track.tooClose == 0 && track.connectsAfterEnd == 0, "seed \(seed)")
            if !track.lost.isEmpty {
                expectEqual(track.lost, [track.race.addresses], "seed \(seed)")
                expectEqual(track.failed.count, track.race.addresses.count, "seed \(seed)")
            }
            ends.won += track.won.count
            ends.lost += track.lost.count
            ends.cancelled += track.isCancelled ? 1 : 0
            ends.late += track.connected.count > track.won.count ? 1 : 0
        }
        // Each end was seen often, so that what is said of it was put to the test.
        #expect(min(ends.won, ends.lost, ends.cancelled, ends.late) > 50, "\(ends)")
    }
}
