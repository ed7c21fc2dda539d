import NIOCore
import SternaCore

/// The beginning of an entry's file, with its layout. A value without I/O.
///
/// | bytes | content, numbers in little-endian order |
/// |---|---|
/// | 0..<8 | “sternaE1” |
/// | 8..<16 | XXH64 of the rest of the header |
/// | 16..<48 | the key |
/// | 48..<56 | the variant |
/// | 56..<64 | the nonce |
/// | 64..<72 | when it was stored, in milliseconds since 1970 |
/// | 72..<80 | the length of the body |
/// | 80..<88 | the size of a slot for heads |
/// | 88..<128 | zero |
///
/// Two slots for heads follow (``HeadSlot``), so that a new head never overwrites the current one. The body follows in pieces of
/// 256 KiB, each followed by its XXH64, whose seed is the nonce plus the piece's number. The file ends with the last piece.
struct EntryHeader: Sendable, Hashable {
    static let size = 128
    private static let magic: UInt64 = 0x3145_616E_7265_7473

    /// The length of each piece of a body but the last, in bytes.
    static let pieceSize = 256 << 10

    /// The length of a checksum in bytes.
    static let checksumSize = 8

    /// The maximum size of a slot for heads, in bytes.
    static let mostSlotSize = 2 << 20

    /// The maximum length of a body in bytes, so that no sum overflows.
    static let mostLength: Int64 = 1 << 50

    let id: CacheEntryID
    let stored: Int64
    let length: Int64
    let slotSize: Int

    init(_ id: CacheEntryID, stored: Int64, length: Int64, slotSize: Int) {
        self.id = id
        self.stored = stored
        self.length = length
        self.slotSize = slotSize
    }

    /// Reads a header; nil if it is invalid.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.size else { return nil }
        let header = UnsafeRawBufferPointer(rebasing: bytes[..<Self.size])
        guard LittleEndian.word(header, at: 0) == Self.magic,
            LittleEndian.word(header, at: 8)
                == XXHash64.hash(UnsafeRawBufferPointer(rebasing: header[16...]), seed: Self.magic),
            let length = Int64(exactly: LittleEndian.word(header, at: 72)), length <= Self.mostLength,
            let slotSize = Int(exactly: LittleEndian.word(header, at: 80)),
            slotSize >= HeadSlot.overhead, slotSize <= Self.mostSlotSize
        else { return nil }
        id = CacheEntryID(
            key: CacheKey { LittleEndian.word(header, at: 16 + 8 * $0) },
            variant: LittleEndian.word(header, at: 48), nonce: LittleEndian.word(header, at: 56))
        stored = Int64(bitPattern: LittleEndian.word(header, at: 64))
        self.length = length
        self.slotSize = slotSize
    }

    var bytes: [UInt8] {
        var content: [UInt8] = []
        let (one, two, three, four) = id.key.words
        for word in [
            one, two, three, four, id.variant, id.nonce, UInt64(bitPattern: stored), UInt64(max(0, length)),
            UInt64(max(0, slotSize)),
        ] {
            LittleEndian.append(word, to: &content)
        }
        content += [UInt8](repeating: 0, count: Self.size - 16 - content.count)
        var bytes: [UInt8] = []
        LittleEndian.append(Self.magic, to: &bytes)
        LittleEndian.append(content.withUnsafeBytes { XXHash64.hash($0, seed: Self.magic) }, to: &bytes)
        return bytes + content
    }

    // MARK: Places

    /// Returns the offset of a slot for heads.
    func slot(_ number: Int) -> Int { Self.size + number * slotSize }

    /// The offset of the body.
    var bodyStart: Int { Self.size + 2 * slotSize }

    /// The number of pieces of the body.
    var pieces: Int { Int((length + Int64(Self.pieceSize) - 1) / Int64(Self.pieceSize)) }

    /// The size of the whole file in bytes.
    var fileSize: Int64 { Int64(bodyStart) + length + Int64(pieces) * Int64(Self.checksumSize) }

    /// Returns the offset of a piece in the file, and its length.
    func piece(_ number: Int) -> (start: Int64, length: Int) {
        let start = Int64(number) * Int64(Self.pieceSize)
        return (
            Int64(bodyStart) + start + Int64(number) * Int64(Self.checksumSize),
            Int(max(0, min(Int64(Self.pieceSize), length - start)))
        )
    }

    /// Returns the checksum of a piece's bytes.
    static func checksum(_ piece: UnsafeRawBufferPointer, number: Int, nonce: UInt64) -> UInt64 {
        XXHash64.hash(piece, seed: nonce &+ UInt64(max(0, number)))
    }

    /// Returns the name of an entry's file: hexadecimal digits of a hash and a random number, without any input from outside.
    static func fileName(_ id: CacheEntryID) -> String { prefix(of: id.key) + hex(id.nonce) }

    /// Returns the prefix of the names of a key's entries.
    static func prefix(of key: CacheKey) -> String { hex(key.words.0) }

    /// Returns whether a name is that of an entry's file.
    static func isFileName(_ name: String) -> Bool {
        name.utf8.count == 32 && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func hex(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

/// A slot for an entry's head; of the two, the one with the higher revision is current.
///
/// | bytes | content, numbers in little-endian order |
/// |---|---|
/// | 0..<8 | XXH64 of the rest; its seed is the nonce |
/// | 8..<16 | the revision, from 1 |
/// | 16..<24 | the length of the head |
/// | 24... | the head |
struct HeadSlot: Sendable, Hashable {
    static let overhead = 24

    let revision: UInt64
    let head: Range<Int>

    /// Returns the size of a slot for a head that may grow a little.
    static func size(forHead count: Int) -> Int { (overhead + count + max(512, count / 4) + 63) & ~63 }

    /// Reads a slot; nil if it was not written completely.
    ///
    /// ``head`` is the range of the head in the slot.
    init?(_ slot: UnsafeRawBufferPointer, nonce: UInt64) {
        guard slot.count >= Self.overhead,
            let length = Int(exactly: LittleEndian.word(slot, at: 16)), length <= slot.count - Self.overhead,
            LittleEndian.word(slot, at: 8) > 0
        else { return nil }
        let end = Self.overhead + length
        guard
            XXHash64.hash(UnsafeRawBufferPointer(rebasing: slot[8..<end]), seed: nonce)
                == LittleEndian.word(slot, at: 0)
        else { return nil }
        revision = LittleEndian.word(slot, at: 8)
        head = Self.overhead..<end
    }

    /// Returns the bytes of a slot with a head.
    static func bytes(_ head: Bytes, revision: UInt64, nonce: UInt64) -> [UInt8] {
        var content: [UInt8] = []
        content.reserveCapacity(16 + head.readableBytes)
        LittleEndian.append(revision, to: &content)
        LittleEndian.append(UInt64(head.readableBytes), to: &content)
        content += head.readableBytesView
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 + content.count)
        LittleEndian.append(content.withUnsafeBytes { XXHash64.hash($0, seed: nonce) }, to: &bytes)
        return bytes + content
    }

    /// Returns the current head of an entry: its slot, its revision, and its range in the beginning of the file.
    static func present(
        _ file: UnsafeRawBufferPointer, _ header: EntryHeader
    ) -> (slot: Int, revision: UInt64, head: Range<Int>)? {
        guard file.count >= header.bodyStart else { return nil }
        var found: (slot: Int, revision: UInt64, head: Range<Int>)?
        for number in 0..<2 {
            let start = header.slot(number)
            let slot = UnsafeRawBufferPointer(rebasing: file[start..<start + header.slotSize])
            guard let read = HeadSlot(slot, nonce: header.id.nonce), read.revision > found?.revision ?? 0 else {
                continue
            }
            found = (number, read.revision, start + read.head.lowerBound..<start + read.head.upperBound)
        }
        return found
    }
}
