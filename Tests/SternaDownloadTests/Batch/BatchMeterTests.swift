import NIOCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Downloads: the progress of a batch")
struct BatchMeterTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private func at(_ milliseconds: Int64) -> NIODeadline { start + .milliseconds(milliseconds) }

    @Test("Bytes add up; the total is known when each file's is")
    func sums() {
        var meter = BatchMeter(files: 2)
        meter.set(0, TransferProgress(completed: 10, total: 100), resumedAt: 0, at: at(0))
        expectEqual(meter.progress(at: at(0)).bytes.completed, 10)
        expectNil(meter.progress(at: at(0)).bytes.total)
        meter.set(1, TransferProgress(completed: 20, total: 300), resumedAt: 0, at: at(500))
        meter.set(0, TransferProgress(completed: 80, total: 100), resumedAt: 0, at: at(1_000))
        let progress = meter.progress(at: at(1_000))
        expectEqual(progress.bytes.completed, 100)
        expectEqual(progress.bytes.total, 400)
        expectEqual(progress.bytes.rate, 90)
        expectEqual(progress.description, "0 of 2 files, 25% of 400 B, 90 B/s, 4 s left")
    }

    @Test("Bytes of an earlier attempt count as complete, but not in the rate")
    func resumed() {
        var meter = BatchMeter(files: 1)
        meter.set(0, TransferProgress(completed: 1_000, total: 5_000), resumedAt: 1_000, at: at(0))
        meter.set(0, TransferProgress(completed: 1_500, total: 5_000), resumedAt: 1_000, at: at(1_000))
        let progress = meter.progress(at: at(1_000)).bytes
        expectEqual(progress.completed, 1_500)
        expectEqual(progress.rate, 500)
    }

    @Test("A failed file counts with its received bytes, a complete one with its length")
    func ends() {
        var meter = BatchMeter(files: 3)
        meter.set(0, TransferProgress(completed: 40, total: 100), resumedAt: 0, at: at(0))
        meter.end(0, length: nil, resumedAt: 0, at: at(10))
        meter.end(1, length: 60, resumedAt: 0, at: at(20))
        meter.end(2, length: nil, resumedAt: 0, at: at(30))
        let progress = meter.progress(at: at(30))
        expectEqual(progress.finished, 1)
        expectEqual(progress.failed, 2)
        expectEqual(progress.bytes.completed, 100)
        expectEqual(progress.bytes.total, 100)
        #expect(progress.description.hasPrefix("1 of 3 files, 2 failed, 100% of 100 B"))
    }

    @Test("The total is unknown again when a file starts over without a length; bytes received twice are not progress")
    func anew() {
        var meter = BatchMeter(files: 1)
        meter.set(0, TransferProgress(completed: 900, total: 1_000), resumedAt: 0, at: at(0))
        meter.set(0, TransferProgress(completed: 5, total: nil), resumedAt: 0, at: at(1_000))
        let progress = meter.progress(at: at(1_000)).bytes
        expectEqual(progress, TransferProgress(completed: 5, total: nil, rate: 0))
    }
}
