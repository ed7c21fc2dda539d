import Testing

@testable import Sterna

@Suite("Cache storage: random runs on disk")
struct DiskCacheRunTests {
    static let options: [DiskCacheRun.Options] = [
        .init(losesUnsynced: false),
        .init(),
        .init(bytes: 3 << 20, losesUnsynced: false),
        .init(bytes: 3 << 20),
        .init(losesUnsynced: false, rots: true),
        .init(losesUnsynced: false, losesJournal: true),
        .init(losesUnsynced: false, processes: 2),
        .init(processes: 2),
        .init(bytes: 3 << 20, rots: true, losesJournal: true, processes: 3),
    ]

    @Test(
        "No entry is served that was not stored, and no synced entry is lost",
        arguments: options.indices, 0..<2 as Range<UInt64>)
    func run(mode: Int, seed: UInt64) async throws {
        let folder = CacheTestFolder()
        var run = DiskCacheRun(seed: seed, folder: folder.path, options: Self.options[mode])
        try await run.run(steps: 150)
        #expect(run.served > 0 && run.crashes > 0)
    }
}
