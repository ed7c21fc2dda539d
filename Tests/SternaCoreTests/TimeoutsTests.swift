import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Timeouts")
struct TimeoutsTests {
    @Test("The defaults are AFNetworking's 60 s between bytes, and none is without end")
    func defaults() {
        let timeouts = Timeouts()
        expectEqual(timeouts.connect, .seconds(30))
        expectEqual(timeouts.tls, .seconds(30))
        expectEqual(timeouts.firstByte, .seconds(60))
        expectEqual(timeouts.betweenBytes, .seconds(60))
        expectEqual(timeouts.total, .seconds(7 * 86_400))
    }

    static let fields: [any WritableKeyPath<Timeouts, Duration> & Sendable] = [
        \.connect, \.tls, \.firstByte, \.betweenBytes, \.total,
    ]

    static let century = Duration.seconds(100 * 366 * 86_400)

    static let clamped: [(Duration, Duration)] = [
        (.nanoseconds(1), .milliseconds(1)),
        (.milliseconds(1), .milliseconds(1)),
        (.milliseconds(1_500), .milliseconds(1_500)),
        (.seconds(90), .seconds(90)),
        (.seconds(Int64.max), century),
        (Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999), century),
    ]

    @Test("Each value is clamped to between a millisecond and a hundred years", arguments: clamped)
    func clamp(given: Duration, kept: Duration) {
        for field in Self.fields {
            var timeouts = Timeouts()
            timeouts[keyPath: field] = given
            // What lies below a nanosecond may be cut off, and a century's last second may be kept in part.
            let difference = timeouts[keyPath: field] - kept
            #expect(difference >= .zero && difference < .seconds(1))
        }
    }

    @Test("Zero and less are a millisecond, but for the total, whose time is then over", arguments: [0, -5, Int64.min])
    func noTime(seconds: Int64) {
        for field in Self.fields {
            var timeouts = Timeouts()
            timeouts[keyPath: field] = .seconds(seconds)
            expectEqual(timeouts[keyPath: field], (field == \.total ? .zero : .milliseconds(1)))
        }
    }

    @Test("A field changes itself alone")
    func independence() {
        for field in Self.fields {
            var timeouts = Timeouts()
            timeouts[keyPath: field] = .seconds(7)
            for other in Self.fields where other != field {
                expectEqual(timeouts[keyPath: other], Timeouts()[keyPath: other])
            }
        }
    }

    @Test("setEach leaves the total alone")
    func each() {
        var timeouts = Timeouts()
        timeouts.setEach(.seconds(5))
        expectEqual(timeouts.connect, .seconds(5))
        expectEqual(timeouts.tls, .seconds(5))
        expectEqual(timeouts.firstByte, .seconds(5))
        expectEqual(timeouts.betweenBytes, .seconds(5))
        expectEqual(timeouts.total, Timeouts().total)
    }

    @Test("The values in SwiftNIO's unit are the same")
    func amounts() {
        var timeouts = Timeouts()
        timeouts.connect = .milliseconds(1)
        timeouts.tls = .seconds(2)
        timeouts.firstByte = .seconds(3)
        timeouts.betweenBytes = .seconds(4)
        timeouts.total = .seconds(5)
        let amounts = timeouts.amounts
        expectEqual(amounts.connect, .milliseconds(1))
        expectEqual(amounts.tls, .seconds(2))
        expectEqual(amounts.firstByte, .seconds(3))
        expectEqual(amounts.betweenBytes, .seconds(4))
        expectEqual(amounts.total, .seconds(5))
    }
}

@Suite("Deadline")
struct DeadlineTests {
    @Test("A deadline passes at its instant, whatever the duration")
    func passing() {
        #expect(Deadline(.uptimeNanoseconds(1)).hasPassed)
        #expect((Deadline.now + .zero).hasPassed)
        #expect((Deadline.now + .seconds(-1)).hasPassed)
        #expect((Deadline.now + .seconds(Int64.min)).hasPassed)
        #expect(!(Deadline.now + .seconds(60)).hasPassed)
        #expect(!(Deadline.now + .seconds(Int64.max)).hasPassed)
        #expect(Deadline(.uptimeNanoseconds(1)) < Deadline(.uptimeNanoseconds(2)))
    }

    @Test("Deadlines and durations are added and subtracted, within what the clock can say")
    func arithmetic() {
        let start = Deadline(.uptimeNanoseconds(5_000_000_000))
        expectEqual((start + .seconds(2)).instant, .uptimeNanoseconds(7_000_000_000))
        expectEqual((start - .seconds(2)).instant, .uptimeNanoseconds(3_000_000_000))
        expectEqual(start + .seconds(-2), start - .seconds(2))
        expectEqual((start + .milliseconds(1)) - start, .milliseconds(1))
        expectEqual(start - (start + .seconds(3)), .seconds(-3))
        expectEqual(start - .seconds(60), Deadline(.uptimeNanoseconds(0)))
        for extreme in [Duration.seconds(Int64.max), .seconds(Int64.min)] {
            for deadline in [Deadline(.distantPast), Deadline(.distantFuture), start, .now] {
                let (later, sooner) = (deadline + extreme, deadline - extreme)
                #expect((later >= deadline) == (extreme > .zero) || later == deadline)
                #expect((sooner <= deadline) == (extreme > .zero) || sooner == deadline)
                #expect(later.remaining >= .zero)
            }
        }
    }

    @Test("Shown, they are the limits")
    func shown() {
        var timeouts = Timeouts()
        timeouts.connect = .milliseconds(1_500)
        timeouts.minimumThroughput = Timeouts.Throughput(bytesPerSecond: 1_000)
        expectEqual(
            "\(timeouts)",
            "queue: 604800.0 seconds, resolve: 30.0 seconds, connect: 1.5 seconds, proxy: 30.0 seconds, tls: 30.0 seconds, "
                + "write: 60.0 seconds, firstByte: 60.0 seconds, betweenBytes: 60.0 seconds, total: 604800.0 seconds, "
                + "minimumThroughput: 1000 bytes per second over 30.0 seconds")
    }
}
