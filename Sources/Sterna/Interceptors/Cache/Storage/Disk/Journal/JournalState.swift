/// The state that a journal's records produce: the entries of a ``DiskCache``, in the order of eviction. A value without files or a
/// clock.
///
/// Any prefix of a journal produces a consistent state, even with torn or corrupt records: unreadable ones are skipped, and no
/// record depends on another. The journal does not say whether an entry's file exists, or is intact.
struct JournalState: Sendable {
    private(set) var header: JournalHeader

    /// The number of records read, including unreadable ones.
    private(set) var records = 0

    /// The number of unreadable records before readable ones.
    private(set) var damaged = 0

    private var slots: [CacheKey: [Int]] = [:]
    private var queue: S3FIFO<JournalEntry>

    /// - Parameter capacity: the size in bytes beyond which entries are evicted.
    init(_ header: JournalHeader, capacity: Int64, limit: Int = .max) {
        self.header = header
        queue = S3FIFO(capacity: capacity, limit: limit)
    }

    /// The length of the journal in bytes, up to its last readable record.
    var length: Int64 { Int64(JournalHeader.size) + Int64(records) * Int64(JournalRecord.size) }

    /// The number of entries and the size of their files.
    var usage: CacheUsage { CacheUsage(entries: queue.count, bytes: queue.size) }

    /// Whether entries have to be evicted.
    var isOver: Bool { queue.isOver }

    /// Whether so many records are obsolete that a journal made by ``compacted(generation:)`` should replace this one.
    var isBloated: Bool { records > 4 * queue.count + 4_096 || damaged > 0 }

    // MARK: Queries

    /// Returns the variants of a key, the most recently stored first.
    func entries(of key: CacheKey) -> [JournalEntry] {
        let found = (slots[key] ?? []).reversed().compactMap { queue[$0] }
        // A compacted journal lists entries in the order of eviction instead.
        return found.count < 2 ? found : found.sorted { $0.stored > $1.stored }
    }

    /// Returns whether an entry is listed.
    func contains(_ id: CacheEntryID) -> Bool { slot(of: id) != nil }

    /// All entries.
    var entries: [JournalEntry] { queue.order.map(\.element) }

    // MARK: Replaying

    /// Replays the records that follow those already read.
    ///
    /// - Parameter bytes: the journal from ``length`` on. A partial record at its end is not read.
    /// - Returns: whether all records were readable. Unreadable ones at the end do not count as read: they are read again or
    ///   overwritten.
    @discardableResult
    mutating func replay(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        var unreadable = 0
        while bytes.count - offset >= JournalRecord.size {
            let number = UInt64(records + unreadable)
            if let record = JournalRecord(bytes, at: offset, number: number, generation: header.generation) {
                records += unreadable + 1
                damaged += unreadable
                unreadable = 0
                apply(record)
            } else {
                unreadable += 1
            }
            offset += JournalRecord.size
        }
        return unreadable == 0 && offset == bytes.count
    }

    /// Applies new records, and returns their bytes for the end of the journal.
    mutating func append(_ new: [JournalRecord]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(new.count * JournalRecord.size)
        for record in new {
            record.append(to: &bytes, number: UInt64(records), generation: header.generation)
            records += 1
            apply(record)
        }
        return bytes
    }

    private mutating func apply(_ record: JournalRecord) {
        switch record.kind {
        case .stored:
            for slot in slots[record.id.key] ?? [] where queue[slot]?.id.variant == record.id.variant { drop(slot) }
            let entry = JournalEntry(id: record.id, size: record.size, stored: record.stored)
            let fingerprint = record.id.fingerprint
            let slot =
                record.queue == .small && record.uses == 0
                ? queue.insert(entry, fingerprint: fingerprint, size: record.size)
                : queue.place(
                    entry, fingerprint: fingerprint, size: record.size, in: record.queue, uses: record.uses)
            slots[record.id.key, default: []].append(slot)
        case .removed:
            if let slot = slot(of: record.id) { drop(slot) }
        case .evicted:
            if let slot = slot(of: record.id) {
                queue.haunt(slot)
                drop(slot)
            }
        case .used:
            if let slot = slot(of: record.id) { queue.use(slot) }
        }
    }

    private func slot(of id: CacheEntryID) -> Int? { slots[id.key]?.first { queue[$0]?.id == id } }

    private mutating func drop(_ slot: Int) {
        guard let entry = queue.remove(slot) else { return }
        slots[entry.id.key]?.removeAll { $0 == slot }
        if slots[entry.id.key]?.isEmpty == true { slots[entry.id.key] = nil }
    }

    // MARK: Decisions

    /// Removes and returns the next entry to evict; nil if the limits are kept. The caller records the eviction.
    mutating func evict() -> JournalEntry? {
        guard let entry = queue.evict() else { return nil }
        slots[entry.id.key]?.removeAll { queue[$0] == nil }
        if slots[entry.id.key]?.isEmpty == true { slots[entry.id.key] = nil }
        return entry
    }

    /// Returns the bytes of a journal with only the current entries.
    ///
    /// - Parameter generation: a number that no earlier journal had.
    func compacted(generation: UInt64, epoch: UInt64? = nil, isIncomplete: Bool? = nil) -> [UInt8] {
        let header = JournalHeader(
            generation: generation, epoch: epoch ?? self.header.epoch,
            isIncomplete: isIncomplete ?? self.header.isIncomplete)
        var bytes = header.bytes
        bytes.reserveCapacity(bytes.count + queue.count * JournalRecord.size)
        for (number, element) in queue.order.enumerated() {
            JournalRecord(stored: element.element, queue: element.queue, uses: element.uses)
                .append(to: &bytes, number: UInt64(number), generation: generation)
        }
        return bytes
    }
}
