/// The 64-bit hash of the xxHash specification (XXH64), as a checksum that detects damaged bytes on disk.
///
/// It does not protect against forgery: a program that can write to the folder can write checksums. It is much faster than a cyclic
/// or cryptographic checksum without instructions for it, so that storing a body costs little more than writing it.
package enum XXHash64 {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var position = 0
        var hash: UInt64
        if bytes.count >= 32 {
            var (one, two) = (seed &+ prime1 &+ prime2, seed &+ prime2)
            var (three, four) = (seed, seed &- prime1)
            let last = bytes.count - 32
            while position <= last {
                one = round(one, load(bytes, position))
                two = round(two, load(bytes, position + 8))
                three = round(three, load(bytes, position + 16))
                four = round(four, load(bytes, position + 24))
                position += 32
            }
            hash = rotate(one, 1) &+ rotate(two, 7) &+ rotate(three, 12) &+ rotate(four, 18)
            hash = merge(merge(merge(merge(hash, one), two), three), four)
        } else {
            hash = seed &+ prime5
        }
        hash &+= UInt64(bytes.count)
        while position + 8 <= bytes.count {
            hash = rotate(hash ^ round(0, load(bytes, position)), 27) &* prime1 &+ prime4
            position += 8
        }
        if position + 4 <= bytes.count {
            let half = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
            hash = rotate(hash ^ (UInt64(half) &* prime1), 23) &* prime2 &+ prime3
            position += 4
        }
        while position < bytes.count {
            hash = rotate(hash ^ (UInt64(bytes[position]) &* prime5), 11) &* prime1
            position += 1
        }
        hash = (hash ^ (hash >> 33)) &* prime2
        hash = (hash ^ (hash >> 29)) &* prime3
        return hash ^ (hash >> 32)
    }

    @inline(__always)
    private static func load(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotate(lane &+ word &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
        (hash ^ round(0, lane)) &* prime1 &+ prime4
    }

    @inline(__always)
    private static func rotate(_ value: UInt64, _ by: UInt64) -> UInt64 { value << by | value >> (64 - by) }
}
