import NIOCore
import SternaCore
import SternaPlatform
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cache storage: on disk")
struct DiskCacheTests {
    typealias Memory = MemoryCacheTests

    let folder = CacheTestFolder()

    static func large(_ count: Int) -> Bytes {
        Bytes(copying: noise(count))
    }

    @discardableResult
    static func store(_ cache: DiskCache, _ key: String, _ body: Bytes) async -> CacheEntryID? {
        let writer = await cache.store(Memory.key(key), variant: 0, head: Bytes(text: "head"), length: nil)
        var rest = body
        while rest.readableBytes > 0 {
            let piece = rest.readSlice(length: min(70_000, rest.readableBytes)) ?? Bytes()
            guard await writer?.append(piece) == true else { return nil }
        }
        return await writer?.commit(head: nil)
    }

    @Test(
        "A body of any length is read as it was stored, also by another store and in any ranges",
        arguments: [0, 1, 70_000, 262_143, 262_144, 262_145, 2_000_000])
    func bodies(length: Int) async throws {
        let body = Self.large(length)
        let id = try #require(await Self.store(folder.open(), "a", body))
        let cache = folder.open()
        let found = try #require(await cache.variants(of: Memory.key("a")).first)
        #expect(found.id == id && found.head.text == "head" && found.length == Int64(length))
        await expectEqual(DiskCacheRun.read(found.body), body)
        guard case .reader(let reader) = found.body else { return }
        for start in [0, 1, 262_143, 262_144, length - 1] {
            let piece = try await reader.read(at: Int64(start), upTo: 9)
            #expect(piece.readableBytes > 0 && piece == body.getSlice(at: start, length: piece.readableBytes))
        }
        for start in [-1, Int64(length), .max] {
            try await expectEqual(reader.read(at: start, upTo: 9).readableBytes, 0)
        }
    }

    @Test("A reader continues after its entry was removed")
    func removedWhileRead() async throws {
        let cache = folder.open()
        let body = Self.large(600_000)
        let id = try #require(await Self.store(cache, "a", body))
        let found = try #require(await cache.variants(of: Memory.key("a")).first)
        await cache.remove(id)
        #expect(folder.names.isEmpty)
        await expectEqual(DiskCacheRun.read(found.body), body)
        #expect(await cache.variants(of: Memory.key("a")).isEmpty)
    }

    @Test("Only their owner can read the files")
    func permissions() async throws {
        let cache = folder.open()
        await Self.store(cache, "a", Self.large(10))
        for name in ["/journal-1", "/journal-1.lock"] + folder.names.map({ "/entries-1/\($0)" }) {
            expectEqual(FileStatus(linkAt: folder.path + name)?.permissions, 0o600, "\(name)")
        }
        expectEqual(FileStatus(path: folder.entries)?.permissions, 0o700)
    }

    @Test("A discarded entry leaves no file, whatever its length", arguments: [100, 3_000_000])
    func discards(length: Int) async throws {
        let cache = folder.open()
        do {
            let writer = try #require(await cache.store(Memory.key("a"), variant: 0, head: Bytes(), length: nil))
            _ = await writer.append(Self.large(length))
            writer.discard()
            await expectNil(writer.commit(head: nil))
            let released = try #require(await cache.store(Memory.key("a"), variant: 0, head: Bytes(), length: 7))
            #expect(await !released.append(Self.large(length)))
        }
        // A write that is under way holds the file a moment longer.
        #expect(await eventually { folder.names.isEmpty })
        await expectEqual(cache.usage(), CacheUsage())
    }

    @Test("A body of another length than declared is not committed")
    func lengths() async throws {
        let cache = folder.open()
        let writer = try #require(await cache.store(Memory.key("a"), variant: 0, head: Bytes(), length: 300_000))
        #expect(await writer.append(Self.large(299_999)))
        await expectNil(writer.commit(head: nil))
        #expect(await cache.variants(of: Memory.key("a")).isEmpty)
    }

    @Test("A damaged byte anywhere in an entry removes it", arguments: 0..<40)
    func damage(part: Int) async throws {
        let cache = folder.open()
        await Self.store(cache, "a", Self.large(300_000))
        let path = try folder.entries + "/" + #require(folder.names.first)
        let size = try #require(FileStatus(path: path)?.size)
        let offset = part < 20 ? Int64(part) * 7 : size * Int64(part - 20) / 20
        CacheTestFolder.damage(path, at: offset)
        let other = folder.open()
        let found = await other.variants(of: Memory.key("a"))
        let header = EntryHeader(JournalScene.id(1), stored: 0, length: 0, slotSize: HeadSlot.size(forHead: 4))
        // Bytes without a checksum are never read: the rest of the first slot, and the empty second one.
        if offset >= 128 + 28, offset < header.bodyStart {
            await expectEqual(DiskCacheRun.read(try #require(found.first).body), Self.large(300_000))
        } else {
            #expect(found.isEmpty && folder.names.isEmpty)
            await expectEqual(cache.usage(), CacheUsage())
        }
    }

    @Test("Damage in a long body that was verified before fails the read, and removes the entry")
    func damageWhileRead() async throws {
        let cache = folder.open()
        await Self.store(cache, "a", Self.large(600_000))
        let found = try #require(await cache.variants(of: Memory.key("a")).first)
        let path = try folder.entries + "/" + #require(folder.names.first)
        CacheTestFolder.damage(path, at: 500_000)
        guard case .reader(let reader) = found.body else {
            Issue.record("The body is short.")
            return
        }
        try await expectEqual(reader.read(at: 0, upTo: 10).readableBytes, 10)
        let error = await #expect(throws: SternaError.self) { try await reader.read(at: 300_000, upTo: 10) }
        expectEqual(error?.kind, .fileUnreadable)
        #expect(folder.names.isEmpty)
    }

    @Test("A file of another entry under an entry's name is not served")
    func swapped() async throws {
        let cache = folder.open()
        await Self.store(cache, "a", Self.large(10))
        let first = try folder.entries + "/" + #require(folder.names.first)
        await Self.store(cache, "b", Self.large(20))
        let second = try folder.entries + "/" + #require(folder.names.first { !first.hasSuffix($0) })
        expectEqual(rename(first, second), 0)
        #expect(await cache.variants(of: Memory.key("a")).isEmpty)
        #expect(await cache.variants(of: Memory.key("b")).isEmpty)
    }

    @Test("Links, folders and pipes in place of files are not followed, and do not stop the store")
    func links() async throws {
        let cache = folder.open()
        await Self.store(cache, "a", Self.large(10))
        let path = try folder.entries + "/" + #require(folder.names.first)
        let elsewhere = folder.path + "/elsewhere"
        #expect(rename(path, elsewhere) == 0 && symlink(elsewhere, path) == 0)
        #expect(await cache.variants(of: Memory.key("a")).isEmpty)
        expectEqual(FileStatus(linkAt: elsewhere)?.isRegular, true)
        unlink(folder.journal)
        expectEqual(symlink(elsewhere, folder.journal), 0)
        let other = folder.open()
        #expect(await Self.store(other, "b", Self.large(10)) != nil)
        expectEqual(FileStatus(linkAt: folder.journal)?.isRegular, true)
        expectEqual(FileStatus(path: elsewhere)?.size, FileStatus(linkAt: elsewhere)?.size)
    }

    @Test("A store without a usable folder acts as an empty one", arguments: ["/dev/null/x", "", "a\u{0}b"])
    func unusable(path: String) async {
        let cache = DiskCache(folder: path, limits: CacheLimits(bytes: 1 << 20), isTidying: true)
        await expectNil(Self.store(cache, "a", Self.large(10)))
        #expect(await cache.variants(of: Memory.key("a")).isEmpty)
        #expect(await cache.list().isEmpty)
        await cache.remove(Memory.key("a"))
        await cache.clear()
        await cache.sync()
        await cache.tidy()
        await expectEqual(cache.usage(), CacheUsage())
    }

    @Test("A file that cannot grow, as on a full disk, affects only its entry")
    func full() async {
        await #expect(processExitsWith: .success) {
            let folder = CacheTestFolder()
            let cache = folder.open()
            let kept = await Self.store(cache, "kept", Self.large(100_000))
            signal(SIGXFSZ, SIG_IGN)
            // From here on no file may be longer.
            var limit = rlimit(rlim_cur: 200_000, rlim_max: 200_000)
            #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            #else
            setrlimit(RLIMIT_FSIZE, &limit)
            #endif
            let long = await Self.store(cache, "long", Self.large(2_000_000))
            let short = await Self.store(cache, "short", Self.large(190_000))
            // The thread that failed to write the long one removes it, perhaps a moment later.
            let isRemoved = await eventually { folder.names.count == 2 }
            let found = await cache.variants(of: Memory.key("kept")).count
            exit(kept != nil && long == nil && short != nil && isRemoved && found == 1 ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test("A lost journal is rebuilt from the entries, and unlisted files are removed")
    func lostJournal() async throws {
        let cache = folder.open()
        for key in ["a", "b", "c"] { await Self.store(cache, key, Self.large(300_000)) }
        let usage = await cache.usage()
        unlink(folder.journal)
        let other = folder.open()
        await expectEqual(other.usage(), CacheUsage())
        // A removal before the entries are found again holds.
        await other.remove(Memory.key("b"))
        let stray = folder.entries + "/" + String(repeating: "0", count: 32)
        #expect(FileManager.default.createFile(atPath: stray, contents: Data("no entry".utf8)))
        await other.tidy()
        await expectEqual(other.usage().entries, 2)
        await expectEqual(cache.usage().entries, 2)
        #expect(usage.entries == 3 && folder.names.count == 2)
        #expect(await other.variants(of: Memory.key("b")).isEmpty)
        #expect(FileManager.default.createFile(atPath: stray, contents: Data("no entry".utf8)))
        #expect(FileManager.default.createFile(atPath: stray + ".part", contents: Data()))
        await other.tidy()
        expectEqual(folder.names.count, 2)
    }

    @Test("Tidying keeps the file of an entry that is being written")
    func tidyWhileWriting() async throws {
        let cache = folder.open()
        let writer = try #require(await cache.store(Memory.key("a"), variant: 0, head: Bytes(), length: nil))
        #expect(await writer.append(Self.large(600_000)))
        #expect(await eventually { !folder.names.isEmpty })
        await folder.open().tidy()
        #expect(await writer.commit(head: nil) != nil)
        await expectEqual(cache.variants(of: Memory.key("a")).first?.length, 600_000)
    }

    @Test("Stores in one folder see each other's entries, removals and new journals")
    func shared() async throws {
        let (one, two) = (folder.open(), folder.open())
        let id = try #require(await Self.store(one, "a", Self.large(10)))
        await expectEqual(two.variants(of: Memory.key("a")).map(\.id), [id])
        #expect(await two.update(id, head: Bytes(text: "new")))
        await expectEqual(one.variants(of: Memory.key("a")).map(\.head.text), ["new"])
        let writer = try #require(await one.store(Memory.key("b"), variant: 0, head: Bytes(), length: nil))
        let other = try #require(await two.store(Memory.key("b"), variant: 0, head: Bytes(), length: nil))
        await two.clear()
        #expect(await one.variants(of: Memory.key("a")).isEmpty)
        await expectNil(other.commit(head: nil))
        await expectNil(writer.commit(head: nil))
        #expect(await one.variants(of: Memory.key("c")).isEmpty)
        #expect(await Self.store(one, "c", Self.large(10)) != nil)
        await expectEqual(two.list().count, 1)
    }

    @Test("A head of any length replaces another, and the body stays")
    func heads() async throws {
        let cache = folder.open()
        let body = Self.large(600_000)
        let id = try #require(await Self.store(cache, "a", body))
        for length in [3, 400, 5_000, 60_000, 0, 65_536] {
            let head = Self.large(length)
            #expect(await cache.update(id, head: head))
            let found = try #require(await folder.open().variants(of: Memory.key("a")).first)
            #expect(found.id == id && found.head == head)
            await expectEqual(DiskCacheRun.read(found.body), body)
        }
        #expect(await !cache.update(id, head: Self.large(65_537)))
        expectEqual(folder.names.count, 1)
    }

    @Test("Expired entries, excess variants and entries beyond the size of the store are removed")
    func limits() async {
        let cache = folder.open(bytes: 1 << 20) { $0.variants = 2 }
        for variant in 1...4 as ClosedRange<UInt64> {
            await Memory.store(cache, "v", variant: variant, "body")
        }
        let variants = await cache.variants(of: Memory.key("v")).map(\.id.variant)
        expectEqual(variants.sorted(), [3, 4])
        for number in 0..<30 { await Self.store(cache, "\(number)", Self.large(100_000)) }
        let usage = await cache.usage()
        #expect(usage.bytes <= 1 << 20 && usage.entries == folder.names.count)
        let later = DiskCache(folder: folder.path, limits: cache.limits(age: 10), isTidying: false) {
            CacheClock.now() + 60_000
        }
        #expect(await later.variants(of: Memory.key("29")).isEmpty)
        await later.tidy()
        await expectEqual(later.usage(), CacheUsage())
        #expect(folder.names.isEmpty)
    }

    @Test("The longest age keeps entries")
    func longestAge() async throws {
        let id = try #require(await Self.store(folder.open(), "a", Self.large(10)))
        let cache = ResponseCache.folder(folder.path, memoryBytes: 0, age: .seconds(Int64.max))
        await expectEqual(cache.storage.variants(of: Memory.key("a")).map(\.id), [id])
    }

    @Test("A journal of many changes is replaced by a short one, for all stores of the folder")
    func compacts() async {
        let (one, two) = (folder.open(), folder.open())
        await Self.store(one, "a", Self.large(10))
        let id = await two.variants(of: Memory.key("a")).first?.id
        for _ in 0..<12 {
            for _ in 0..<500 { if let id { one.noteUse(of: id) } }
            await one.sync()
        }
        await Self.store(one, "b", Self.large(10))
        expectEqual(FileStatus(path: folder.journal).map { $0.size < 340_000 }, true)
        await expectEqual(two.list().count, 2)
    }

    @Test("A new file is not taken for a killed process's, even between its creation and its lock")
    func tidiedWhileBegun() async throws {
        let place = CacheFolder(path: folder.path)
        #expect(place.make())
        let isOver = Mutex(false)
        // A thread of its own, to hit moments of a few microseconds.
        let tidied = Task.detached {
            while !isOver.withLock({ $0 }) { place.removeUnfinished(place.names()) }
        }
        var lost = 0
        for number in 0..<4_000 {
            let id = CacheEntryID(key: Memory.key("a"), variant: 0, nonce: UInt64(number))
            let file = try #require(place.newFile(id))
            if !file.place(at: place.path(of: id)) { lost += 1 }
            unlink(place.path(of: id))
        }
        isOver.withLock { $0 = true }
        await tidied.value
        expectEqual(lost, 0)
        #expect(folder.names.isEmpty)
    }

    @Test("Concurrent tasks of two stores change one folder, and find only stored entries")
    func concurrent() async {
        let caches = [folder.open(bytes: 2 << 20), folder.open(bytes: 2 << 20)]
        let found = await withTaskGroup(of: Int.self) { group in
            for task in 0..<6 {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(task))
                    let cache = caches[task % 2]
                    var found = 0
                    for step in 0..<60 {
                        let number = Int.random(in: 0..<20, using: &random)
                        if step % 3 == 0 { await Self.store(cache, "\(number)", DiskCacheRun.body(number)) }
                        if step % 11 == 0 { await cache.remove(Memory.key("\(number)")) }
                        for variant in await cache.variants(of: Memory.key("\(number)")) {
                            let body = await DiskCacheRun.read(variant.body)
                            expectEqual(body, DiskCacheRun.body(number))
                            cache.noteUse(of: variant.id)
                            found += 1
                        }
                    }
                    return found
                }
            }
            return await group.reduce(0, +)
        }
        #expect(found > 0)
        let (one, two) = (await caches[0].usage(), await caches[1].usage())
        #expect(one == two && folder.names.count == one.entries)
    }
}

extension DiskCache {
    fileprivate func limits(age: Int64) -> CacheLimits {
        var limits = limits
        limits.age = age
        return limits
    }
}
