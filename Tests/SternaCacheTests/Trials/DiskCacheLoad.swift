import NIOCore
import SternaCore
import SternaPlatform

@testable import Sterna
@testable import SternaTestSupport

/// A write-heavy load on a store, in a process of its own, that writes down each step before and after it is done.
///
/// Bodies and heads are made of numbers, as ``DiskCacheRun`` makes them. Each task has keys of its own, so that what a key holds follows
/// from the order of lines:
///
///     store NUMBER KEY VARIANT, then stored NUMBER or refused NUMBER
///     update NUMBER REVISION, then updated NUMBER REVISION
///     remove NUMBER, then removed NUMBER
///     empty KEY, then emptied KEY
///     clear, then cleared
///     wrong TEXT
struct DiskCacheLoad: Sendable, Codable {
    static let keysOfTask = 8

    var folder: String
    var log: String
    var bytes: Int64
    var seed: UInt64

    /// The number of tasks; one alone also removes all entries at times.
    var tasks: Int

    /// The first number of an entry.
    var first: Int

    /// The number of lines of the log after which the process is killed, and the time after that in microseconds.
    var lines: Int
    var delay: UInt32

    static func open(_ folder: String, bytes: Int64, isTidying: Bool = false) -> DiskCache {
        var limits = CacheLimits(bytes: bytes)
        limits.entryBytes = bytes
        return DiskCache(folder: folder, limits: limits, isTidying: isTidying)
    }

    /// Works until the process is killed.
    func run() async {
        // Made before the log begins, since it takes longer than all else.
        _ = DiskCacheRun.body(0)
        guard let log = TrialLog(path: log, killingAfter: lines, delay: delay) else { exit(EXIT_FAILURE) }
        let cache = Self.open(folder, bytes: bytes, isTidying: true)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<tasks { group.addTask { await work(cache, log, task) } }
        }
    }

    private func work(_ cache: DiskCache, _ log: TrialLog, _ task: Int) async {
        var random = SeededRandom(seed: seed &+ UInt64(task))
        var number = first + task
        while true {
            let key = task * Self.keysOfTask + Int.random(in: 0..<Self.keysOfTask, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case ..<50:
                await store(cache, log, number, key, UInt64.random(in: 0..<2, using: &random))
                number += tasks
            case ..<65: await look(cache, log, key)
            case ..<80:
                guard let (id, number, revision) = await one(cache, key) else { continue }
                log.write("update \(number) \(revision + 1)")
                if await cache.update(id, head: DiskCacheRun.head(number, revision + 1)) {
                    log.write("updated \(number) \(revision + 1)")
                }
            case ..<88:
                guard let (id, number, _) = await one(cache, key) else { continue }
                log.write("remove \(number)")
                await cache.remove(id)
                log.write("removed \(number)")
            case ..<92:
                log.write("empty \(key)")
                await cache.remove(DiskCacheRun.key(key))
                log.write("emptied \(key)")
            case ..<95: await cache.sync()
            case ..<98: await cache.tidy()
            default:
                guard tasks == 1 else { continue }
                log.write("clear")
                await cache.clear()
                log.write("cleared")
            }
        }
    }

    private func store(_ cache: DiskCache, _ log: TrialLog, _ number: Int, _ key: Int, _ variant: UInt64) async {
        let body = DiskCacheRun.body(number)
        // Requests look a key up before they store.
        _ = await cache.variants(of: DiskCacheRun.key(key))
        log.write("store \(number) \(key) \(variant)")
        let isStored = await Self.store(cache, number, key, variant, body)
        log.write("\(isStored ? "stored" : "refused") \(number)")
    }

    /// Stores an entry in pieces; returns whether it was committed.
    static func store(
        _ cache: DiskCache, _ number: Int, _ key: Int, _ variant: UInt64, _ body: Bytes
    ) async -> Bool {
        guard
            let writer = await cache.store(
                DiskCacheRun.key(key), variant: variant, head: DiskCacheRun.head(number, 0),
                length: number % 2 == 0 ? Int64(body.readableBytes) : nil)
        else { return false }
        var rest = body
        while let piece = rest.readSlice(length: min(100_000, rest.readableBytes)), piece.readableBytes > 0 {
            guard await writer.append(piece) else { return false }
        }
        return await writer.commit(head: nil) != nil
    }

    private func look(_ cache: DiskCache, _ log: TrialLog, _ key: Int) async {
        for variant in await cache.variants(of: DiskCacheRun.key(key)) {
            if let fault = await Self.fault(of: variant) { log.write("wrong \(fault)") }
            cache.noteUse(of: variant.id)
        }
    }

    private func one(_ cache: DiskCache, _ key: Int) async -> (CacheEntryID, number: Int, revision: Int)? {
        guard let variant = await cache.variants(of: DiskCacheRun.key(key)).first,
            let (number, revision) = Self.numbers(variant)
        else { return nil }
        return (variant.id, number, revision)
    }

    /// Returns the number and the revision in a head.
    static func numbers(_ variant: CachedVariant) -> (number: Int, revision: Int)? {
        let words = variant.head.text.split(separator: " ", maxSplits: 2).prefix(2).compactMap { Int($0) }
        return words.count == 2 ? (words[0], words[1]) : nil
    }

    /// Returns how an entry differs from what was stored; nil if it does not.
    static func fault(of variant: CachedVariant) async -> String? {
        guard let (number, revision) = numbers(variant), variant.head == DiskCacheRun.head(number, revision) else {
            return "head: \(variant.head.text.prefix(40))"
        }
        guard let body = await DiskCacheRun.read(variant.body) else { return "body of \(number): unreadable" }
        return body == DiskCacheRun.body(number) ? nil : "body of \(number): \(body.readableBytes) bytes"
    }
}
