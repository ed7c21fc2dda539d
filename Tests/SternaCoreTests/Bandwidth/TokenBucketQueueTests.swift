import MutationKit
import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Bandwidth: turns") struct TokenBucketQueueTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    @Test(
        "A portion is a thirty-second of a second, from one byte to 64 KiB",
        arguments: [(1, 1), (31, 1), (64, 2), (32_000, 1_000), (2 << 20, 64 << 10), (Int.max, 64 << 10)])
    func portion(rate: Int, portion: Int) {
        expectEqual(TokenBucketQueue(rate: rate).portion, portion)
        #expect(TokenBucket(rate: rate).burst >= portion)
    }

    @Test("Turns go round: a body that had one joins the end")
    func turns() throws {
        var queue = TokenBucketQueue(rate: 32_000)
        expectEqual(queue.takeNow(upTo: 10_000, at: Self.start), 2_000)
        expectNil(queue.takeNow(upTo: 1, at: Self.start))
        for number: UInt64 in 1...3 { queue.join(number, upTo: 10_000) }
        var now = Self.start
        var order: [UInt64] = []
        for _ in 0..<9 {
            let (grants, next) = queue.advance(at: now)
            for grant in grants {
                expectEqual(grant.bytes, 1_000)
                order.append(grant.number % 10)
                queue.join(grant.number + 10, upTo: 10_000)
            }
            now = try #require(next)
        }
        expectEqual(order, [1, 2, 3, 1, 2, 3, 1, 2])
        expectEqual(now, Self.start + .nanoseconds(9 * 31_250_000))
    }

    @Test("A body that arrives does not pass those that wait, even for a byte")
    func noOvertaking() {
        var queue = TokenBucketQueue(rate: 32_000)
        _ = queue.takeNow(upTo: 1_500, at: Self.start)
        queue.join(1, upTo: 1_000)
        expectNil(queue.takeNow(upTo: 1, at: Self.start))
        queue.join(2, upTo: 1)
        #expect(queue.advance(at: Self.start).grants.isEmpty)
        expectEqual(queue.advance(at: Self.start + .milliseconds(16)).grants.map(\.number), [1, 2])
        expectEqual(queue.count, 0)
    }

    @Test("Waiters that leave make room, wherever they stand")
    func leaving() {
        var queue = TokenBucketQueue(rate: 32_000)
        _ = queue.takeNow(upTo: 2_000, at: Self.start)
        for number: UInt64 in 1...1_000 { queue.join(number, upTo: 1_000) }
        for number: UInt64 in 1...1_000 where number != 700 {
            let (left, again) = (queue.leave(number), queue.leave(number))
            #expect(left && !again)
        }
        expectEqual(queue.count, 1)
        let (grants, next) = queue.advance(at: Self.start + .seconds(1))
        expectEqual(grants.map(\.number), [700])
        expectNil(next)
    }

    @Test("A new rate brings the next turn nearer; without a rate everything passes")
    func changes() {
        var queue = TokenBucketQueue(rate: 32)
        _ = queue.takeNow(upTo: 2, at: Self.start)
        for number: UInt64 in 1...5 { queue.join(number, upTo: 1_000_000) }
        expectEqual(queue.advance(at: Self.start).next, Self.start + .nanoseconds(31_250_000))
        queue.setRate(32_000, at: Self.start + .milliseconds(1))
        let (grants, next) = queue.advance(at: Self.start + .milliseconds(33))
        expectEqual(grants.map(\.bytes), [1_000])
        #expect((next ?? Self.start) < Self.start + .milliseconds(64))
        queue.setRate(nil, at: Self.start + .milliseconds(33))
        expectEqual(
            queue.advance(at: Self.start + .milliseconds(33)).grants.map(\.bytes),
            Array(repeating: 1_000_000, count: 4))
        expectEqual(queue.takeNow(upTo: 5, at: Self.start), 5)
    }

    /// Random arrivals, departures and late timers: no window gets more than the rate and a burst, and every waiter has its turn.
    @Test("Random schedules", arguments: 0..<40 as Range<UInt64>)
    func schedules(seed: UInt64) {
        var random = MutationGenerator(seed: seed)
        let rate = [1, 7, 1_000, 333_333, 20_000_000, 3_000_000_000].randomElement(using: &random) ?? 1
        var queue = TokenBucketQueue(rate: rate)
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
                if let bytes = queue.takeNow(upTo: count, at: now) {
                    #expect(waiting.isEmpty && bytes <= count)
                    grants.append((now, bytes))
                } else {
                    last += 1
                    queue.join(last, upTo: count)
                    waiting.append(last)
                }
            case 3:
                guard let index = waiting.indices.randomElement(using: &random) else { break }
                let left = queue.leave(waiting.remove(at: index))
                #expect(left)
            case 4: now = now + .nanoseconds(.random(in: 0...50_000_000, using: &random))
            default:
                var turns: [(number: UInt64, bytes: Int)]
                (turns, next) = queue.advance(at: now)
                // In order, and whoever is left has a moment to wait for.
                expectEqual(turns.map(\.number), Array(waiting.prefix(turns.count)))
                waiting.removeFirst(min(turns.count, waiting.count))
                grants += turns.map { (now, $0.bytes) }
                expectEqual((next == nil), waiting.isEmpty)
                guard let next else { break }
                #expect(next > now)
                now = next
                (turns, _) = queue.advance(at: now)
                // A timer that comes in time finds the turn due.
                expectEqual(turns.first?.number, waiting.first)
                waiting.removeFirst(min(turns.count, waiting.count))
                grants += turns.map { (now, $0.bytes) }
            }
            expectEqual(queue.count, waiting.count)
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
