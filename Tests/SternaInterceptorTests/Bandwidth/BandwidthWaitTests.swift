import NIOCore
import SternaCore
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Bodies that wait for permission, on a clock that stands still. A limit of 32,000 bytes per second has a burst of 2,000, and a
/// portion of 1,000 each 31.25 ms.
@Suite("Bandwidth: waiting", .timeLimit(.minutes(5)))
struct BandwidthWaitTests {
    private let scene = BandwidthScene()
    private var time: TestClock { scene.time }
    private static let turn = Duration.microseconds(31_250)

    @Test("A body passes in portions, each in its turn, not before")
    func portions() async throws {
        let limit = BandwidthLimit(download: 32_000)
        let (task, count) = BandwidthScene.reader(try scene.body(10_500, by: [limit]))
        for expected in stride(from: 2_000, through: 10_000, by: 1_000) {
            try await BandwidthScene.wait(for: 1, limit.downloads)
            expectEqual(count.value, expected)
            guard expected < 10_000 else { break }
            await time.advance(by: Self.turn - .microseconds(1))
            expectEqual(limit.downloads.waiterCount, 1)
            await time.advance(by: .microseconds(1))
            while count.value == expected { await Task.yield() }
        }
        // The rest is half a portion.
        await time.advance(by: .microseconds(15_625))
        try await task.value
        expectEqual(count.value, 10_500)
    }

    @Test("A complete body within the burst stays complete, and is paid")
    func whole() async throws {
        let limit = BandwidthLimit(download: 32_000)
        try expectEqual(scene.body(1_500, by: [limit]).whole?.count, 1_500)
        try expectEqual(scene.body(0, by: [limit]).whole?.count, 0)
        let second = try scene.body(1_500, by: [limit])
        expectNil(second.whole)
        expectEqual(second.length, 1_500)
        let (task, count) = BandwidthScene.reader(second)
        try await BandwidthScene.wait(for: 1, limit.downloads)
        expectEqual(count.value, 0)
        await time.advance(by: .milliseconds(16))
        while count.value == 0 { await Task.yield() }
        try await BandwidthScene.wait(for: 1, limit.downloads)
        expectEqual(count.value, 1_000)
        await time.advance(by: .milliseconds(16))
        try await task.value
        expectEqual(count.value, 1_500)
    }

    @Test("Cancelling the reader ends its wait; another read goes on without a gap")
    func cancelledTask() async throws {
        let limit = BandwidthLimit(download: 32_000)
        _ = try scene.body(2_000, by: [limit])
        let stream = try #require(try scene.body(500, by: [limit]).stream)
        let first = Task { try await stream.next() }
        try await BandwidthScene.wait(for: 1, limit.downloads)
        let error = await #expect(throws: SternaError.self) { try await stream.next() }
        expectEqual(error?.kind, .invalidRequest)
        first.cancel()
        let cancelled = await #expect(throws: SternaError.self) { try await first.value }
        expectEqual(cancelled?.kind, .cancelled)
        expectEqual(cancelled?.phase, .read)
        expectEqual(limit.downloads.waiterCount, 0)
        limit.download = nil
        try await expectEqual(stream.next()?.count, 500)
        try await expectNil(stream.next())
    }

    @Test("Cancelling a task that is cancelled already does not wait")
    func cancelledBefore() async throws {
        let limit = BandwidthLimit(download: 32_000)
        _ = try scene.body(2_000, by: [limit])
        let stream = try #require(try scene.body(500, by: [limit]).stream)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await stream.next()
        }
        let error = await #expect(throws: SternaError.self) { try await task.value }
        expectEqual(error?.kind, .cancelled)
        expectEqual(limit.downloads.waiterCount, 0)
    }

    @Test("Cancelling the body ends the wait, and every later read")
    func cancelledBody() async throws {
        let limit = BandwidthLimit(download: 32_000)
        let body = try scene.body(5_000, by: [limit])
        let (task, _) = BandwidthScene.reader(body)
        try await BandwidthScene.wait(for: 1, limit.downloads)
        body.cancel()
        let error = await #expect(throws: SternaError.self) { try await task.value }
        expectEqual(error?.kind, .cancelled)
        let later = await #expect(throws: SternaError.self) { try await body.stream?.next() }
        expectEqual(later?.kind, .cancelled)
    }

    @Test("A deadline ends the wait at its moment")
    func deadline() async throws {
        let limit = BandwidthLimit(download: 1)
        let call = Call(deadline: time.now + .milliseconds(5_500), clock: time.clock)
        let (task, count) = BandwidthScene.reader(try scene.body(100, by: [limit], call: call))
        for second in 1...5 {
            try await scene.wait(for: 1, limit.downloads, turnWithin: .seconds(1))
            expectEqual(count.value, second)
            await time.advance(by: .seconds(1))
        }
        try await BandwidthScene.wait(for: 1, limit.downloads)
        await time.advance(by: .milliseconds(499))
        expectEqual(limit.downloads.waiterCount, 1)
        await time.advance(by: .milliseconds(1))
        let error = await #expect(throws: SternaError.self) { try await task.value }
        expectEqual(error?.kind, .timedOut)
        expectEqual(error?.phase, .read)
        expectEqual(count.value, 6)
    }

    @Test("A cancelled call ends the wait within a second; other bodies keep theirs")
    func cancelledCall() async throws {
        let limit = BandwidthLimit(download: 1)
        _ = try scene.body(1, by: [limit])
        let call = Call(deadline: .distantFuture, clock: time.clock)
        let others = try (0..<5).map { _ in BandwidthScene.reader(try scene.body(10, by: [limit])) }
        try await BandwidthScene.wait(for: 5, limit.downloads)
        let (task, count) = BandwidthScene.reader(try scene.body(10, by: [limit], call: call))
        try await BandwidthScene.wait(for: 6, limit.downloads)
        call.cancel()
        await time.advance(by: .seconds(1))
        let error = await #expect(throws: SternaError.self) { try await task.value }
        expectEqual(error?.kind, .cancelled)
        expectEqual(count.value, 0)
        for other in others { other.task.cancel() }
        for other in others { _ = await other.task.result }
        expectEqual(limit.downloads.waiterCount, 0)
    }

    @Test("A new rate counts at once for bodies that wait")
    func changedRate() async throws {
        let limit = BandwidthLimit(download: 1)
        let (task, count) = BandwidthScene.reader(try scene.body(5_001, by: [limit]))
        try await BandwidthScene.wait(for: 1, limit.downloads)
        expectEqual(count.value, 1)
        limit.download = 32_000
        await time.advance(by: Self.turn)
        while count.value == 1 { await Task.yield() }
        try await BandwidthScene.wait(for: 1, limit.downloads)
        #expect((900...1_001).contains(count.value), "\(count.value)")
        limit.download = nil
        try await task.value
        expectEqual(count.value, 5_001)
        expectNil(limit.download)
    }

    @Test("A hundred bodies share a limit fairly, and use all of it")
    func fairness() async throws {
        let limit = BandwidthLimit(download: 32_000)
        let readers = try (0..<100).map { _ in BandwidthScene.reader(try scene.body(50_000, by: [limit])) }
        for _ in 0..<400 {
            try await scene.wait(for: 100, limit.downloads, turnWithin: Self.turn)
            await time.advance(by: Self.turn)
        }
        try await BandwidthScene.wait(for: 100, limit.downloads)
        let counts = readers.map(\.count.value)
        expectEqual(counts.reduce(0, +), 402_000)
        #expect((counts.min() ?? 0) >= 4_000, "\(counts)")
        #expect((counts.max() ?? 0) <= 6_000, "\(counts)")
        limit.download = nil
        for reader in readers { try await reader.task.value }
        #expect(readers.allSatisfy { $0.count.value == 50_000 })
    }

    @Test("Many bodies that come and go at random: each ends once, and none is left waiting")
    func comingAndGoing() async throws {
        let limit = BandwidthLimit(download: 3_000_000)
        let total = ByteCount()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<300 {
                let body = try scene.body(20_000 + index, by: [limit])
                group.addTask {
                    let (task, count) = BandwidthScene.reader(body)
                    if index.isMultiple(of: 3) {
                        if index.isMultiple(of: 2) { task.cancel() } else { body.cancel() }
                    }
                    let result = await task.result
                    if case .success = result { expectEqual(count.value, 20_000 + index) }
                    total.add(count.value)
                    return 1
                }
            }
            group.addTask {
                for step in 0..<200 where total.value < 300 * 20_000 {
                    await time.advance(by: .milliseconds(20))
                    if step == 100 { limit.download = 30_000_000 }
                    try await Task.sleep(for: .milliseconds(1))
                }
                limit.download = nil
                return 0
            }
            try await expectEqual(group.reduce(0, +), 300)
        }
        expectEqual(limit.downloads.waiterCount, 0)
    }

    @Test("Two limits apply together; a limit that is set twice counts twice")
    func two() async throws {
        let (wide, narrow) = (BandwidthLimit(download: 32_000), BandwidthLimit(download: 16_000))
        let (task, count) = BandwidthScene.reader(try scene.body(6_000, by: [narrow, wide]))
        for turn in 0..<10 {
            try await scene.wait(for: 1, narrow.downloads, turnWithin: Self.turn)
            expectEqual(count.value, 1_000 + 500 * turn)
            expectEqual(wide.downloads.waiterCount, 0)
            await time.advance(by: Self.turn)
        }
        try await task.value
        // The wide one was used, too: half of what came in is left.
        expectEqual(wide.downloads.waiterCount, 0)
        wide.download = 1
        let (other, otherCount) = BandwidthScene.reader(try scene.body(1_000, by: [narrow, wide]))
        try await BandwidthScene.wait(for: 1, narrow.downloads)
        narrow.download = nil
        try await BandwidthScene.wait(for: 1, wide.downloads)
        expectEqual(otherCount.value, 1)
        other.cancel()
        _ = await other.result
    }

    @Test("A limit shows its rates, at least one byte per second")
    func values() {
        let limit = BandwidthLimit(download: 0)
        expectEqual(limit.download, 1)
        expectNil(limit.upload)
        limit.upload = -5
        expectEqual(limit.upload, 1)
        limit.download = nil
        #expect(dumped(limit).contains("upload"))
        #expect(!dumped(limit).contains("Mutex"))
    }
}
