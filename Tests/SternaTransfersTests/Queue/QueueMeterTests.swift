import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Queue: progress and rates")
struct QueueMeterTests {
    private func at(_ milliseconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(1_000_000_000) + .milliseconds(milliseconds)
    }

    @Test("Uploads and downloads are counted together and separately")
    func directions() {
        var meter = QueueMeter()
        meter.add(1, isUpload: true, total: 100)
        meter.add(2, isUpload: false, total: 300)
        meter.set(1, TransferProgress(completed: 50, total: 100), resumedAt: 0, at: at(0))
        meter.set(2, TransferProgress(completed: 30, total: 300), resumedAt: 0, at: at(0))
        let progress = meter.progress(at: at(0))
        #expect(progress.bytes.completed == 80 && progress.bytes.total == 400)
        #expect(progress.uploads.completed == 50 && progress.uploads.total == 100)
        #expect(progress.downloads.completed == 30 && progress.downloads.total == 300)
        #expect(progress.count == 2 && progress.finished == 0 && !progress.isEstimated)
        expectEqual("\(progress)", "0 of 2 transfers, 20% of 400 B")
    }

    @Test("Unknown lengths count with the mean of the known ones")
    func estimates() {
        var meter = QueueMeter()
        for id in 1...4 { meter.add(id, isUpload: false, total: nil) }
        expectNil(meter.progress(at: at(0)).bytes.total)
        meter.setTotal(100, of: 1)
        meter.setTotal(300, of: 2)
        var progress = meter.progress(at: at(0))
        #expect(progress.bytes.total == 800 && progress.isEstimated)
        meter.set(3, TransferProgress(completed: 900, total: nil), resumedAt: 0, at: at(0))
        expectEqual(meter.progress(at: at(0)).bytes.total, 900)
        meter.set(3, TransferProgress(completed: 900, total: 1_000), resumedAt: 0, at: at(0))
        meter.set(4, TransferProgress(completed: 0, total: 600), resumedAt: 0, at: at(0))
        meter.setTotal(7, of: 4)
        progress = meter.progress(at: at(0))
        #expect(progress.bytes.total == 2_000 && !progress.isEstimated)
    }

    @Test("Ended, failed and removed transfers count as such in the progress")
    func ends() {
        var meter = QueueMeter()
        for id in 1...3 { meter.add(id, isUpload: false, total: 100) }
        meter.add(4, isUpload: false, total: 9_999)
        meter.remove(4)
        meter.remove(4)
        meter.set(1, TransferProgress(completed: 100, total: 100), resumedAt: 0, at: at(0))
        meter.end(1, succeeded: true)
        meter.set(2, TransferProgress(completed: 40, total: 100), resumedAt: 0, at: at(0))
        meter.end(2, succeeded: false)
        meter.end(2, succeeded: false)
        let progress = meter.progress(at: at(0))
        #expect(progress.count == 3 && progress.finished == 1 && progress.failed == 1)
        #expect(!progress.isOver && !QueueProgress().isOver)
        #expect(progress.bytes.completed == 140 && progress.bytes.total == 240)
        expectEqual("\(progress)", "1 of 3 transfers, 1 failed, 58% of 240 B")
        meter.remove(3)
        #expect(meter.progress(at: at(0)).isOver)
    }

    @Test("The rate counts neither resumed nor repeated bytes")
    func resumed() {
        var meter = QueueMeter()
        meter.add(1, isUpload: false, total: 10_000)
        meter.set(1, TransferProgress(completed: 5_000), resumedAt: 5_000, at: at(0))
        meter.set(1, TransferProgress(completed: 6_000), resumedAt: 5_000, at: at(1_000))
        #expect(abs((meter.progress(at: at(1_000)).downloads.rate ?? 0) - 1_000) < 1)
        meter.set(1, TransferProgress(completed: 0), resumedAt: 0, at: at(1_000))
        meter.set(1, TransferProgress(completed: 1_000), resumedAt: 0, at: at(1_000))
        #expect(abs((meter.progress(at: at(1_000)).downloads.rate ?? 0) - 1_000) < 1)
    }

    @Test(
        "A successful upload counts with its length, a download with its bytes; each direction has its own rate"
    )
    func whole() {
        var meter = QueueMeter()
        for id in 1...4 {
            meter.add(id, isUpload: id < 3, total: 100)
            meter.set(id, TransferProgress(completed: 60), resumedAt: 0, at: at(0))
            if id < 3 { meter.set(id, TransferProgress(completed: 70), resumedAt: 0, at: at(1_000)) }
            meter.end(id, succeeded: id != 2)
        }
        let progress = meter.progress(at: at(0))
        expectEqual(progress.uploads.completed, 170)
        expectEqual(progress.uploads.total, 170)
        expectEqual(progress.downloads, TransferProgress(completed: 120, total: 120))
        #expect(progress.uploads.rate != nil && progress.bytes.rate == progress.uploads.rate)
        #expect(progress.count == 4 && progress.finished == 3 && progress.failed == 1 && progress.isOver)
    }

    // MARK: Rates

    @Test("A rate follows a change within seconds, without its jumps")
    func smoothed() throws {
        var rate = SmoothedRate()
        expectNil(rate.rate(at: at(0)))
        // Bursts of half a second each at a megabyte per second.
        for step in 0..<20 { rate.add(500_000, at: at(Int64(step) * 500)) }
        var now = try #require(rate.rate(at: at(9_500)))
        #expect(abs(now / 1_000_000 - 1) < 0.15, "\(now)")
        for step in 0..<40 { rate.add(10_000, at: at(9_600 + Int64(step) * 100)) }
        now = try #require(rate.rate(at: at(13_500)))
        #expect((100_000...450_000).contains(now), "\(now)")
        // Nothing more arrives.
        let later = try #require(rate.rate(at: at(30_000)))
        #expect(later < 5_000, "\(later)")
        // Time that goes back, and negative counts, change nothing.
        rate.add(-5, at: at(0))
        #expect(rate.rate(at: at(0)) != nil)
    }

    @Test(
        "Beside foreground transfers, background ones get a tenth of the measured rate",
        arguments: [
            (0, nil, nil), (0, 1e9, nil), (1, nil, YieldRule.least), (1, 5e7, 5_000_000), (3, 5e7, 5_000_000),
            (1, 10, YieldRule.least), (1, .infinity, YieldRule.least), (1, 1e300, 100_000_000_000_000),
        ] as [(Int, Double?, Int?)])
    func yielding(_ foreground: Int, _ measured: Double?, _ expected: Int?) {
        expectEqual(YieldRule.limit(foreground: foreground, measured: measured), expected)
    }

    @Test("A task is retried only after a transient failure, up to the limit")
    func retries() {
        let closed = SternaError(.connectionClosed, phase: .read, "The server closed the connection.")
        let refused = SternaError(.certificateRejected, phase: .tls, "The certificate has expired.")
        let table: [(SternaError, Int, Int, Duration?, Int64?)] = [
            (closed, 1, 0, nil, nil), (closed, 1, 2, nil, 1_000), (closed, 2, 2, nil, 2_000), (closed, 3, 2, nil, nil),
            (closed, 9, 20, nil, 30_000), (closed, 1, 2, .seconds(50), 50_000), (refused, 1, 9, nil, nil),
            (.cancelled(phase: .read), 1, 9, nil, nil),
        ]
        for (error, attempts, retries, asked, expected) in table {
            let pause = QueueRetry.pause(
                after: error, asked: asked, attempts: attempts, retries: retries, longest: .seconds(30), random: 1)
            expectEqual(pause, expected, "\(error.kind), \(attempts) of \(retries)")
        }
    }
}
