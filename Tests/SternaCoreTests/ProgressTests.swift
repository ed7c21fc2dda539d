import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Byte counts as people read them")
struct ByteCountTests {
    static let cases: [(Int64, String)] = [
        (0, "0 B"), (1, "1 B"), (999, "999 B"),
        (1_000, "1 kB"), (1_049, "1 kB"), (1_050, "1.1 kB"), (1_200, "1.2 kB"), (9_949, "9.9 kB"), (9_950, "10 kB"),
        (48_000, "48 kB"), (999_499, "999 kB"), (999_500, "1 MB"), (999_999, "1 MB"),
        (1_000_000, "1 MB"), (64 << 20, "67 MB"), (1_200_000_000, "1.2 GB"), (1 << 40, "1.1 TB"),
        (1_000_000_000_000_000, "1 PB"), (Int64.max, "9.2 EB"),
    ]

    @Test("Three figures at the most, in powers of 1,000", arguments: cases)
    func text(bytes: Int64, shown: String) {
        expectEqual(ByteSize(bytes).description, shown)
    }
}

@Suite("Transfer progress")
struct TransferProgressTests {
    @Test("The outline's example")
    func example() {
        let step = TransferProgress(completed: 444_000_000, total: 1_200_000_000, rate: 48_000_000)
        expectEqual(step.description, "37% of 1.2 GB, 48 MB/s, 16 s left")
    }

    @Test("Every percent shows as itself", arguments: 0...100)
    func percent(_ percent: Int64) {
        expectEqual(TransferProgress(completed: percent, total: 100).description, "\(percent)% of 100 B")
        let large = TransferProgress(completed: percent * 12_000_000, total: 1_200_000_000)
        expectEqual(large.description, "\(percent)% of 1.2 GB")
    }

    @Test("100% is shown at the end only")
    func almostThere() {
        expectEqual(TransferProgress(completed: 999, total: 1_000).description, "99% of 1 kB")
        expectEqual(TransferProgress(completed: 1_000, total: 1_000, rate: 10).description, "100% of 1 kB, 10 B/s")
    }

    static let texts: [(TransferProgress, String)] = [
        (TransferProgress(completed: 0), "0 B"),
        (TransferProgress(completed: 5_000_000), "5 MB"),
        (TransferProgress(completed: 5_000_000, rate: 1_000), "5 MB, 1 kB/s"),
        (TransferProgress(completed: 0, total: 0), "100% of 0 B"),
        (TransferProgress(completed: 10, total: 100, rate: 0), "10% of 100 B, 0 B/s"),
        (TransferProgress(completed: 0, total: 9_900, rate: 100), "0% of 9.9 kB, 100 B/s, 99 s left"),
        (TransferProgress(completed: 0, total: 12_500, rate: 100), "0% of 13 kB, 100 B/s, 2 min 5 s left"),
        (TransferProgress(completed: 0, total: 730_000, rate: 100), "0% of 730 kB, 100 B/s, 2 h 1 min left"),
    ]

    @Test("Says what is known", arguments: texts)
    func text(step: TransferProgress, shown: String) {
        expectEqual(step.description, shown)
    }

    @Test("The fraction lies between 0 and 1")
    func fraction() {
        expectNil(TransferProgress(completed: 5).fraction)
        expectEqual(TransferProgress(completed: 5, total: 10).fraction, 0.5)
        expectEqual(TransferProgress(completed: 11, total: 10).fraction, 1)
        expectEqual(TransferProgress(completed: -1, total: 10).fraction, 0)
        expectEqual(TransferProgress(completed: 0, total: 0).fraction, 1)
    }

    @Test("No time is left where it cannot be told")
    func remaining() {
        expectEqual(TransferProgress(completed: 0, total: 100, rate: 10).remaining, .seconds(10))
        expectNil(TransferProgress(completed: 0, total: 100).remaining)
        expectNil(TransferProgress(completed: 0, rate: 10).remaining)
        expectNil(TransferProgress(completed: 0, total: 100, rate: 0).remaining)
        expectNil(TransferProgress(completed: 0, total: .max, rate: 1e-9).remaining)
    }

    @Test("No value of its public fields makes it trap")
    func extremes() async {
        await #expect(processExitsWith: .success) {
            for rate in [Double.nan, .infinity, -.infinity, -1e300, 1e300, -5, 0, 1e-300] {
                for (completed, total) in [(0, 1), (Int64.min, Int64.max), (.max, .min), (.max, 0), (-1, .max)] {
                    let step = TransferProgress(completed: completed, total: total, rate: rate)
                    _ = (step.description, step.fraction, step.remaining)
                }
            }
        }
    }
}

@Suite("Progress meter")
struct ProgressMeterTests {
    private func moment(_ milliseconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(1_000_000_000) + .milliseconds(milliseconds)
    }

    @Test("There is no rate before there is anything to judge by")
    func beginning() {
        var meter = ProgressMeter(total: 1_000)
        expectEqual(meter.progress(at: moment(0)), TransferProgress(completed: 0, total: 1_000))
        meter.add(100, at: moment(0))
        expectEqual(meter.progress(at: moment(0)), TransferProgress(completed: 100, total: 1_000))
    }

    @Test("A steady transfer has its rate")
    func steady() throws {
        var meter = ProgressMeter()
        for step in 0...50 { meter.add(1_000, at: moment(Int64(step) * 100)) }
        let progress = meter.progress(at: moment(5_000))
        expectEqual(progress.completed, 51_000)
        let rate = try #require(progress.rate)
        #expect(abs(rate - 10_000) < 500)
    }

    @Test("Many small arrivals have the same rate as few large ones")
    func small() throws {
        var meter = ProgressMeter()
        for step in 0...5_000 { meter.add(10, at: moment(Int64(step))) }
        let rate = try #require(meter.progress(at: moment(5_000)).rate)
        #expect(abs(rate - 10_000) < 500)
        expectEqual(meter.completed, 50_010)
    }

    @Test("The rate follows a change within some seconds")
    func change() throws {
        var meter = ProgressMeter()
        for step in 0..<100 { meter.add(1_000, at: moment(Int64(step) * 100)) }
        for step in 100..<150 { meter.add(100, at: moment(Int64(step) * 100)) }
        let rate = try #require(meter.progress(at: moment(14_900)).rate)
        #expect(abs(rate - 1_000) < 100)
    }

    @Test("A transfer that stands still slows down, and its speed of long ago is forgotten")
    func stall() throws {
        var meter = ProgressMeter(total: 1 << 30)
        for step in 0..<40 { meter.add(1_000_000, at: moment(Int64(step) * 100)) }
        let rate = try #require(meter.progress(at: moment(60_000)).rate)
        #expect(rate < 1_000_000)
    }

    @Test("Chunks far apart are not averaged over minutes")
    func sparse() throws {
        var meter = ProgressMeter()
        for step in 0..<20 { meter.add(1_000_000, at: moment(Int64(step) * 10_000)) }
        for step in 1...20 { meter.add(1_000, at: moment(190_000 + Int64(step) * 1_000)) }
        let rate = try #require(meter.progress(at: moment(210_000)).rate)
        #expect(rate < 10_000)
    }

    @Test("A clock that goes backwards does no harm")
    func backwards() {
        var meter = ProgressMeter()
        meter.add(10, at: moment(1_000))
        meter.add(10, at: moment(0))
        expectEqual(meter.progress(at: moment(0)).completed, 20)
        expectNil(meter.progress(at: moment(0)).rate)
    }

    @Test("Counts beyond 64 bits do not trap")
    func overflow() async {
        await #expect(processExitsWith: .success) {
            var meter = ProgressMeter()
            meter.add(.max, at: .uptimeNanoseconds(1))
            meter.add(.max, at: .uptimeNanoseconds(2_000_000_000))
            _ = meter.progress(at: .uptimeNanoseconds(3_000_000_000)).description
            var odd = ProgressMeter()
            for (second, bytes) in [Int.min, .max, .max].enumerated() {
                odd.add(bytes, at: .uptimeNanoseconds(UInt64(second + 1) * 1_000_000_000))
            }
            _ = odd.progress(at: .uptimeNanoseconds(9_000_000_000)).description
        }
    }
}
