/// Deflate, zlib and gzip framing around uncompressed (stored) blocks, which every decoder accepts; the test kit then needs no
/// compressor.
enum StoredDeflate {
    /// Raw deflate (RFC 1951 §3.2.4).
    static func raw(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count + bytes.count / 65_535 * 5 + 5)
        var start = 0
        repeat {
            let end = min(bytes.count, start + 65_535)
            let count = UInt16(end - start)
            out.append(end == bytes.count ? 1 : 0)
            out += [UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8)]
            out += bytes[start..<end]
            start = end
        } while start < bytes.count
        return out
    }

    /// zlib (RFC 1950).
    static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        [0x78, 0x01] + raw(bytes) + bigEndian(Checksum32.adler(bytes))
    }

    /// gzip (RFC 1952).
    static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        let trailer = bigEndian(Checksum32.crc(bytes)).reversed()
        let size = bigEndian(UInt32(truncatingIfNeeded: bytes.count)).reversed()
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF] + raw(bytes) + trailer + size
    }

    static func bigEndian(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
    }
}

/// The two checksums of the formats above and of PNG.
enum Checksum32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    /// CRC-32 (RFC 1952 §8).
    static func crc(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { crc, byte in table[Int((crc ^ UInt32(byte)) & 0xFF)] ^ crc >> 8 }
    }

    /// Adler-32 (RFC 1950 §9).
    static func adler(_ bytes: [UInt8]) -> UInt32 {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }
}

/// A small PNG (ISO/IEC 15948): 16 by 16 pixels of a colour gradient.
enum TestImage {
    static let png: [UInt8] = {
        let side: UInt8 = 16
        var rows: [UInt8] = []
        for row in 0..<side {
            rows.append(0)
            for column in 0..<side { rows += [row * 16, column * 16, 255 - row * 16] }
        }
        let size = StoredDeflate.bigEndian(UInt32(side))
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", size + size + [8, 2, 0, 0, 0])
            + chunk("IDAT", StoredDeflate.zlib(rows)) + chunk("IEND", [])
    }()

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let typed = Array(type.utf8) + data
        return StoredDeflate.bigEndian(UInt32(data.count)) + typed
            + StoredDeflate.bigEndian(Checksum32.crc(typed))
    }
}
