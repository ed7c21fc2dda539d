import NIOCore
import SternaCore
import SternaPlatform

@testable import Sterna
@testable import SternaTestSupport

/// A random run of a store on disk, compared with a model of what may be served.
///
/// Bodies and heads are made of a number for each entry, so that their origin is known when they are served.
struct DiskCacheRun {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    struct Options {
        /// The maximum size of all entries; nothing is evicted below 4 MiB.
        var bytes: Int64 = 1 << 30

        /// Whether files lose their unsynced bytes at each crash.
        var losesUnsynced = true

        /// Whether any byte of any file may change at a crash.
        var rots = false

        /// Whether the journal may be lost at a crash.
        var losesJournal = false

        /// The number of stores that use the folder in turns.
        var processes = 1
    }

    private enum Fate {
        case stored, synced, gone
    }

    let folder: String
    let options: Options
    private var random: SeededRandom
    private var caches: [DiskCache] = []
    // Each number's place, and its state.
    private var places: [(key: Int, variant: UInt64, fate: Fate, revision: Int)] = []
    private var syncedLength = JournalHeader.size
    private var syncedIdentity: FileStatus.Identity?
    private(set) var served = 0
    private(set) var crashes = 0

    init(seed: UInt64, folder: String, options: Options) {
        self.folder = folder
        self.options = options
        random = SeededRandom(seed: seed)
        open()
    }

    mutating func run(steps: Int) async throws {
        for _ in 0..<steps {
            switch Int.random(in: 0..<100, using: &random) {
            case ..<35: try await store()
            case ..<70: try await look(at: Int.random(in: 0..<12, using: &random))
            case ..<76: await update()
            case ..<82: await remove()
            case ..<86: await removeKey()
            case ..<87: await clear()
            case ..<92: await sync()
            case ..<95: await cache().tidy()
            default: try await crash()
            }
        }
        try await crash()
    }

    private mutating func cache() -> DiskCache {
        caches[Int.random(in: 0..<caches.count, using: &random)]
    }

    private mutating func open() {
        caches = (0..<options.processes).map { _ in
            var limits = CacheLimits(bytes: options.bytes)
            limits.entryBytes = options.bytes
            return DiskCache(folder: folder, limits: limits, isTidying: false)
        }
    }

    // MARK: Storing

    static func key(_ number: Int) -> CacheKey { CacheKey(request: Array("key \(number)".utf8), partition: []) }

    static func length(_ number: Int) -> Int {
        [0, 1, 900, 5_000, 40_000, 262_143, 262_144, 262_150, 700_000][number % 9]
    }

    private static let noise: Bytes = {
        var generator = SeededRandom(seed: 77)
        let words = (0..<1 << 17).map { _ in generator.next() }
        return words.withUnsafeBytes { Bytes(bytes: $0) }
    }()

    static func body(_ number: Int) -> Bytes {
        noise.getSlice(at: number * 31 % 200_000, length: length(number)) ?? Bytes()
    }

    static func head(_ number: Int, _ revision: Int) -> Bytes {
        Bytes(text: "\(number) \(revision) " + String(repeating: "h", count: number % 7 * 100 + revision % 5 * 600))
    }

    private mutating func store() async throws {
        let number = places.count
        let (key, variant) = (Int.random(in: 0..<12, using: &random), UInt64.random(in: 0..<3, using: &random))
        places.append((key, variant, .gone, 0))
        let body = Self.body(number)
        let knowsLength = Bool.random(using: &random)
        let cache = cache()
        // Requests look a key up before they store.
        _ = await cache.variants(of: Self.key(key))
        guard
            let writer = await cache.store(
                Self.key(key), variant: variant, head: Self.head(number, 0),
                length: knowsLength ? Int64(body.readableBytes) : nil)
        else { return try fail("\(number) cannot be stored.") }
        var rest = body
        // Some are discarded on the way, by a call or by release.
        let end = Int.random(in: 0..<10, using: &random)
        while rest.readableBytes > 0 {
            let count = min(rest.readableBytes, Int.random(in: 1...300_000, using: &random))
            guard let piece = rest.readSlice(length: count), await writer.append(piece) else {
                return try fail("A piece of \(number) was refused.")
            }
            if end == 0 { return writer.discard() }
            if end == 1 { return }
        }
        guard await writer.commit(head: nil) != nil else { return try fail("\(number) cannot be committed.") }
        for other in places.indices where places[other].key == key && places[other].variant == variant {
            places[other].fate = .gone
        }
        places[number].fate = .stored
    }

    private func fail(_ text: String) throws { throw Failure(description: text) }

    // MARK: Serving

    private mutating func look(at key: Int) async throws {
        let cache = cache()
        var found: Set<UInt64> = []
        for variant in await cache.variants(of: Self.key(key)) {
            let words = variant.head.text.split(separator: " ")
            guard words.count > 1, let number = Int(words[0]), places.indices.contains(number) else {
                return try fail("A head that was not stored: \(variant.head.text.prefix(40))")
            }
            let place = places[number]
            guard place.key == key, place.variant == variant.id.variant, found.insert(place.variant).inserted else {
                return try fail("\(number) is in another place.")
            }
            guard place.fate != .gone else { return try fail("\(number) was removed, and is served.") }
            guard let revision = Int(words[1]), revision <= place.revision,
                variant.head == Self.head(number, revision)
            else { return try fail("The head of \(number) is \(variant.head.text.prefix(40)).") }
            guard let body = await Self.read(variant.body) else {
                // Damage in a long body may be found only while it is read.
                guard options.rots else { return try fail("The body of \(number) cannot be read.") }
                continue
            }
            guard body == Self.body(number) else { return try fail("The body of \(number) is another one.") }
            served += 1
            cache.noteUse(of: variant.id)
        }
        guard options.bytes >= 1 << 30, !options.rots else { return }
        for (number, place) in places.enumerated() where place.key == key && place.fate != .gone {
            // A crash may lose unsynced entries, and marks them as lost.
            guard found.contains(place.variant) else { return try fail("\(number) is lost.") }
        }
    }

    static func read(_ body: CachedBody) async -> Bytes? {
        switch body {
        case .whole(let bytes): return bytes
        case .reader(let reader):
            var all = Bytes()
            while Int64(all.readableBytes) < reader.length {
                guard var piece = try? await reader.read(at: Int64(all.readableBytes), upTo: 100_000),
                    piece.readableBytes > 0
                else { return nil }
                all.writeBuffer(&piece)
            }
            return all
        }
    }

    // MARK: Changes

    private mutating func update() async {
        let key = Int.random(in: 0..<12, using: &random)
        guard let variant = await cache().variants(of: Self.key(key)).first,
            let number = variant.head.text.split(separator: " ").first.flatMap({ Int($0) }),
            places.indices.contains(number)
        else { return }
        places[number].revision += 1
        _ = await cache().update(variant.id, head: Self.head(number, places[number].revision))
    }

    private mutating func remove() async {
        let key = Int.random(in: 0..<12, using: &random)
        guard let variant = await cache().variants(of: Self.key(key)).first else { return }
        await cache().remove(variant.id)
        for index in places.indices where places[index].key == key && places[index].variant == variant.id.variant {
            places[index].fate = .gone
        }
    }

    private mutating func removeKey() async {
        let key = Int.random(in: 0..<12, using: &random)
        await cache().remove([Self.key(key)])
        for index in places.indices where places[index].key == key { places[index].fate = .gone }
    }

    private mutating func clear() async {
        await cache().clear()
        for index in places.indices { places[index].fate = .gone }
    }

    private mutating func sync() async {
        // Each process syncs only its own entries.
        for cache in caches { await cache.sync() }
        for index in places.indices where places[index].fate == .stored { places[index].fate = .synced }
        let status = FileStatus(path: folder + "/journal-1")
        (syncedLength, syncedIdentity) = (Int(status?.size ?? 0), status?.identity)
    }

    // MARK: Crashes

    private mutating func crash() async throws {
        crashes += 1
        caches = []
        let entries = folder + "/entries-1"
        let journal = folder + "/journal-1"
        let synced = Set(places.indices.filter { places[$0].fate == .synced })
        let unsynced = Set(places.indices.filter { places[$0].fate == .stored })
        if options.losesUnsynced {
            cut(
                journal, from: FileStatus(path: journal)?.identity == syncedIdentity ? syncedLength : JournalHeader.size
            )
            for name in (try? FileManager.default.contentsOfDirectory(atPath: entries)) ?? [] {
                let path = "\(entries)/\(name)"
                let number = (try? EntryFile(path, id: nil))?.head.text.split(separator: " ").first.flatMap { Int($0) }
                if number.map({ !synced.contains($0) }) ?? true, Bool.random(using: &random) { cut(path, from: 0) }
            }
            for index in unsynced { places[index].fate = .gone }
        }
        if options.rots {
            for name in ["/journal-1"]
                + ((try? FileManager.default.subpathsOfDirectory(atPath: entries)) ?? []).map({ "/entries-1/\($0)" })
            where Int.random(in: 0..<4, using: &random) == 0 { rot(folder + name) }
        }
        if options.losesJournal, Bool.random(using: &random) {
            if Bool.random(using: &random) { unlink(journal) } else { rot(journal, in: 0..<40) }
        }
        open()
        if options.losesJournal { await caches[0].tidy() }
        if options.losesUnsynced { try await findSurvivors(unsynced) }
    }

    /// Records which unsynced entries survived.
    private mutating func findSurvivors(_ unsynced: Set<Int>) async throws {
        for key in 0..<12 {
            for variant in await caches[0].variants(of: Self.key(key)) {
                guard let number = variant.head.text.split(separator: " ").first.flatMap({ Int($0) }),
                    places.indices.contains(number)
                else { return try fail("After a crash, something else is served for \(key).") }
                if unsynced.contains(number) { places[number].fate = .stored }
            }
        }
    }

    private mutating func cut(_ path: String, from start: Int) {
        guard let size = FileStatus(path: path).map({ Int($0.size) }), size > start else { return }
        truncate(path, off_t(Int.random(in: start...size, using: &random)))
    }

    private mutating func rot(_ path: String, in range: Range<Int>? = nil) {
        guard let size = FileStatus(path: path).map({ Int($0.size) }), size > 0 else { return }
        let descriptor = SternaPlatform.open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let range = (range ?? 0..<size).clamped(to: 0..<size)
        guard !range.isEmpty else { return }
        let place = off_t(Int.random(in: range, using: &random))
        var byte: UInt8 = 0
        pread(descriptor, &byte, 1, place)
        byte ^= UInt8.random(in: 1...255, using: &random)
        pwrite(descriptor, &byte, 1, place)
    }
}
