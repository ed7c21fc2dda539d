import NIOCore
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cache storage: the format of an entry's file")
struct EntryHeaderTests {
    static let id = JournalScene.id(1, 2, 3)

    @Test("The checksum matches the specification")
    func checksum() {
        let vectors: [(String, UInt64)] = [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
            ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
        ]
        for (text, expected) in vectors {
            expectEqual(Array(text.utf8).withUnsafeBytes { XXHash64.hash($0, seed: 0) }, expected)
        }
    }

    @Test("Every bit of a body, and the seed, change the checksum")
    func bits() {
        var bytes = (0..<100).map { UInt8($0) }
        let whole = bytes.withUnsafeBytes { XXHash64.hash($0, seed: 1) }
        #expect(bytes.withUnsafeBytes { XXHash64.hash($0, seed: 2) } != whole)
        for bit in 0..<800 {
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(bytes.withUnsafeBytes { XXHash64.hash($0, seed: 1) } != whole)
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        }
    }

    @Test(
        "Pieces follow each other with their checksums, to the end of the file",
        arguments: [0, 1, 262_143, 262_144, 262_145, 524_288, 1_000_000, EntryHeader.mostLength] as [Int64])
    func places(length: Int64) {
        let header = EntryHeader(Self.id, stored: -4, length: length, slotSize: 640)
        expectEqual(header.bytes.withUnsafeBytes { EntryHeader($0) }, header)
        var end = Int64(header.bodyStart)
        var total: Int64 = 0
        for number in [0, 1, 2, 3] where number < header.pieces {
            let piece = header.piece(number)
            #expect(piece.start == end && piece.length > 0)
            end = piece.start + Int64(piece.length + EntryHeader.checksumSize)
            total += Int64(piece.length)
        }
        if header.pieces <= 4 { #expect(total == length && end == header.fileSize) }
        expectEqual(header.piece(header.pieces).length, 0)
    }

    @Test("A header with a changed bit is rejected")
    func headers() {
        var bytes = EntryHeader(Self.id, stored: 5, length: 77, slotSize: 640).bytes
        for index in bytes.indices {
            bytes[index] ^= 0x04
            expectNil(bytes.withUnsafeBytes { EntryHeader($0) })
            bytes[index] ^= 0x04
        }
        expectNil(bytes.dropLast().withUnsafeBytes { EntryHeader($0) })
        let forged = [
            EntryHeader(Self.id, stored: 5, length: EntryHeader.mostLength + 1, slotSize: 640),
            EntryHeader(Self.id, stored: 5, length: .max, slotSize: 640),
            EntryHeader(Self.id, stored: 5, length: 1, slotSize: 23),
            EntryHeader(Self.id, stored: 5, length: 1, slotSize: EntryHeader.mostSlotSize + 1),
        ]
        for header in forged { expectNil(header.bytes.withUnsafeBytes { EntryHeader($0) }) }
    }

    @Test("The newer of two heads counts, or the older one if the newer is incomplete")
    func slots() throws {
        let header = EntryHeader(Self.id, stored: 0, length: 0, slotSize: 256)
        let older = HeadSlot.bytes(Bytes(text: "older"), revision: 4, nonce: Self.id.nonce)
        let newer = HeadSlot.bytes(Bytes(text: "the newer one"), revision: 5, nonce: Self.id.nonce)
        var file = header.bytes + [UInt8](repeating: 0xAA, count: 2 * header.slotSize)
        func head() -> String? {
            file.withUnsafeBytes { raw in
                HeadSlot.present(raw, header).map { String(decoding: raw[$0.head], as: UTF8.self) }
            }
        }
        expectNil(head())
        file.replaceSubrange(header.slot(1)..<header.slot(1) + older.count, with: older)
        for end in 0...newer.count {
            file.replaceSubrange(header.slot(0)..<header.slot(0) + end, with: newer[..<end])
            expectEqual(head(), (end == newer.count ? "the newer one" : "older"))
        }
        file.removeLast()
        expectNil(head())
    }

    @Test("A slot of another entry, or with a length beyond its end, is rejected")
    func foreignSlots() {
        var bytes = HeadSlot.bytes(Bytes(text: "head"), revision: 1, nonce: 8)
        expectEqual(bytes.withUnsafeBytes { HeadSlot($0, nonce: 8)?.head }, 24..<28)
        expectNil(bytes.withUnsafeBytes { HeadSlot($0, nonce: 9) })
        for length in [5, UInt64(Int.max), .max] {
            bytes.replaceSubrange(16..<24, with: withUnsafeBytes(of: length.littleEndian) { Array($0) })
            expectNil(bytes.withUnsafeBytes { HeadSlot($0, nonce: 8) })
        }
        expectNil([UInt8](repeating: 0, count: 64).withUnsafeBytes { HeadSlot($0, nonce: 0) })
    }

    @Test("File names consist of digits, whatever the key")
    func names() {
        for text in ["../../etc/passwd", "a/b", "\u{0}", "", String(repeating: "x", count: 10_000)] {
            let key = CacheKey(request: Array(text.utf8), partition: Array(text.utf8))
            let name = EntryHeader.fileName(CacheEntryID(key: key, variant: 1, nonce: 2))
            #expect(EntryHeader.isFileName(name) && name.hasPrefix(EntryHeader.prefix(of: key)))
        }
        for name in ["", "..", "journal-1", String(repeating: "A", count: 32), String(repeating: "0", count: 33)] {
            #expect(!EntryHeader.isFileName(name))
        }
    }
}
