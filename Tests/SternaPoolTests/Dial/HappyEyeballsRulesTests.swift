import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("Races of connection attempts")
struct HappyEyeballsRulesTests {
    struct Refused: Error {}

    static let (a4, b4, c4) = (IPAddress(v4: 0xC000_0201), IPAddress(v4: 0xC000_0202), IPAddress(v4: 0xC000_0203))
    static let (a6, b6) = (IPAddress(v6: 0x2001_0DB8 << 32, 1), IPAddress(v6: 0x2001_0DB8 << 32, 2))
    static let ms: Int64 = 1_000_000

    private static func show(_ actions: [HappyEyeballs.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .connect(let attempt, let address): "connect \(attempt) \(address)"
            case .setTimer(let time): "timer \(time / ms)"
            case .cancelTimer: "no timer"
            case .abandon(let attempt): "abandon \(attempt)"
            case .won(let attempt): "won \(attempt)"
            case .lost(let failures): "lost \(failures.map { "\($0.0) \($0.1)" })"
            }
        }
    }

    private func race(_ addresses: [IPAddress] = [a4, b4, c4]) -> HappyEyeballs {
        HappyEyeballs(addresses: addresses, attemptDelay: 250 * Self.ms)
    }

    @Test(
        "Families alternate, each in its order, without duplicates",
        arguments: [
            ([], nil, 16, []),
            ([a6, b6, a4, b4, c4], nil, 16, [a6, a4, b6, b4, c4]),
            ([a4, b4, c4, a6, b6], nil, 16, [a4, a6, b4, b6, c4]),
            ([a4, b4, c4, a6, b6], .v6, 16, [a6, a4, b6, b4, c4]),
            ([a4, b4], .v6, 16, [a4, b4]),
            ([c4, a4, b4], nil, 16, [c4, a4, b4]),
            ([a4, a4, a6, b4, a6, a4], nil, 16, [a4, a6, b4]),
            ([IPAddress(v6: 0, 0xFFFF_C000_0201), a4, a6], nil, 16, [a4, a6]),
            ([a6, b6, a4, b4], nil, 3, [a6, a4, b6]),
            ([a6, a4], nil, 0, []), ([a6, a4], nil, -1, []),
        ] as [([IPAddress], IPAddress.Family?, Int, [IPAddress])])
    func order(addresses: [IPAddress], family: IPAddress.Family?, maximum: Int, expected: [IPAddress]) {
        expectEqual(
            HappyEyeballs(addresses: addresses, preferring: family, maximumAddresses: maximum).addresses, expected)
    }

    @Test("Sixteen addresses are tried by default")
    func defaultMaximum() {
        expectEqual(HappyEyeballs(addresses: (0..<100).map { IPAddress(v4: $0) }).addresses.count, 16)
    }

    @Test("The first attempt wins before its head start is over")
    func first() {
        var race = race()
        expectEqual(Self.show(race.start(now: 0)), ["connect 0 192.0.2.1", "timer 250"])
        expectEqual(Self.show(race.connected(0)), ["no timer", "won 0"])
        expectEqual(Self.show(race.timerFired(now: 250 * Self.ms)), [])
    }

    @Test("Each attempt has its head start, and losing attempts are closed")
    func delays() {
        var race = race()
        _ = race.start(now: 0)
        expectEqual(Self.show(race.timerFired(now: 251 * Self.ms)), ["connect 1 192.0.2.2", "timer 501"])
        expectEqual(Self.show(race.timerFired(now: 501 * Self.ms)), ["connect 2 192.0.2.3"])
        expectEqual(Self.show(race.connected(1)), ["abandon 0", "abandon 2", "won 1"])
        expectEqual(Self.show(race.connected(2)), ["abandon 2"])
        expectEqual(Self.show(race.failed(0, error: Refused(), now: 600 * Self.ms)), [])
        expectEqual(Self.show(race.connected(1)), [])
    }

    @Test("A failure starts the next attempt at once, with a head start of its own")
    func failure() {
        var race = race()
        _ = race.start(now: 0)
        expectEqual(
            Self.show(race.failed(0, error: Refused(), now: 10 * Self.ms)), ["connect 1 192.0.2.2", "timer 260"])
        expectEqual(
            Self.show(race.failed(1, error: Refused(), now: 20 * Self.ms)), ["connect 2 192.0.2.3", "no timer"])
        let lost = "lost [\"192.0.2.1 Refused()\", \"192.0.2.2 Refused()\", \"192.0.2.3 Refused()\"]"
        expectEqual(Self.show(race.failed(2, error: Refused(), now: 30 * Self.ms)), [lost])
        expectEqual(Self.show(race.cancel()), [])
    }

    @Test("The failure of an older attempt does not shorten the youngest one's head start")
    func olderFailure() {
        var race = race()
        _ = race.start(now: 0)
        _ = race.timerFired(now: 250 * Self.ms)
        expectEqual(Self.show(race.failed(0, error: Refused(), now: 260 * Self.ms)), [])
        expectEqual(Self.show(race.timerFired(now: 500 * Self.ms)), ["connect 2 192.0.2.3"])
    }

    @Test("The race is not lost while an attempt runs")
    func lastOneRuns() {
        var race = race([Self.a4, Self.b4])
        _ = race.start(now: 0)
        _ = race.timerFired(now: 250 * Self.ms)
        expectEqual(Self.show(race.failed(1, error: Refused(), now: 300 * Self.ms)), [])
        expectEqual(Self.show(race.failed(1, error: Refused(), now: 301 * Self.ms)), [])
        expectEqual(Self.show(race.connected(0)), ["won 0"])
    }

    @Test("A timer that fires too early is set again; a late one takes effect")
    func earlyTimer() {
        var race = race()
        _ = race.start(now: 0)
        expectEqual(Self.show(race.timerFired(now: 249 * Self.ms)), ["timer 250"])
        expectEqual(Self.show(race.timerFired(now: 900 * Self.ms)), ["connect 1 192.0.2.2", "timer 1150"])
    }

    @Test("Without an address the race is lost")
    func empty() {
        var race = race([])
        expectEqual(Self.show(race.start(now: 0)), ["lost []"])
        expectEqual(Self.show(race.start(now: 0)), [])
    }

    @Test("Cancelling closes running attempts, and later connections")
    func cancel() {
        var race = race()
        _ = race.start(now: 0)
        _ = race.timerFired(now: 250 * Self.ms)
        expectEqual(Self.show(race.cancel()), ["no timer", "abandon 0", "abandon 1"])
        expectEqual(Self.show(race.cancel()), [])
        expectEqual(Self.show(race.connected(1)), ["abandon 1"])
        expectEqual(Self.show(race.timerFired(now: 500 * Self.ms)), [])
        var unstarted = HappyEyeballs(addresses: [Self.a4])
        expectEqual(Self.show(unstarted.cancel()), [])
        expectEqual(Self.show(unstarted.start(now: 0)), [])
    }

    @Test("An unknown attempt is closed, and changes nothing")
    func unknown() {
        var race = race()
        _ = race.start(now: 0)
        expectEqual(Self.show(race.connected(7)), ["abandon 7"])
        expectEqual(Self.show(race.failed(-1, error: Refused(), now: 1)), [])
        expectEqual(Self.show(race.connected(0)), ["no timer", "won 0"])
    }

    @Test("No head start is shorter than 10 ms, and none overflows", arguments: [(-1, 10), (0, 10), (9, 10), (11, 11)])
    func shortest(delay: Int64, expected: Int64) {
        var race = HappyEyeballs(addresses: [Self.a4, Self.b4], attemptDelay: delay * Self.ms)
        expectEqual(Self.show(race.start(now: 0)), ["connect 0 192.0.2.1", "timer \(expected)"])
        var late = HappyEyeballs(addresses: [Self.a4, Self.b4], attemptDelay: .max)
        expectEqual(Self.show(late.start(now: 1)).last, "timer \(Int64.max / Self.ms)")
    }
}
