import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cache storage: killed processes", .serialized, .timeLimit(.minutes(30)))
struct DiskCacheKillTests {
    /// In the long version, both arguments together make 200 kills.
    private static let kills = LongTests.choose(3, inFull: 100)

    @Test(
        "After SIGKILL at any moment all committed entries are found, and no others",
        arguments: [1 << 30, 3 << 20] as [Int64])
    func kills(bytes: Int64) async throws {
        let folder = CacheTestFolder()
        let isBounded = bytes < 1 << 30
        let keys = 3 * DiskCacheLoad.keysOfTask
        var ledger = DiskCacheLedger(isBounded: isBounded)
        var random = SeededRandom(seed: LongTests.seed)
        for kill in 0..<Self.kills {
            let log = "\(folder.path).log-\(kill)"
            defer { unlink(log) }
            let load = DiskCacheLoad(
                folder: folder.path, log: log, bytes: bytes, seed: random.next(),
                tasks: Bool.random(using: &random) ? 1 : 3, first: ledger.next,
                lines: Int.random(in: 1..<LongTests.choose(50, inFull: 300), using: &random),
                delay: UInt32.random(in: 0..<5_000, using: &random))
            await #expect(processExitsWith: .signal(SIGKILL)) { [load = load as DiskCacheLoad] in await load.run() }
            ledger.apply(TrialLog.read(log))
            // Before tidying, and after it.
            let cache = DiskCacheLoad.open(folder.path, bytes: bytes)
            var faults = await ledger.check(cache, keys: keys)
            await cache.tidy()
            faults += await ledger.check(DiskCacheLoad.open(folder.path, bytes: bytes), keys: keys)
            let (names, usage) = (folder.names, await cache.usage())
            if names.contains(where: { !EntryHeader.isFileName($0) }) { faults.append("\(names) are left") }
            if names.count != usage.entries { faults.append("\(names.count) files of \(usage.entries) entries") }
            if usage.bytes > bytes { faults.append("\(usage) is too much") }
            guard faults.isEmpty else {
                Issue.record("kill \(kill), seed \(LongTests.seed): \(faults.joined(separator: "\n"))")
                return
            }
        }
        print("cache, killed: \(Self.kills) kills, \(ledger.committed) commits, \(ledger.refused) refused")
        #expect(ledger.wrong.isEmpty)
        #expect(ledger.committed > 0)
    }

    @Test("Two processes use one folder at once, without errors or wrong bodies")
    func together() async throws {
        let folder = CacheTestFolder()
        let seconds = LongTests.choose(2, inFull: 30)
        let loads = (0..<2).map {
            DiskCacheContention(
                folder: folder.path, log: "\(folder.path).log-\($0)", seconds: seconds, seed: LongTests.seed,
                process: $0)
        }
        defer { for load in loads { unlink(load.log) } }
        await withTaskGroup(of: Void.self) { group in
            for load in loads {
                group.addTask {
                    await #expect(processExitsWith: .success) { [load = load as DiskCacheContention] in await load.run()
                    }
                }
            }
        }
        for load in loads {
            let lines = TrialLog.read(load.log)
            let faults = lines.filter { $0.first == "wrong" }.map { $0.joined(separator: " ") }
            #expect(faults.isEmpty, "\(faults.prefix(5)), seed \(LongTests.seed)")
            let figures = lines.last.map { $0.compactMap { Int($0) } } ?? []
            try #require(figures.count == 3, "\(lines)")
            print(
                "cache, two processes: \(figures[0]) commits, \(figures[1]) refused, \(figures[2]) hits in \(seconds) s"
            )
            // Writers give up if the disk takes too long, as on a busy machine.
            #expect(figures[1] <= figures[0] / 10)
        }
        let cache = DiskCacheContention.open(folder.path)
        await cache.tidy()
        #expect(await DiskCacheContention.faults(cache).isEmpty)
        #expect(folder.names.allSatisfy(EntryHeader.isFileName))
        await expectEqual(folder.names.count, cache.usage().entries)
    }
}
