import NIOCore
import NIOPosix
import SternaCore
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Queue: bandwidth by schedule")
struct BandwidthScheduleTests {
    private static let office = BandwidthSchedule(
        [
            .init(from: .init(12), to: .init(13), on: .workdays, download: 900),
            .init(from: .init(8), to: .init(18, 30), on: .workdays, download: 500, upload: 100),
            .init(from: .init(22), to: .init(6), on: .friday, download: nil, upload: 7),
        ], otherwise: .init(download: 2_000))

    @Test(
        "The window of a moment decides both limits",
        arguments: [
            (1, 8, 0, 0, 500, 100), (1, 7, 59, 59, 2_000, nil), (5, 18, 29, 59, 500, 100), (5, 18, 30, 0, 2_000, nil),
            (3, 12, 0, 0, 900, nil), (3, 13, 0, 0, 500, 100),
            // Friday's window ends on Saturday.
            (5, 22, 0, 0, nil, 7), (6, 5, 59, 59, nil, 7), (6, 6, 0, 0, 2_000, nil), (5, 3, 0, 0, 2_000, nil),
            (0, 9, 0, 0, 2_000, nil),
        ] as [(Int, Int, Int, Int, Int?, Int?)])
    func window(_ day: Int, _ hour: Int, _ minute: Int, _ second: Int, _ download: Int?, _ upload: Int?) {
        let moment = WeekMoment(weekday: day, second: hour * 3_600 + minute * 60 + second)
        expectEqual(Self.office.rates(at: moment), .init(download: download, upload: upload))
    }

    @Test(
        "A window that ends at its beginning lasts a day; times out of range are clamped, moments wrap around"
    )
    func edges() {
        let all = BandwidthSchedule([.init(from: .init(9), to: .init(9), on: .monday, download: 1)])
        expectEqual(all.rates(at: WeekMoment(weekday: 1, second: 9 * 3_600)).download, 1)
        expectEqual(all.rates(at: WeekMoment(weekday: 2, second: 9 * 3_600 - 1)).download, 1)
        expectNil(all.rates(at: WeekMoment(weekday: 2, second: 9 * 3_600)).download)
        #expect(BandwidthSchedule.Time(99, 99).minutes == 1_440 && BandwidthSchedule.Time(-3, -3).minutes == 0)
        expectEqual("\(BandwidthSchedule.Time(8, 5))", "08:05")
        expectEqual(WeekMoment(weekday: -1, second: -1), WeekMoment(weekday: 6, second: 86_399))
        expectNil(BandwidthSchedule([]).secondsToNextChange(after: WeekMoment(weekday: 0, second: 0)))
        #expect((0..<7).contains(WeekMoment.now(in: .local).weekday))
    }

    @Test("Random schedules: the limits are constant until the next change")
    func nextChange() throws {
        for seed in UploadSeeds.some(40) {
            var random = SeededRandom(seed: seed)
            let windows = (0..<Int.random(in: 1...4, using: &random)).map { index in
                BandwidthSchedule.Window(
                    from: .init(Int.random(in: 0...24, using: &random), Int.random(in: 0...59, using: &random)),
                    to: .init(Int.random(in: 0...24, using: &random)),
                    on: .init(rawValue: UInt8.random(in: 1...127, using: &random)), download: index + 1)
            }
            let schedule = BandwidthSchedule(windows)
            let start = WeekMoment(
                weekday: Int.random(in: 0...6, using: &random), second: Int.random(in: 0..<86_400, using: &random))
            let wait = try #require(schedule.secondsToNextChange(after: start))
            #expect((1...7 * 86_400).contains(wait))
            let rates = schedule.rates(at: start)
            for step in stride(from: 0, to: wait, by: max(1, wait / 500)) {
                let total = start.weekday * 86_400 + start.second + step
                expectEqual(
                    schedule.rates(at: WeekMoment(weekday: total / 86_400, second: total)), rates, "seed \(seed)")
            }
        }
    }

    @Test("A limit follows its schedule; a value that the program sets holds until the next change")
    func pacer() async throws {
        let time = TestClock()
        let start = time.now
        let limit = BandwidthLimit()
        // The clock begins on Monday at 7:59.
        let wall: @Sendable (BandwidthSchedule.Zone) -> WeekMoment = { _ in
            let seconds = Int((time.now - start).nanoseconds / 1_000_000_000) + 86_400 + 8 * 3_600 - 60
            return WeekMoment(weekday: seconds / 86_400, second: seconds)
        }
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let pacer = SchedulePacer(limit, Self.office, LoopClock(time.clock, on: loop), wall)
        #expect(limit.download == 2_000 && limit.upload == nil)
        await time.advance(by: .seconds(61))
        #expect(limit.download == 500 && limit.upload == 100)
        limit.download = 50
        await time.advance(by: .seconds(3_000))
        expectEqual(limit.download, 50)
        for _ in 0..<24 { await time.advance(by: .seconds(500)) }
        #expect(limit.download == 900 && limit.upload == nil)
        pacer.set(nil)
        for _ in 0..<24 { await time.advance(by: .seconds(500)) }
        #expect(limit.download == 900 && pacer.schedule == nil)
    }
}
