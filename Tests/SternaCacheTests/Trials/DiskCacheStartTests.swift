import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cache storage: start-up")
struct DiskCacheStartTests {
    #if DEBUG
    /// Without optimisation, on a busy machine.
    private static let most = 5_000.0
    #else
    private static let most = 50.0
    #endif

    /// Records, all of which are read; 10,000 of them are entries.
    @Test("The journal of 10,000 entries is read quickly", arguments: [10_000, 40_000])
    func journal(records: Int) async throws {
        let folder = CacheTestFolder()
        #expect(CacheFolder(path: folder.path).make())
        var state = JournalState(JournalHeader(generation: 1), capacity: .max)
        var bytes = state.header.bytes
        let ids = (0..<10_000).map { JournalScene.id($0, 0, UInt64($0)) }
        var all = ids.map { JournalRecord(stored: JournalEntry(id: $0, size: 4_096, stored: CacheClock.now())) }
        while all.count < records { all.append(JournalRecord(.used, ids[all.count % ids.count])) }
        bytes += state.append(all)
        try Data(bytes).write(to: URL(filePath: folder.journal))
        // Five starts, of which the fastest counts: others wait for the machine.
        var times: [Double] = []
        for _ in 0..<5 {
            let start = ContinuousClock.now
            let cache = DiskCache(folder: folder.path, limits: CacheLimits(bytes: 1 << 30), isTidying: false)
            let usage = await cache.usage()
            times.append((ContinuousClock.now - start) / .milliseconds(1))
            expectEqual(usage, CacheUsage(entries: 10_000, bytes: 40_960_000))
        }
        let best = times.min() ?? .infinity
        print("cache, start: 10,000 entries of \(records) records in \((best * 100).rounded() / 100) ms")
        #expect(best < Self.most)
    }
}
