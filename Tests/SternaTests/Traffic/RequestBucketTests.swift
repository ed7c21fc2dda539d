import HTTPTypes
import NIOCore
import SternaCore
import Testing

@testable import Sterna

/// The rate of requests, in values, and the fields by which servers name theirs.
@Suite("Rate limit: rules")
struct RequestBucketTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000)

    @Test("A burst at once, then one in each interval")
    func burst() {
        var bucket = RequestBucket()
        func take(_ now: NIODeadline) -> RequestBucket.Turn {
            bucket.take(interval: .seconds(1), burst: 3, longest: .seconds(4), at: now)
        }
        #expect((0..<3).map { _ in take(start) } == [.after(.zero), .after(.zero), .after(.zero)])
        #expect((0..<4).map { _ in take(start) } == (1...4).map { .after(.seconds($0)) })
        // Those that are refused take no token.
        #expect(take(start) == .refuse(.seconds(5)))
        #expect(take(start) == .refuse(.seconds(5)))
        #expect(take(start + .seconds(2)) == .after(.seconds(3)))
        #expect(take(start + .seconds(60)) == .after(.zero))
    }

    @Test("A pause that the server asks for, after which tokens come one by one")
    func hold() {
        var bucket = RequestBucket()
        func take(_ now: NIODeadline) -> RequestBucket.Turn {
            bucket.take(interval: .seconds(1), burst: 1, longest: .seconds(10), at: now)
        }
        bucket.hold(for: .seconds(5), at: start)
        bucket.hold(for: .seconds(2), at: start)
        #expect(take(start) == .after(.seconds(5)))
        #expect(take(start) == .after(.seconds(6)))
        bucket.hold(for: .seconds(30), at: start)
        #expect(take(start) == .refuse(.seconds(30)))
    }

    @Test("Over any time no more than the rate and the burst", arguments: 0..<30)
    func random(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var bucket = RequestBucket()
        var now = start
        var moments: [NIODeadline] = []
        for _ in 0..<300 {
            now = now + .milliseconds(Int64.random(in: 0...150, using: &generator))
            if case .after(let wait) = bucket.take(
                interval: .milliseconds(100), burst: 5, longest: .seconds(2), at: now)
            {
                moments.append(now + TimeAmount(clamping: wait))
            }
        }
        let sorted = moments.sorted()
        for (index, end) in sorted.enumerated() where index >= 5 {
            // Six requests take at least one interval.
            #expect((end - sorted[index - 5]).nanoseconds >= 100_000_000)
        }
    }

    @Test("Settings that make no sense do not trap")
    func odd() {
        var bucket = RequestBucket()
        for (interval, burst) in [(Duration.seconds(-1), 0), (.seconds(Int64.max), .max), (.zero, -4)] {
            for _ in 0..<20 {
                _ = bucket.take(interval: interval, burst: burst, longest: .seconds(Int64.max), at: start)
            }
        }
    }

    @Test(
        "RateLimit, with RateLimit-Policy for its window",
        arguments: [
            (200, #""default";r=0;t=30"#, "", 30), (200, #""default";r=1;t=30"#, "", nil),
            (200, #""a";r=5;t=9, "b";r=0;t=12, "c";r=0;t=3"#, "", 12),
            (200, #""a";r=0"#, #""a";q=100;w=60"#, 60), (200, #""a";r=0"#, #""b";q=100;w=60"#, nil),
            (200, "default;r=0;t=7", "", 7), (200, #""a";r=0;t=99999999"#, "", 86_400), (200, #""a";r=-3;t=4"#, "", 4),
            (200, #""a";r=0;t=-1"#, "", nil), (200, #""a";r="0";t=4"#, "", nil), (200, "(\"a\");r=0;t=4", "", nil),
            (200, "7;r=0;t=4", "", nil), (200, #""a";r=0;t=4,"#, "", nil), (200, "", "", nil),
            (429, "", "", 1), (429, #""a";r=0;t=8"#, "", 8),
        ] as [(Int, String, String, Int64?)])
    func fields(status: Int, limit: String, policy: String, expected: Int64?) throws {
        var fields = HTTPFields()
        if !limit.isEmpty { fields[try #require(HTTPField.Name("RateLimit"))] = limit }
        if !policy.isEmpty { fields[try #require(HTTPField.Name("RateLimit-Policy"))] = policy }
        let pause = RateLimitField.pause(status: status, FieldSection(fields), retryAfter: nil)
        #expect(pause == expected.map { .seconds($0) })
    }

    @Test("A Retry-After counts for 429, and a long field is not read")
    func other() throws {
        let name = try #require(HTTPField.Name("RateLimit"))
        let section = FieldSection([name: #""a";r=0;t=8"#])
        #expect(RateLimitField.pause(status: 429, section, retryAfter: .seconds(3)) == .seconds(3))
        #expect(RateLimitField.pause(status: 503, section, retryAfter: .seconds(3)) == .seconds(8))
        let long = FieldSection([name: String(repeating: #""a";r=0;t=8, "#, count: 400) + #""a";r=0;t=8"#])
        #expect(RateLimitField.pause(status: 200, long, retryAfter: nil) == nil)
    }
}
