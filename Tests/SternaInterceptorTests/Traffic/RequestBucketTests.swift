import HTTPTypes
import NIOCore
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// The rate of requests, in values, and the fields by which servers name theirs.
@Suite("Rate limit: rules")
struct RequestBucketTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000)

    @Test("A burst at once, then one in each interval")
    func burst() {
        var bucket = RequestBucket()
        let pace = RequestBucket.Pace(interval: .seconds(1), burst: 3)
        func turn(_ ticket: UInt64, after seconds: Int64 = 0) -> RequestBucket.Decision {
            bucket.decide(ticket, pace, longest: .seconds(4), at: start + .seconds(seconds))
        }
        expectEqual((0..<3).map { turn($0) }, [.send, .send, .send])
        expectEqual((3..<7).map { turn($0) }, (1...4).map { .wait(.seconds($0)) })
        // Those that are refused have no place in the queue.
        expectEqual(turn(7), .refuse(.seconds(5)))
        expectEqual(turn(8), .refuse(.seconds(5)))
        expectEqual(turn(3, after: 1), .send)
        expectEqual(turn(4, after: 2), .send)
        expectEqual(turn(9, after: 2), .wait(.seconds(3)))
        expectEqual([5, 6, 9].map { turn($0, after: 60) }, [.send, .send, .send])
        #expect(bucket.queue.isEmpty)
    }

    @Test("A request that gives up costs nothing, and those behind it move up")
    func leaving() {
        var bucket = RequestBucket()
        let pace = RequestBucket.Pace(interval: .seconds(1), burst: 1)
        func turn(_ ticket: UInt64, left: Duration? = nil, after seconds: Int64 = 0) -> RequestBucket.Decision {
            bucket.decide(ticket, pace, longest: .seconds(60), timeLeft: left, at: start + .seconds(seconds))
        }
        expectEqual((0..<4).map { turn($0) }, [.send, .wait(.seconds(1)), .wait(.seconds(2)), .wait(.seconds(3))])
        bucket.leave(1)
        bucket.leave(77)
        // Its deadline is at its turn, so that it would be sent too late.
        expectEqual(turn(5, left: .seconds(3)), .refuse(.seconds(3)))
        expectEqual(turn(6, left: .seconds(4)), .wait(.seconds(3)))
        expectEqual(turn(2, after: 1), .send)
        expectEqual(turn(3, after: 1), .wait(.seconds(1)))
    }

    @Test("A pause that the server asks for, also of those that wait")
    func hold() {
        var bucket = RequestBucket()
        let pace = RequestBucket.Pace(interval: .seconds(1), burst: 1)
        func turn(
            _ ticket: UInt64, longest: Duration = .seconds(10), after seconds: Int64 = 0
        ) -> RequestBucket.Decision {
            bucket.decide(ticket, pace, longest: longest, at: start + .seconds(seconds))
        }
        bucket.hold(for: .seconds(5), at: start)
        bucket.hold(for: .seconds(2), at: start)
        expectEqual(turn(0), .wait(.seconds(5)))
        expectEqual(turn(1), .wait(.seconds(6)))
        bucket.hold(for: .seconds(9), at: start)
        expectEqual(turn(0, after: 5), .wait(.seconds(4)))
        expectEqual(turn(1, longest: .seconds(4), after: 5), .refuse(.seconds(5)))
        expectEqual(turn(0, after: 9), .send)
        // A turn that comes later than foretold is no reason to fail.
        expectEqual(turn(2, longest: .seconds(1), after: 9), .wait(.seconds(1)))
        expectEqual(turn(2, longest: .zero, after: 9), .wait(.seconds(1)))
        bucket.hold(for: .seconds(30), at: start + .seconds(9))
        expectEqual(turn(3, after: 9), .refuse(.seconds(31)))
    }

    @Test("Rate and burst hold over any time, even if requests give up or come late", arguments: 0..<30)
    func random(seed: Int) {
        var generator = SeededRandom(seed: UInt64(seed))
        var bucket = RequestBucket()
        let pace = RequestBucket.Pace(interval: .milliseconds(100), burst: 5)
        var now = start
        var due: [(ticket: UInt64, moment: NIODeadline)] = []
        var sent: [NIODeadline] = []
        for number in 0..<600 {
            now = now + .milliseconds(Int64.random(in: 0...120, using: &generator))
            var asking = due.filter { $0.moment <= now }.map(\.ticket)
            due.removeAll { $0.moment <= now }
            if number < 500 { asking.append(UInt64(number)) }
            for ticket in asking {
                switch bucket.decide(ticket, pace, longest: .seconds(2), at: now) {
                case .send: sent.append(now)
                case .wait(let wait): due.append((ticket, now + TimeAmount(clamping: wait)))
                case .refuse: break
                }
            }
            if Int.random(in: 0..<9, using: &generator) == 0, let index = due.indices.randomElement(using: &generator) {
                bucket.leave(due.remove(at: index).ticket)
            }
        }
        #expect(due.isEmpty && bucket.queue.isEmpty)
        #expect(sent.count > 250)
        for (index, end) in sent.enumerated() where index >= 5 {
            // Six requests take at least one interval.
            #expect((end - sent[index - 5]).nanoseconds >= 100_000_000)
        }
    }

    @Test("Settings that make no sense do not trap")
    func odd() {
        var bucket = RequestBucket()
        for (interval, burst) in [(Duration.seconds(-1), 0), (.seconds(Int64.max), .max), (.zero, -4)] {
            let pace = RequestBucket.Pace(interval: interval, burst: burst)
            for ticket in 0..<20 { _ = bucket.decide(UInt64(ticket), pace, longest: .seconds(Int64.max), at: start) }
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
        expectEqual(pause, expected.map { .seconds($0) })
    }

    @Test(
        "RateLimit in the form of older drafts",
        arguments: [
            ("limit=100, remaining=0, reset=30", 30), ("limit=100,remaining=1,reset=30", nil),
            ("remaining=0, reset=30", 30), ("reset=7;x=1, remaining=0;y, limit=5, more=?1", 7),
            ("limit=100, remaining=0, reset=99999999", 86_400), ("limit=100, remaining=0, reset=0", nil),
            ("limit=100, remaining=0, reset=-1", nil), ("limit=100, remaining=-1, reset=3", nil),
            ("limit=-1, remaining=0, reset=3", nil), ("limit=x, remaining=0, reset=3", nil),
            ("limit, remaining=0, reset=3", nil), ("limit=100, remaining=0", nil), ("limit=100, reset=3", nil),
            ("limit=100, remaining=0.0, reset=3", nil), ("limit=100, remaining=\"0\", reset=3", nil),
            ("limit=100, remaining=0, reset=(3)", nil), ("limit=100, remaining=0, reset=3,", nil),
            ("limit=100; remaining=0; reset=3", nil), ("Limit=100, remaining=0, reset=3", nil),
            ("limit=100, remaining=1, remaining=0, reset=3", 3),
        ] as [(String, Int64?)])
    func dictionary(value: String, expected: Int64?) throws {
        let section = FieldSection([try #require(HTTPField.Name("RateLimit")): value])
        expectEqual(RateLimitField.pause(status: 200, section, retryAfter: nil), expected.map { .seconds($0) })
    }

    @Test(
        "RateLimit-Remaining and RateLimit-Reset of the first drafts",
        arguments: [
            (["0"], ["30"], 30), (["1"], ["30"], nil), (["00"], ["030"], 30), (["0"], [], nil), ([], ["30"], nil),
            (["0"], ["0"], nil), (["0"], ["-3"], nil), (["0"], ["3.0"], nil), (["0 "], ["3"], nil),
            (["+0"], ["3"], nil),
            (["0", "0"], ["3"], nil), (["0"], ["3", "4"], nil), (["0"], ["86400"], 86_400), (["0"], ["86401"], nil),
            // A moment, as GitLab sends it.
            (["0"], ["1609844400"], nil), (["0"], ["99999999999999999999"], nil), (["0"], ["3;w=1"], nil),
            (["٠"], ["3"], nil),
        ] as [([String], [String], Int64?)])
    func oldFields(remaining: [String], reset: [String], expected: Int64?) {
        expectEqual(RateLimitField.oldPause(remaining: remaining, reset: reset), expected.map { .seconds($0) })
    }

    @Test("The field of the newest draft counts alone, and X-RateLimit-Remaining never")
    func precedence() throws {
        let names = try ["RateLimit", "RateLimit-Remaining", "RateLimit-Reset"].map { try #require(HTTPField.Name($0)) }
        func pause(_ fields: HTTPFields, status: Int = 200) -> Duration? {
            RateLimitField.pause(status: status, FieldSection(fields), retryAfter: nil)
        }
        expectNil(pause([names[0]: #""a";r=4;t=8"#, names[1]: "0", names[2]: "30"]))
        expectEqual(pause([names[0]: #""a";r=0;t=8"#, names[1]: "0", names[2]: "30"]), .seconds(8))
        expectEqual(pause([names[1]: "0", names[2]: "30"]), .seconds(30))
        expectEqual(pause([names[1]: "0", names[2]: "1609844400"], status: 429), .seconds(1))
        let other = try ["X-RateLimit-Remaining", "X-RateLimit-Reset"].map { try #require(HTTPField.Name($0)) }
        expectNil(pause([other[0]: "0", other[1]: "30"]))
    }

    @Test("A Retry-After counts for 429, and a long field is not read")
    func other() throws {
        let name = try #require(HTTPField.Name("RateLimit"))
        let section = FieldSection([name: #""a";r=0;t=8"#])
        expectEqual(RateLimitField.pause(status: 429, section, retryAfter: .seconds(3)), .seconds(3))
        expectEqual(RateLimitField.pause(status: 503, section, retryAfter: .seconds(3)), .seconds(8))
        let long = FieldSection([name: String(repeating: #""a";r=0;t=8, "#, count: 400) + #""a";r=0;t=8"#])
        expectNil(RateLimitField.pause(status: 200, long, retryAfter: nil))
    }
}
