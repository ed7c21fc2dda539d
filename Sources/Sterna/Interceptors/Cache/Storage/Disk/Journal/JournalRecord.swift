/// A record of a ``DiskCache``'s journal: 80 bytes, with a checksum that also covers its position.
///
/// | bytes | content, numbers in little-endian order |
/// |---|---|
/// | 0..<8 | XXH64 of the rest; its seed is the journal's generation plus the record's number |
/// | 8 | the kind: 1 stored, 2 removed, 3 evicted, 4 used |
/// | 9 | the queue of a stored entry: 0 small, 1 main |
/// | 10 | the uses of a stored entry, 0 to 3 |
/// | 11..<16 | zero |
/// | 16..<48 | the key |
/// | 48..<56 | the variant |
/// | 56..<64 | the nonce |
/// | 64..<72 | the size of a stored entry's file |
/// | 72..<80 | when it was stored, in milliseconds since 1970 |
struct JournalRecord: Sendable, Hashable {
    static let size = 80

    enum Kind: UInt8, Sendable, Hashable {
        /// An entry was committed, and replaces one with the same key and variant.
        case stored = 1
        case removed = 2
        /// An entry was evicted, and is remembered as a ghost.
        case evicted = 3
        /// An entry was served.
        case used = 4
    }

    var kind: Kind
    var id: CacheEntryID
    var queue = S3FIFO<JournalEntry>.Queue.small
    var uses: UInt8 = 0

    /// The size of the entry's file in bytes, not negative.
    var size: Int64 = 0

    /// When the entry was stored, in milliseconds since 1970.
    var stored: Int64 = 0

    init(_ kind: Kind, _ id: CacheEntryID) {
        self.kind = kind
        self.id = id
    }

    init(stored entry: JournalEntry, queue: S3FIFO<JournalEntry>.Queue = .small, uses: UInt8 = 0) {
        self.init(.stored, entry.id)
        self.queue = queue
        self.uses = uses
        size = entry.size
        stored = entry.stored
    }

    /// Reads a record at an offset; nil if it is damaged, or belongs to another position or journal.
    init?(_ bytes: UnsafeRawBufferPointer, at offset: Int, number: UInt64, generation: UInt64) {
        guard offset >= 0, bytes.count >= Self.size, offset <= bytes.count - Self.size else { return nil }
        let record = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Self.size])
        let content = UnsafeRawBufferPointer(rebasing: record[8...])
        guard XXHash64.hash(content, seed: generation &+ number) == LittleEndian.word(record, at: 0),
            let kind = Kind(rawValue: record[8]), let queue = S3FIFO<JournalEntry>.Queue(rawValue: record[9]),
            record[10] <= S3FIFO<JournalEntry>.mostUses, LittleEndian.word(record, at: 8) >> 24 == 0,
            let size = Int64(exactly: LittleEndian.word(record, at: 64))
        else { return nil }
        let key = CacheKey { LittleEndian.word(record, at: 16 + 8 * $0) }
        self.init(
            kind,
            CacheEntryID(
                key: key, variant: LittleEndian.word(record, at: 48), nonce: LittleEndian.word(record, at: 56)))
        self.queue = queue
        self.uses = record[10]
        self.size = size
        stored = Int64(bitPattern: LittleEndian.word(record, at: 72))
    }

    /// Appends the record's bytes.
    ///
    /// - Parameter number: its number in the journal, from 0.
    func append(to bytes: inout [UInt8], number: UInt64, generation: UInt64) {
        var content: [UInt8] = []
        content.reserveCapacity(Self.size - 8)
        let flags = UInt64(kind.rawValue) | UInt64(queue.rawValue) << 8 | UInt64(uses) << 16
        let (one, two, three, four) = id.key.words
        for word in [
            flags, one, two, three, four, id.variant, id.nonce, UInt64(max(0, size)), UInt64(bitPattern: stored),
        ] {
            LittleEndian.append(word, to: &content)
        }
        LittleEndian.append(content.withUnsafeBytes { XXHash64.hash($0, seed: generation &+ number) }, to: &bytes)
        bytes += content
    }
}

/// An entry as the journal lists it.
struct JournalEntry: Sendable, Hashable {
    let id: CacheEntryID

    /// The size of its file in bytes.
    let size: Int64

    /// When it was stored, in milliseconds since 1970.
    let stored: Int64
}

/// The first 80 bytes of a journal.
///
/// | bytes | content, numbers in little-endian order |
/// |---|---|
/// | 0..<8 | “sternaJ1” |
/// | 8..<16 | XXH64 of the rest |
/// | 16..<24 | the generation, a random number that each new journal gets |
/// | 24..<32 | the epoch: the number of times that all entries were removed |
/// | 32 | 1 if entries of a lost journal may be in the folder |
/// | 33..<80 | zero |
struct JournalHeader: Sendable, Hashable {
    static let size = JournalRecord.size
    private static let magic: UInt64 = 0x314A_616E_7265_7473

    var generation: UInt64
    var epoch: UInt64 = 0

    /// Whether the folder may have entries that the journal does not list, since an earlier journal was lost.
    var isIncomplete = false

    init(generation: UInt64, epoch: UInt64 = 0, isIncomplete: Bool = false) {
        self.generation = generation
        self.epoch = epoch
        self.isIncomplete = isIncomplete
    }

    /// Reads a header; nil if it is invalid.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.size else { return nil }
        let header = UnsafeRawBufferPointer(rebasing: bytes[..<Self.size])
        guard LittleEndian.word(header, at: 0) == Self.magic,
            LittleEndian.word(header, at: 8)
                == XXHash64.hash(UnsafeRawBufferPointer(rebasing: header[16...]), seed: Self.magic),
            LittleEndian.word(header, at: 32) <= 1
        else { return nil }
        generation = LittleEndian.word(header, at: 16)
        epoch = LittleEndian.word(header, at: 24)
        isIncomplete = LittleEndian.word(header, at: 32) == 1
    }

    var bytes: [UInt8] {
        var content: [UInt8] = []
        for word in [generation, epoch, isIncomplete ? 1 : 0] { LittleEndian.append(word, to: &content) }
        content += [UInt8](repeating: 0, count: Self.size - 16 - content.count)
        var bytes: [UInt8] = []
        LittleEndian.append(Self.magic, to: &bytes)
        LittleEndian.append(content.withUnsafeBytes { XXHash64.hash($0, seed: Self.magic) }, to: &bytes)
        return bytes + content
    }
}
