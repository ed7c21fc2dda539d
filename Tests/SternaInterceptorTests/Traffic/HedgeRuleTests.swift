import NIOCore
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// When a request is sent once more, and which copy is delivered, in values.
@Suite("Hedging: rules")
struct HedgeRuleTests {
    private static let now = NIODeadline.uptimeNanoseconds(1 << 40)

    private static func rules(
        _ delay: HedgingPolicy.Delay = .fixed(.milliseconds(100)), limit: Int = 1, methods: Set<Request.Method> = [.get]
    ) -> HedgeRule.Rules {
        HedgeRule.Rules(delay: delay, limit: limit, methods: methods, budget: RetryBudget(share: 0.05, floor: 1))
    }

    private static func request(_ method: Request.Method = .get, _ body: Body? = nil) throws -> Request {
        Request(method, try HTTPURL("https://api.example.com/a"), body: body)
    }

    private static func refusal(
        _ request: Request, _ rules: HedgeRule.Rules = rules(), _ origin: HedgedOrigin = HedgedOrigin(),
        _ progress: HedgeRule.Progress = .init(), budget: Bool = true
    ) -> HedgeRule.Obstacle? {
        HedgeRule.refusal(request, rules, origin, progress, at: now, budget: budget)
    }

    @Test("Which requests are hedged, and when")
    func plans() throws {
        func plan(
            _ request: Request, _ rules: HedgeRule.Rules = Self.rules(), _ origin: HedgedOrigin = HedgedOrigin(),
            _ progress: HedgeRule.Progress = .init()
        ) -> HedgeRule.Plan {
            HedgeRule.plan(request, rules, origin, progress, at: Self.now)
        }
        let (get, post) = (try Self.request(), try Self.request(.post))
        expectEqual(plan(get), .hedge(after: .milliseconds(100)))
        expectEqual(plan(post), .leave(.method))
        expectEqual(plan(get, Self.rules(limit: 0)), .leave(.limit))
        expectEqual(plan(get, Self.rules(limit: -1)), .leave(.limit))
        expectEqual(plan(get, Self.rules(limit: 2), HedgedOrigin(), .init(hedges: 2)), .leave(.limit))
        expectEqual(
            plan(get, Self.rules(limit: 2), HedgedOrigin(), .init(hedges: 1)), .hedge(after: .milliseconds(100)))
        expectEqual(plan(get, Self.rules(), HedgedOrigin(), .init(isCancelled: true)), .leave(.cancelled))
        expectEqual(plan(get, Self.rules(), HedgedOrigin(), .init(hasEnded: true)), .leave(.ended))
        // A hedge at the deadline would come too late.
        expectEqual(plan(get, Self.rules(), HedgedOrigin(), .init(timeLeft: .milliseconds(100))), .leave(.time))
        let left = HedgeRule.Progress(timeLeft: .milliseconds(101))
        expectEqual(plan(get, Self.rules(), HedgedOrigin(), left), .hedge(after: .milliseconds(100)))
        expectEqual(plan(get, Self.rules(.fixed(.seconds(-1)))), .hedge(after: .zero))
        let put = Self.rules(methods: [.put])
        let whole = try Self.request(.put, .text("a"))
        let once = try Self.request(.put, .stream(AsyncStream<Bytes> { $0.finish() }))
        expectEqual(plan(whole, put), .hedge(after: .milliseconds(100)))
        expectEqual(plan(once, put), .leave(.body))
        var held = HedgedOrigin()
        held.hold(for: .seconds(5), at: Self.now - .seconds(4))
        expectEqual(plan(get, Self.rules(), held), .leave(.held))
        held = HedgedOrigin()
        held.hold(for: .seconds(5), at: Self.now - .seconds(5))
        expectEqual(plan(get, Self.rules(), held), .hedge(after: .milliseconds(100)))
    }

    @Test("Reasons for which a due hedge is not sent")
    func refusals() throws {
        let get = try Self.request()
        expectNil(Self.refusal(get))
        expectEqual(Self.refusal(get, budget: false), .budget)
        expectEqual(Self.refusal(get, Self.rules(), HedgedOrigin(), .init(hasEnded: true)), .ended)
        expectEqual(Self.refusal(get, Self.rules(), HedgedOrigin(), .init(timeLeft: .zero)), .time)
        expectEqual(Self.refusal(get, Self.rules(), HedgedOrigin(), .init(hedges: 1)), .limit)
        // The budget is asked last, so that a hedge that is not sent costs nothing.
        var asked = 0
        func ask() -> Bool {
            asked += 1
            return true
        }
        _ = HedgeRule.refusal(
            get, Self.rules(), HedgedOrigin(), .init(isCancelled: true), at: Self.now, budget: ask())
        expectEqual(asked, 0)
    }

    @Test("A percentile of the latest times, once there are enough")
    func percentiles() {
        var origin = HedgedOrigin()
        let delay = HedgingPolicy.Delay.percentile(95, floor: .milliseconds(5), samples: 20)
        for number in 1...19 { origin.add(.milliseconds(number)) }
        expectNil(origin.delay(delay))
        origin.add(.milliseconds(20))
        expectEqual(origin.delay(delay), .milliseconds(19))
        expectEqual(origin.delay(.percentile(100, samples: 1)), .milliseconds(20))
        expectEqual(origin.delay(.percentile(1, floor: .zero, samples: 1)), .milliseconds(1))
        expectEqual(origin.delay(.percentile(1, floor: .milliseconds(7), samples: 1)), .milliseconds(7))
        for share in [-5.0, 0, 1_000, .infinity, -.infinity] {
            #expect(origin.delay(.percentile(share, floor: .zero, samples: -3)) != nil, "\(share)")
        }
        expectNil(origin.delay(.percentile(.nan, samples: 1)))
        // More samples than are kept.
        for _ in 0..<200 { origin.add(.milliseconds(3)) }
        expectEqual(origin.delay(.percentile(100, floor: .zero, samples: 10_000)), .milliseconds(3))
        expectEqual(origin.latencies.count, Latencies.most)
    }

    @Test("Percentiles are those of the latest times", arguments: 1...3)
    func latest(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var latencies = Latencies()
        var all: [Duration] = []
        expectNil(latencies.percentile(50))
        for _ in 0..<600 {
            let time = Duration.milliseconds(Int.random(in: 0...40, using: &random))
            latencies.add(time)
            all.append(time)
            let kept = all.suffix(Latencies.most).sorted()
            let share = Double(Int.random(in: 1...100, using: &random))
            let rank = Int((share / 100 * Double(kept.count)).rounded(.up))
            expectEqual(latencies.percentile(share), kept[max(rank, 1) - 1])
        }
    }

    @Test("A twentieth of the requests, and one in ten seconds")
    func budget() {
        let budget = RetryBudget(share: 0.05, floor: 1)
        var origin = HedgedOrigin()
        var sent = 0
        for _ in 0..<400 {
            origin.count(at: Self.now)
            if origin.withdraw(budget, at: Self.now) { sent += 1 }
        }
        expectEqual(sent, 21)
        let further = [
            origin.withdraw(budget, at: Self.now), origin.withdraw(budget, at: Self.now + .seconds(10)),
            origin.withdraw(nil, at: Self.now),
        ]
        expectEqual(further, [false, true, true])
    }

    @Test("Statuses that win, and those that ask for fewer requests")
    func statuses() {
        for status in [200, 204, 301, 304, 401, 404, 409, 501] { #expect(HedgeRule.isUsable(status), "\(status)") }
        for status in [429, 500, 502, 503, 504] { #expect(!HedgeRule.isUsable(status), "\(status)") }
        expectEqual(HedgeRule.hold(after: 503, retryAfter: .seconds(7)), .seconds(7))
        expectEqual(HedgeRule.hold(after: 429, retryAfter: nil), .seconds(10))
        expectEqual(HedgeRule.hold(after: 429, retryAfter: .seconds(1 << 40)), .seconds(86_400))
        expectNil(HedgeRule.hold(after: 500, retryAfter: .seconds(7)))
        expectNil(HedgeRule.hold(after: 200, retryAfter: .seconds(7)))
    }

    @Test("The first usable response wins; without one, the first copy's outcome")
    func races() {
        typealias End = (copy: Int, outcome: HedgeRace.Outcome)
        let cases: [(hedges: Int, ends: [End], steps: [HedgeRace.Step])] = [
            (0, [(0, .usable)], [.deliver(0)]),
            (0, [(0, .failed)], [.deliver(0)]),
            (1, [(0, .usable)], [.deliver(0)]),
            (1, [(1, .usable)], [.deliver(1)]),
            (1, [(0, .failed), (1, .usable)], [.wait, .deliver(1)]),
            (1, [(1, .failed), (0, .usable)], [.wait, .deliver(0)]),
            (1, [(0, .failed), (1, .failed)], [.wait, .deliver(0)]),
            (1, [(1, .failed), (0, .failed)], [.wait, .deliver(0)]),
            (2, [(0, .failed), (2, .failed), (1, .usable)], [.wait, .wait, .deliver(1)]),
            (2, [(2, .failed), (1, .failed), (0, .failed)], [.wait, .wait, .deliver(0)]),
            (1, [(7, .usable)], [.wait]),
        ]
        for (hedges, ends, steps) in cases {
            var race = HedgeRace()
            let numbers = (0..<hedges).map { _ in race.addCopy() }
            expectEqual(numbers, Array(1..<hedges + 1))
            #expect(race.hedges == hedges && !race.hasEnded)
            let found = ends.map { race.ended($0.copy, $0.outcome) }
            expectEqual(found, steps, "\(hedges) \(ends)")
        }
    }
}
