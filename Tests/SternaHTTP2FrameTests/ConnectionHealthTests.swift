import NIOCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

@Suite("HTTP/2: whether a silent connection is still there")
struct ConnectionHealthTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    private static func at(_ seconds: Int64) -> NIODeadline { start + .seconds(seconds) }

    private static func health(interval: Duration = .seconds(30), timeout: Duration = .seconds(10)) -> ConnectionHealth
    {
        var options = HTTP2Options()
        options.pingInterval = interval
        options.pingTimeout = timeout
        return ConnectionHealth(options, at: start)
    }

    enum Event: Sendable {
        case begin(NIODeadline)
        case received
        case check(ConnectionHealth.Step)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let events: [(at: Int64, Event)]
    }

    static let rows = [
        Row(
            testDescription: "silence: asked once, then gone",
            events: [
                (0, .begin(at(30))), (0, .check(.wait(at(30)))), (29, .check(.wait(at(30)))),
                (30, .check(.ping(at(40)))), (35, .check(.wait(at(40)))), (40, .check(.dead)),
            ]),
        Row(
            testDescription: "checked late: the time for the sign runs from the question",
            events: [
                (0, .begin(at(30))), (100, .check(.ping(at(110)))), (109, .check(.wait(at(110)))), (500, .check(.dead)),
            ]),
        Row(
            testDescription: "what comes puts it off",
            events: [
                (0, .begin(at(30))), (20, .received), (30, .check(.wait(at(50)))), (49, .received),
                (50, .check(.wait(at(79)))), (79, .check(.ping(at(89)))),
            ]),
        Row(
            testDescription: "a sign alone: twice the time each time",
            events: [
                (0, .begin(at(30))), (30, .check(.ping(at(40)))), (31, .received), (31, .check(.wait(at(91)))),
                (91, .check(.ping(at(101)))), (95, .received), (95, .check(.wait(at(215)))),
                (215, .check(.ping(at(225)))), (216, .received), (216, .check(.wait(at(456)))),
            ]),
        Row(
            testDescription: "more than a sign: the usual time again",
            events: [
                (0, .begin(at(30))), (30, .check(.ping(at(40)))), (31, .received), (32, .received),
                (32, .check(.wait(at(62)))), (62, .check(.ping(at(72)))),
            ]),
        Row(
            testDescription: "a new exchange: the usual time again",
            events: [
                (0, .begin(at(30))), (30, .check(.ping(at(40)))), (31, .received), (50, .begin(at(61))),
                (61, .check(.ping(at(71)))),
            ]),
        Row(
            testDescription: "an exchange that begins while a sign is waited for does not put off its end",
            events: [
                (0, .begin(at(30))), (30, .check(.ping(at(40)))), (35, .begin(at(40))), (39, .check(.wait(at(40)))),
                (40, .check(.dead)),
            ]),
        Row(
            testDescription: "the first exchange after a long rest asks at once",
            events: [(0, .begin(at(30))), (1, .received), (600, .begin(at(31))), (600, .check(.ping(at(610))))]),
        Row(
            testDescription: "a sign that came just in time",
            events: [
                (0, .begin(at(30))), (30, .check(.ping(at(40)))), (40, .received), (40, .check(.wait(at(100)))),
            ]),
    ]

    @Test("Step by step", arguments: rows)
    func steps(row: Row) {
        var health = Self.health()
        for (place, (seconds, event)) in row.events.enumerated() {
            let now = Self.at(seconds)
            switch event {
            case .begin(let moment):
                let next = health.begin(at: now)
                expectEqual(next, moment, "event \(place)")
            case .received:
                health.received(at: now)
                expectEqual(health.lastReceived, now)
            case .check(let expected):
                let step = health.check(at: now)
                expectEqual(step, expected, "event \(place)")
            }
        }
    }

    @Test(
        "Any setting is safe",
        arguments: [Duration.zero, .seconds(-5), .nanoseconds(1), .seconds(Int64.max), .milliseconds(1)],
        [Duration.zero, .seconds(-5), .nanoseconds(1), .seconds(Int64.max)])
    func extremes(interval: Duration, timeout: Duration) {
        var health = Self.health(interval: interval, timeout: timeout)
        var now = Self.start
        var asked = 0
        for _ in 0..<200 {
            _ = health.begin(at: now)
            if case .ping(let moment) = health.check(at: now) {
                asked += 1
                #expect(moment >= now)
            }
            health.received(at: now)
            now = now + .hours(1)
        }
        expectEqual(asked, (interval > .seconds(1) ? 0 : 199))
    }

    @Test("The interval doubles, however long the connection is silent")
    func doubling() {
        var health = Self.health(interval: .seconds(1))
        var now = Self.start
        for number in 0..<32 {
            let due = health.lastReceived + .seconds(1 << number)
            let before = health.check(at: due - .nanoseconds(1))
            expectEqual(before, .wait(due))
            now = due
            let step = health.check(at: now)
            expectEqual(step, .ping(now + .seconds(10)))
            health.received(at: now)
        }
    }
}
