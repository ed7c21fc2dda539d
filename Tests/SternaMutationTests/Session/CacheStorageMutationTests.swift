import MutationKit
import NIOCore
import SternaCore
import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Mutations: files of the cache")
struct CacheStorageMutationTests {
    static let journals = MutatedReader(
        "CacheJournal",
        seeds: [
            JournalScene.bytes([]), JournalScene.bytes(JournalScene.random(3, seed: 1)),
            JournalScene.bytes(JournalScene.random(40, seed: 2)),
        ],
        tokens: [
            Array(JournalHeader(generation: 7).bytes.prefix(8)),
            Array(JournalScene.bytes(JournalScene.random(1, seed: 1)).suffix(JournalRecord.size)),
            [UInt8](repeating: 0, count: JournalRecord.size), [UInt8](repeating: 0xFF, count: 8),
        ]
    ) { bytes in
        guard let state = bytes.withUnsafeBytes({ CacheJournal.state($0, CacheLimits(bytes: 5_000)) }) else {
            return .refused
        }
        guard state.length <= bytes.count, state.entries.count <= state.records, state.usage.bytes >= 0 else {
            throw MutationFailure("\(state.records) records come out of \(bytes.count) bytes.")
        }
        var changed = state
        let more = changed.append([JournalRecord(.stored, JournalScene.id(1))])
        while let entry = changed.evict() {
            guard !changed.contains(entry.id) else { throw MutationFailure("\(entry) is still there.") }
        }
        // What is written behind it is read, and a new journal has the same entries.
        let longer = Array(bytes.prefix(Int(state.length))) + more
        guard
            longer.withUnsafeBytes({ CacheJournal.state($0, CacheLimits(bytes: 5_000)) })?.records == state.records + 1,
            let other = changed.compacted(generation: 4).withUnsafeBytes({
                CacheJournal.state($0, CacheLimits(bytes: 5_000))
            }), Set(other.entries) == Set(changed.entries)
        else { throw MutationFailure("It cannot be continued.") }
        return .accepted
    }

    static func file(_ head: String, _ length: Int) -> [UInt8] {
        let header = EntryHeader(
            JournalScene.id(1), stored: 9, length: Int64(length), slotSize: HeadSlot.size(forHead: head.utf8.count)
        )
        var bytes = header.bytes + HeadSlot.bytes(Bytes(text: head), revision: 1, nonce: header.id.nonce)
        bytes += [UInt8](repeating: 0, count: header.bodyStart - bytes.count)
        for number in 0..<header.pieces {
            let piece = [UInt8](repeating: UInt8(number), count: header.piece(number).length)
            bytes += piece
            LittleEndian.append(
                piece.withUnsafeBytes { EntryHeader.checksum($0, number: number, nonce: header.id.nonce) }, to: &bytes)
        }
        return bytes
    }

    static let entries = MutatedReader(
        "CacheEntry",
        seeds: [file("", 0), file("head", 0), file("head", 10), file(String(repeating: "h", count: 3_000), 5_000)],
        tokens: [
            Array(file("", 0).prefix(8)), Array(file("", 0).prefix(EntryHeader.size)),
            HeadSlot.bytes(Bytes(text: "x"), revision: .max, nonce: 0),
            [0, 0, 0, 0, 0, 0, 0, 0x80], [UInt8](repeating: 0xFF, count: 8),
        ]
    ) { bytes in
        let path = "/tmp/sterna-cache-entry-\(getpid())"
        unlink(path)
        defer { unlink(path) }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw MutationFailure("No file can be made.") }
        let isWritten = bytes.withUnsafeBytes { CacheFolder.write($0, descriptor, at: 0) }
        close(descriptor)
        guard isWritten, let file = try? EntryFile(path, id: nil) else { return .refused }
        guard file.header.fileSize == bytes.count, file.head.readableBytes <= file.header.slotSize else {
            throw MutationFailure("\(file.header) is in a file of \(bytes.count) bytes.")
        }
        guard (try? file.verify()) != nil else { return .refused }
        var length: Int64 = 0
        for number in 0..<file.header.pieces { length += Int64(try file.piece(number).readableBytes) }
        guard length == file.header.length else { throw MutationFailure("The body has \(length) bytes.") }
        return .accepted
    }

    @Test("No mutated journal ends the process")
    func survivesJournals() async {
        let report = await Self.journals.supervise {
            await #expect(processExitsWith: .success) { await CacheStorageMutationTests.journals.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated entry ends the process")
    func survivesEntries() async {
        let report = await Self.entries.supervise {
            await #expect(processExitsWith: .success) { await CacheStorageMutationTests.entries.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
