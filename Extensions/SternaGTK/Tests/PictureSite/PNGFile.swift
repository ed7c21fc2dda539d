/// Writes small PNGs of two colours, a bit for each pixel, not compressed.
enum PNGFile {
    /// - Parameter isSecond: whether the pixel at a place has the second colour.
    static func bytes(
        width: Int, height: Int, palette: [(red: UInt8, green: UInt8, blue: UInt8)], isSecond: (Int, Int) -> Bool
    ) -> [UInt8] {
        var rows: [UInt8] = []
        for y in 0..<height {
            rows.append(0)
            for start in stride(from: 0, to: width, by: 8) {
                rows.append(
                    (0..<8).reduce(0) { byte, bit in
                        byte << 1 | (start + bit < width && isSecond(start + bit, y) ? 1 : 0)
                    })
            }
        }
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        file += chunk("IHDR", big(UInt32(width)) + big(UInt32(height)) + [1, 3, 0, 0, 0])
        file += chunk("PLTE", palette.flatMap { [$0.red, $0.green, $0.blue] })
        file += chunk("IDAT", stored(rows))
        return file + chunk("IEND", [])
    }

    /// A zlib stream of stored blocks (RFC 1950, RFC 1951).
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var place = 0
        repeat {
            let end = min(bytes.count, place + 65_535)
            let length = UInt16(end - place)
            stream.append(end == bytes.count ? 1 : 0)
            stream += [UInt8(length & 255), UInt8(length >> 8), UInt8(~length & 255), UInt8(~length >> 8)]
            stream += bytes[place..<end]
            place = end
        } while place < bytes.count
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return stream + big(b << 16 | a)
    }

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let named = Array(type.utf8) + content
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in named { sum = sums[Int((sum ^ UInt32(byte)) & 255)] ^ sum >> 8 }
        return big(UInt32(content.count)) + named + big(~sum)
    }

    private static func big(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) } }

    private static let sums: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
    }
}
