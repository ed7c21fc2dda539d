@testable import Sterna

/// Records of the cache's journal.
enum JournalScene {
    static func id(_ key: Int, _ variant: UInt64 = 0, _ nonce: UInt64 = 0) -> CacheEntryID {
        CacheEntryID(key: CacheKey(request: Array("\(key)".utf8), partition: []), variant: variant, nonce: nonce)
    }

    static func random(_ count: Int, seed: UInt64) -> [JournalRecord] {
        var random = SeededRandom(seed: seed)
        var ids: [CacheEntryID] = []
        return (0..<count).map { number in
            let known = ids.randomElement(using: &random)
            if let known, Bool.random(using: &random) {
                return JournalRecord([.removed, .evicted, .used, .used].randomElement(using: &random) ?? .used, known)
            }
            let id = id(.random(in: 0..<8, using: &random), .random(in: 0..<3, using: &random), UInt64(number))
            ids.append(id)
            var record = JournalRecord(.stored, id)
            record.size = .random(in: 0..<1_000, using: &random)
            record.stored = Int64(number)
            record.uses = .random(in: 0...3, using: &random)
            record.queue = Bool.random(using: &random) ? .small : .main
            return record
        }
    }

    static func bytes(_ records: [JournalRecord], generation: UInt64 = 7) -> [UInt8] {
        var state = JournalState(JournalHeader(generation: generation), capacity: .max)
        return state.header.bytes + state.append(records)
    }
}
