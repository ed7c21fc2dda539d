/// Writes PNG files of raw rows, by hand, so that they can be anything.
struct PNGSample {
    var width: Int
    var height: Int
    var depth: UInt8 = 8
    /// 0 grey, 2 colours, 3 palette, 4 grey with alpha, 6 colours with alpha.
    var colorType: UInt8 = 6
    var isInterlaced = false
    /// Before the pixels.
    var chunks: [(String, [UInt8])] = []
    /// The rows, without the filter's byte; of an interlaced image those of its seven passes.
    var rows: [[UInt8]]

    static func big(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }

    static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let named = Array(name.utf8) + content
        return big(content.count) + named + big(Int(crc(named)))
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0 as UInt32) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { part, _ in part & 1 == 1 ? part >> 1 ^ 0xEDB8_8320 : part >> 1 }
        }
    }

    /// A zlib stream of stored blocks.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var start = 0
        repeat {
            let end = min(start + 65_535, bytes.count)
            let count = end - start
            stream += [end == bytes.count ? 1 : 0, UInt8(count & 255), UInt8(count >> 8)]
            stream += [UInt8(~count & 255), UInt8(~count >> 8 & 255)]
            stream += bytes[start..<end]
            start = end
        } while start < bytes.count
        var (a, b) = (1, 0)
        for byte in bytes {
            a = (a + Int(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return stream + big(b << 16 | a)
    }

    var file: [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + Self.chunk(
                "IHDR", Self.big(width) + Self.big(height) + [depth, colorType, 0, 0, isInterlaced ? 1 : 0])
            + chunks.flatMap { Self.chunk($0, $1) }
            + Self.chunk("IDAT", Self.stored(rows.flatMap { [0] + $0 })) + Self.chunk("IEND", [])
    }

    /// An image of colours with alpha, 8 bits each.
    static func rgba(_ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> [UInt8]) -> PNGSample {
        PNGSample(
            width: width, height: height,
            rows: (0..<height).map { y in (0..<width).flatMap { x in pixel(x, y) } })
    }
}
