import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cache storage: the journal's records")
struct JournalStateTests {
    /// A model: the entries that result from records, in a list.
    static func model(_ records: some Sequence<JournalRecord>) -> [CacheEntryID: Int64] {
        var entries: [CacheEntryID: Int64] = [:]
        for record in records {
            switch record.kind {
            case .stored:
                entries = entries.filter { $0.key.key != record.id.key || $0.key.variant != record.id.variant }
                entries[record.id] = record.size
            case .removed, .evicted: entries[record.id] = nil
            case .used: break
            }
        }
        return entries
    }

    static func read(_ bytes: [UInt8]) -> JournalState? {
        bytes.withUnsafeBytes { CacheJournal.state($0, CacheLimits(bytes: .max)) }
    }

    static func isSame(_ state: JournalState?, _ model: [CacheEntryID: Int64]) -> Bool {
        guard let state, state.entries.count == model.count, state.usage.entries == model.count,
            state.usage.bytes == model.values.reduce(0, +),
            state.entries.allSatisfy({ model[$0.id] == $0.size && state.contains($0.id) })
        else { return false }
        return Set(model.keys.map(\.key)).allSatisfy { key in
            let found = state.entries(of: key)
            return Set(found.map(\.id)) == Set(model.keys.filter { $0.key == key })
                && found.map(\.stored) == found.map(\.stored).sorted(by: >)
        }
    }

    @Test("A record is read only at its own position and in its own generation")
    func records() {
        for record in JournalScene.random(200, seed: 1) {
            var bytes: [UInt8] = [1, 2, 3]
            record.append(to: &bytes, number: 9, generation: 5)
            expectEqual(bytes.count, 3 + JournalRecord.size)
            bytes.withUnsafeBytes {
                expectEqual(JournalRecord($0, at: 3, number: 9, generation: 5), record)
                expectNil(JournalRecord($0, at: 3, number: 8, generation: 5))
                expectNil(JournalRecord($0, at: 3, number: 9, generation: 6))
                expectNil(JournalRecord($0, at: 4, number: 9, generation: 5))
                expectNil(JournalRecord($0, at: -1, number: 9, generation: 5))
            }
        }
    }

    @Test("A header is read unchanged, and rejected with a changed bit")
    func headers() {
        let header = JournalHeader(generation: .max, epoch: 3, isIncomplete: true)
        var bytes = header.bytes
        expectEqual(bytes.withUnsafeBytes { JournalHeader($0) }, header)
        for index in bytes.indices {
            bytes[index] ^= 0x10
            expectNil(bytes.withUnsafeBytes { JournalHeader($0) })
            bytes[index] ^= 0x10
        }
        expectNil(bytes.dropLast().withUnsafeBytes { JournalHeader($0) })
    }

    @Test("A journal that is cut anywhere has the state of its whole records", arguments: 0..<4 as Range<UInt64>)
    func prefixes(seed: UInt64) {
        let records = JournalScene.random(60, seed: seed)
        let bytes = JournalScene.bytes(records)
        for end in stride(from: JournalHeader.size, through: bytes.count, by: 7) {
            let whole = (end - JournalHeader.size) / JournalRecord.size
            let state = Self.read(Array(bytes[..<end]))
            guard Self.isSame(state, Self.model(records[..<whole])) else {
                Issue.record("\(end) bytes with seed \(seed)")
                return
            }
            expectEqual(state?.length, Int64(JournalHeader.size + whole * JournalRecord.size))
        }
    }

    @Test("A damaged record is skipped, and one at the end does not count", arguments: 0..<8 as Range<UInt64>)
    func damage(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let records = JournalScene.random(40, seed: seed)
        for _ in 0..<30 {
            var bytes = JournalScene.bytes(records)
            let damaged = Int.random(in: 0..<records.count, using: &random)
            let place =
                JournalHeader.size + damaged * JournalRecord.size
                + Int.random(in: 0..<JournalRecord.size, using: &random)
            bytes[place] ^= UInt8.random(in: 1...255, using: &random)
            let state = Self.read(bytes)
            let others = records.enumerated().filter { $0.offset != damaged }.map(\.element)
            #expect(Self.isSame(state, Self.model(others)))
            let isLast = damaged == records.count - 1
            expectEqual(state?.records, records.count - (isLast ? 1 : 0))
            expectEqual(state?.isBloated, !isLast)
        }
    }

    @Test("Records that are appended after a torn one continue the journal")
    func continues() throws {
        let records = JournalScene.random(30, seed: 3)
        var bytes = JournalScene.bytes(Array(records[..<20]))
        bytes.removeLast(11)
        var state = try #require(Self.read(bytes))
        expectEqual(state.records, 19)
        bytes.removeLast(bytes.count - Int(state.length))
        bytes += state.append(Array(records[20...]))
        let kept = Array(records[..<19]) + records[20...]
        #expect(Self.isSame(state, Self.model(kept)) && Self.isSame(Self.read(bytes), Self.model(kept)))
    }

    @Test("An incremental reader has the same state as one that reads everything")
    func increments() {
        let records = JournalScene.random(300, seed: 5)
        let bytes = JournalScene.bytes(records)
        var state = JournalState(JournalHeader(generation: 7), capacity: .max)
        var random = SeededRandom(seed: 5)
        while Int(state.length) < bytes.count {
            let end = min(bytes.count, Int(state.length) + Int.random(in: 0..<400, using: &random))
            let isWhole = bytes[Int(state.length)..<end].withUnsafeBytes { state.replay($0) }
            expectEqual(isWhole, (Int(state.length) == end))
        }
        #expect(Self.isSame(state, Self.model(records)))
    }

    @Test("A compacted journal has the same entries, queues and uses, and another generation")
    func compaction() throws {
        let state = try #require(Self.read(JournalScene.bytes(JournalScene.random(500, seed: 6))))
        let bytes = state.compacted(generation: 99, epoch: 4, isIncomplete: true)
        let other = try #require(Self.read(bytes))
        expectEqual(other.header, JournalHeader(generation: 99, epoch: 4, isIncomplete: true))
        expectEqual(Set(other.entries), Set(state.entries))
        #expect(other.records == state.usage.entries && other.length == Int64(bytes.count))
        expectEqual(other.compacted(generation: 99), bytes)
    }

    @Test("Evicted entries stay away when the journal is read again")
    func evicts() throws {
        var state = JournalState(JournalHeader(generation: 1), capacity: 1_000)
        var bytes = state.header.bytes
        for number in 0..<50 {
            var record = JournalRecord(.stored, JournalScene.id(number))
            record.size = 90
            bytes += state.append([record])
            while let entry = state.evict() { bytes += state.append([JournalRecord(.evicted, entry.id)]) }
        }
        expectEqual(state.usage, CacheUsage(entries: 11, bytes: 990))
        let other = try #require(bytes.withUnsafeBytes { CacheJournal.state($0, CacheLimits(bytes: 1_000)) })
        expectEqual(Set(other.entries), Set(state.entries))
    }
}
