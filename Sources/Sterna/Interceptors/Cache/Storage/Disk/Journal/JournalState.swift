/// What the records of a journal amount to: the entries of a ``DiskCache``, in the order of eviction. A value without files or a clock.
///
/// Any prefix of a journal gives a consistent state, with a torn or corrupt record or tail, too: records that cannot be read are passed
/// over, and no record depends on another. Whether an entry's file is there, and what it holds, only the file says.
struct JournalState: Sendable {
    private(set) var header: JournalHeader

    /// The number of records read, unreadable ones among them.
    private(set) var records = 0

    /// The number of unreadable records with readable ones behind them.
    private(set) var damaged = 0

    private var slots: [CacheKey: [Int]] = [:]
    private var queue: S3FIFO<JournalEntry>

    /// - Parameter capacity: the size at which entries are evicted.
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

    /// Whether the journal has so many records without effect that a new one with ``compacted(generation:)`` should replace it.
    var isBloated: Bool { records > 4 * queue.count + 4_096 || damaged > 0 }

    // MARK: Queries

    /// Returns the variants of a key, the most recently stored first.
    func entries(of key: CacheKey) -> [JournalEntry] {
        let found = (slots[key] ?? []).reversed().compactMap { queue[$0] }
        // The order of eviction, in which a new journal lists them, is another one.
        return found.count < 2 ? found : found.sorted { $0.stored > $1.stored }
    }

    /// Returns whether an entry is listed.
    func contains(_ id: CacheEntryID) -> Bool { slot(of: id) != nil }

    /// All entries.
    var entries: [JournalEntry] { queue.order.map(\.element) }

    // MARK: Replaying

    /// Reads the records behind those already read.
    ///
    /// - Parameters:
    ///   - bytes: the journal from ``length`` on. A partial record at its end is not read.
    /// - Returns: whether all records could be read. Unreadable ones at the end do not count as read, so that they are read again or
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

    /// Returns the bytes of records that follow those read, and applies them.
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

    /// Removes and returns the entry to drop if there are too many; nil otherwise. The caller records it as evicted.
    mutating func evict() -> JournalEntry? {
        guard let entry = queue.evict() else { return nil }
        slots[entry.id.key]?.removeAll { queue[$0] == nil }
        if slots[entry.id.key]?.isEmpty == true { slots[entry.id.key] = nil }
        return entry
    }

    /// Returns the bytes of a journal with these entries and nothing else.
    ///
    /// - Parameter generation: another one than any journal before had.
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
