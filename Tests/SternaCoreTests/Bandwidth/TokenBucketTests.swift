import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Bandwidth: token bucket") struct TokenBucketTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private func moment(_ milliseconds: Int64) -> NIODeadline { Self.start + .milliseconds(milliseconds) }

    @Test(
        "The burst is a sixteenth of a second, at least one byte",
        arguments: [(1, 1), (15, 1), (16, 1), (32, 2), (16_000, 1_000), (Int.max, Int.max / 16), (0, 1), (-5, 1)])
    func burst(rate: Int, burst: Int) {
        expectEqual(TokenBucket(rate: rate).burst, burst)
    }

    @Test("Without a rate everything is granted")
    func unlimited() {
        var bucket = TokenBucket(rate: nil)
        for count in [1, 1_000_000, .max] {
            expectEqual(bucket.take(upTo: count, atLeast: count, at: Self.start), .granted(count))
        }
        expectEqual(bucket.burst, .max)
    }

    @Test("A full bucket grants its burst, then what comes in")
    func refills() {
        var bucket = TokenBucket(rate: 16_000)
        expectEqual(bucket.take(upTo: 5_000, atLeast: 500, at: moment(0)), .granted(1_000))
        expectEqual(bucket.take(upTo: 500, atLeast: 500, at: moment(0)), .wait(.nanoseconds(31_250_000)))
        expectEqual(bucket.take(upTo: 500, atLeast: 500, at: moment(31)), .wait(.nanoseconds(250_000)))
        expectEqual(bucket.take(upTo: 500, atLeast: 1, at: moment(31)), .granted(496))
        expectEqual(bucket.take(upTo: 5_000, atLeast: 500, at: moment(5_000)), .granted(1_000))
    }

    @Test("More than the burst is granted in part, as soon as the bucket is full")
    func largerThanBurst() {
        var bucket = TokenBucket(rate: 160)
        expectEqual(bucket.take(upTo: 4, atLeast: 4, at: moment(0)), .granted(4))
        expectEqual(bucket.take(upTo: 1_000, atLeast: 1_000, at: moment(0)), .wait(.milliseconds(25)))
        expectEqual(bucket.take(upTo: 1_000, atLeast: 1_000, at: moment(25)), .granted(10))
    }

    @Test("Rates that do not divide a second lose no bytes")
    func fractions() {
        var bucket = TokenBucket(rate: 7)
        expectEqual(bucket.take(upTo: 1, atLeast: 1, at: moment(0)), .granted(1))
        var now = moment(0)
        var granted = 0
        while now < moment(10_000) {
            switch bucket.take(upTo: 1, atLeast: 1, at: now) {
            case .granted(let bytes): granted += bytes
            case .wait(let time):
                #expect(time > .nanoseconds(0))
                now = now + time
            }
        }
        #expect((69...70).contains(granted), "\(granted)")
    }

    @Test("A new rate keeps the tokens up to its burst; none are there after a time without a limit")
    func changes() {
        var bucket = TokenBucket(rate: 16_000)
        bucket.setRate(1_600, at: moment(0))
        expectEqual(bucket.take(upTo: 1_000, atLeast: 1, at: moment(0)), .granted(100))
        bucket.setRate(16_000, at: moment(0))
        expectEqual(bucket.take(upTo: 16, atLeast: 16, at: moment(0)), .wait(.milliseconds(1)))
        // What came at the old rate counts.
        bucket.setRate(32_000, at: moment(1))
        expectEqual(bucket.take(upTo: 16, atLeast: 16, at: moment(1)), .granted(16))
        bucket.setRate(nil, at: moment(2))
        expectEqual(bucket.take(upTo: .max, atLeast: .max, at: moment(2)), .granted(.max))
        bucket.setRate(16_000, at: moment(2))
        expectEqual(bucket.take(upTo: 16, atLeast: 16, at: moment(2)), .wait(.milliseconds(1)))
        expectEqual(bucket.take(upTo: 16, atLeast: 16, at: moment(3)), .granted(16))
        expectEqual(bucket.rate, 16_000)
    }

    @Test("A moment before the last one neither adds nor removes tokens")
    func backwards() {
        var bucket = TokenBucket(rate: 16_000)
        expectEqual(bucket.take(upTo: 1_000, atLeast: 1, at: moment(1_000)), .granted(1_000))
        expectEqual(bucket.take(upTo: 16, atLeast: 16, at: moment(0)), .wait(.milliseconds(1)))
        expectEqual(bucket.take(upTo: 16, atLeast: 16, at: moment(1_001)), .granted(16))
    }

    @Test("Extreme rates, counts and moments give valid results")
    func extremes() {
        let numbers = [Int.min, -1, 0, 1, 2, 15, 16, 17, 1 << 20, 1 << 40, .max - 1, .max]
        let moments = [0, 1, 999_999_999, 1 << 40, UInt64(Int64.max) - 1, UInt64(Int64.max)].map {
            NIODeadline.uptimeNanoseconds($0)
        }
        for rate in numbers {
            for other in numbers {
                for count in numbers {
                    var bucket = TokenBucket(rate: rate)
                    for now in moments + moments.reversed() {
                        switch bucket.take(upTo: count, atLeast: other, at: now) {
                        case .granted(let bytes): #expect(bytes >= 1 && bytes <= max(1, count) && bytes <= bucket.burst)
                        case .wait(let time): #expect(time > .nanoseconds(0) && time <= .hours(24))
                        }
                        bucket.setRate(other, at: now)
                        _ = bucket.take(upTo: other, atLeast: count, at: now)
                        bucket.setRate(rate, at: nil)
                    }
                }
            }
        }
    }
}
