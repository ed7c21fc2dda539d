import MutationKit
import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Bandwidth: turns") struct BandwidthLineTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    @Test(
        "A portion is a thirty-second of a second, from one byte to 64 KiB",
        arguments: [(1, 1), (31, 1), (64, 2), (32_000, 1_000), (2 << 20, 64 << 10), (Int.max, 64 << 10)])
    func portion(rate: Int, portion: Int) {
        expectEqual(BandwidthLine(rate: rate).portion, portion)
        #expect(TokenBucket(rate: rate).burst >= portion)
    }

    @Test("Turns go round: a body that had one joins the end")
    func turns() throws {
        var line = BandwidthLine(rate: 32_000)
        expectEqual(line.takeNow(upTo: 10_000, at: Self.start), 2_000)
        expectNil(line.takeNow(upTo: 1, at: Self.start))
        for number: UInt64 in 1...3 { line.join(number, upTo: 10_000) }
        var now = Self.start
        var order: [UInt64] = []
        for _ in 0..<9 {
            let (turns, next) = line.advance(at: now)
            for turn in turns {
                expectEqual(turn.bytes, 1_000)
                order.append(turn.number % 10)
                line.join(turn.number + 10, upTo: 10_000)
            }
            now = try #require(next)
        }
        expectEqual(order, [1, 2, 3, 1, 2, 3, 1, 2])
        expectEqual(now, Self.start + .nanoseconds(9 * 31_250_000))
    }

    @Test("A body that arrives does not pass those that wait, even for a byte")
    func noOvertaking() {
        var line = BandwidthLine(rate: 32_000)
        _ = line.takeNow(upTo: 1_500, at: Self.start)
        line.join(1, upTo: 1_000)
        expectNil(line.takeNow(upTo: 1, at: Self.start))
        line.join(2, upTo: 1)
        #expect(line.advance(at: Self.start).turns.isEmpty)
        expectEqual(line.advance(at: Self.start + .milliseconds(16)).turns.map(\.number), [1, 2])
        expectEqual(line.count, 0)
    }

    @Test("Waiters that leave make room, wherever they stand")
    func leaving() {
        var line = BandwidthLine(rate: 32_000)
        _ = line.takeNow(upTo: 2_000, at: Self.start)
        for number: UInt64 in 1...1_000 { line.join(number, upTo: 1_000) }
        for number: UInt64 in 1...1_000 where number != 700 {
            let (left, again) = (line.leave(number), line.leave(number))
            #expect(left && !again)
        }
        expectEqual(line.count, 1)
        let (turns, next) = line.advance(at: Self.start + .seconds(1))
        expectEqual(turns.map(\.number), [700])
        expectNil(next)
    }

    @Test("A new rate brings the next turn nearer; without a rate everything passes")
    func changes() {
        var line = BandwidthLine(rate: 32)
        _ = line.takeNow(upTo: 2, at: Self.start)
        for number: UInt64 in 1...5 { line.join(number, upTo: 1_000_000) }
        expectEqual(line.advance(at: Self.start).next, Self.start + .nanoseconds(31_250_000))
        line.setRate(32_000, at: Self.start + .milliseconds(1))
        let (turns, next) = line.advance(at: Self.start + .milliseconds(33))
        expectEqual(turns.map(\.bytes), [1_000])
        #expect((next ?? Self.start) < Self.start + .milliseconds(64))
        line.setRate(nil, at: Self.start + .milliseconds(33))
        expectEqual(
            line.advance(at: Self.start + .milliseconds(33)).turns.map(\.bytes), Array(repeating: 1_000_000, count: 4))
        expectEqual(line.takeNow(upTo: 5, at: Self.start), 5)
    }

    /// Random arrivals, departures and late timers: no window gets more than the rate and a burst, and every waiter has its turn.
    @Test("Random schedules", arguments: 0..<40 as Range<UInt64>)
    func schedules(seed: UInt64) {
        var random = MutationGenerator(seed: seed)
        let rate = [1, 7, 1_000, 333_333, 20_000_000, 3_000_000_000].randomElement(using: &random) ?? 1
        var line = BandwidthLine(rate: rate)
        let burst = TokenBucket(rate: rate).burst
        var now = Self.start
        var grants: [(at: NIODeadline, bytes: Int)] = []
        var waiting: [UInt64] = []
        var last: UInt64 = 0
        for _ in 0..<600 {
            let next: NIODeadline?
            switch Int.random(in: 0..<10, using: &random) {
            case 0...2:
                let count = Int.random(in: 1...1 << Int.random(in: 0...20, using: &random), using: &random)
                if let bytes = line.takeNow(upTo: count, at: now) {
                    #expect(waiting.isEmpty && bytes <= count)
                    grants.append((now, bytes))
                } else {
                    last += 1
                    line.join(last, upTo: count)
                    waiting.append(last)
                }
            case 3:
                guard let index = waiting.indices.randomElement(using: &random) else { break }
                let left = line.leave(waiting.remove(at: index))
                #expect(left)
            case 4: now = now + .nanoseconds(.random(in: 0...50_000_000, using: &random))
            default:
                var turns: [(number: UInt64, bytes: Int)]
                (turns, next) = line.advance(at: now)
                // In order, and whoever is left has a moment to wait for.
                expectEqual(turns.map(\.number), Array(waiting.prefix(turns.count)))
                waiting.removeFirst(min(turns.count, waiting.count))
                grants += turns.map { (now, $0.bytes) }
                expectEqual((next == nil), waiting.isEmpty)
                guard let next else { break }
                #expect(next > now)
                now = next
                (turns, _) = line.advance(at: now)
                // A timer that comes in time finds the turn due.
                expectEqual(turns.first?.number, waiting.first)
                waiting.removeFirst(min(turns.count, waiting.count))
                grants += turns.map { (now, $0.bytes) }
            }
            expectEqual(line.count, waiting.count)
        }
        #expect(isWithin(grants, rate, burst), "seed \(seed), rate \(rate)")
    }

    private func isWithin(_ grants: [(at: NIODeadline, bytes: Int)], _ rate: Int, _ burst: Int) -> Bool {
        for first in grants.indices {
            var sum = 0
            for grant in grants[first...] {
                sum += grant.bytes
                let window = Double((grant.at - grants[first].at).nanoseconds) / 1e9
                if Double(sum) > Double(rate) * window * (1 + 1e-9) + Double(burst) + 1 { return false }
            }
        }
        return true
    }
}
