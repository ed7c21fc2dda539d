import NIOCore
import SternaPlatform

@testable import Sterna
@testable import SternaTestSupport

/// A load on a folder that other processes use at the same time. A number determines its entry's place, head and body.
struct DiskCacheContention: Sendable, Codable {
    static let keys = 12
    static let variants = 3

    var folder: String
    var log: String
    var seconds: Int
    var seed: UInt64

    /// 0 or 1: which numbers are those of this process.
    var process: Int

    static func open(_ folder: String) -> DiskCache { DiskCacheLoad.open(folder, bytes: 8 << 20) }

    private static func key(of number: Int) -> Int { number % keys }

    private static func variant(of number: Int) -> UInt64 { UInt64(number / keys % variants) }

    /// Works for a time, on a slow machine until there are entries to compare; writes commits, refusals and hits in the last line.
    func run() async {
        _ = DiskCacheRun.body(0)
        guard let log = TrialLog(path: log) else { exit(EXIT_FAILURE) }
        let cache = Self.open(folder)
        let end = ContinuousClock.now.advanced(by: .seconds(seconds))
        let figures = await withTaskGroup(of: [Int].self) { group in
            for task in 0..<3 { group.addTask { await work(cache, log, task, until: end) } }
            return await group.reduce([0, 0, 0]) { sum, own in zip(sum, own).map { $0 + $1 } }
        }
        await cache.sync()
        log.write("done \(figures[0]) \(figures[1]) \(figures[2])")
    }

    private func work(
        _ cache: DiskCache, _ log: TrialLog, _ task: Int, until end: ContinuousClock.Instant
    ) async -> [Int] {
        var random = SeededRandom(seed: seed &+ UInt64(task * 2 + process))
        var figures = [0, 0, 0]
        while ContinuousClock.now < end || figures[0] < 5 || figures[2] < 5 {
            let number = Int.random(in: 0..<100_000, using: &random) * 2 + process
            let key = Int.random(in: 0..<Self.keys, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case ..<40:
                let isStored = await DiskCacheLoad.store(
                    cache, number, Self.key(of: number), Self.variant(of: number), DiskCacheRun.body(number))
                figures[isStored ? 0 : 1] += 1
            case ..<80:
                for variant in await cache.variants(of: DiskCacheRun.key(key)) {
                    if let fault = await Self.fault(of: variant, under: key) { log.write("wrong \(fault)") }
                    figures[2] += 1
                    cache.noteUse(of: variant.id)
                }
            case ..<88:
                guard let variant = await cache.variants(of: DiskCacheRun.key(key)).first,
                    let (number, revision) = DiskCacheLoad.numbers(variant)
                else { continue }
                _ = await cache.update(variant.id, head: DiskCacheRun.head(number, revision + 1))
            case ..<94:
                if let variant = await cache.variants(of: DiskCacheRun.key(key)).last { await cache.remove(variant.id) }
            case ..<96: await cache.remove(DiskCacheRun.key(key))
            case ..<98: await cache.tidy()
            default: await cache.sync()
            }
        }
        return figures
    }

    private static func fault(of variant: CachedVariant, under key: Int) async -> String? {
        guard let (number, _) = DiskCacheLoad.numbers(variant), self.key(of: number) == key,
            self.variant(of: number) == variant.id.variant
        else { return "place: \(variant.head.text.prefix(40)) under \(key) and \(variant.id.variant)" }
        return await DiskCacheLoad.fault(of: variant)
    }

    /// Returns what is wrong in a store.
    static func faults(_ cache: DiskCache) async -> [String] {
        var faults: [String] = []
        for key in 0..<keys {
            for variant in await cache.variants(of: DiskCacheRun.key(key)) {
                if let fault = await fault(of: variant, under: key) { faults.append(fault) }
            }
        }
        return faults
    }
}
