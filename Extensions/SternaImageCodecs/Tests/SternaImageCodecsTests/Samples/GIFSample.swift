/// Writes GIF files of indexes into a palette, by hand.
struct GIFSample {
    struct Frame {
        var left = 0
        var top = 0
        var width: Int
        var height: Int
        var delay = 0
        var disposal = 0
        var transparent: Int?
        var isInterlaced = false
        /// In the order in which they stand in the file.
        var indexes: [UInt8]
    }

    var width: Int
    var height: Int
    /// Four colours.
    var palette: [[UInt8]] = [[0, 0, 0], [255, 0, 0], [0, 255, 0], [0, 0, 255]]
    var loops: Int?
    var frames: [Frame]

    private static func little(_ number: Int) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8 & 255)] }

    /// Codes of four bits each, with a clear code before each pair, so that the table never grows beyond them.
    private static func compressed(_ indexes: [UInt8]) -> [UInt8] {
        var (bytes, bits, count): ([UInt8], Int, Int) = ([], 0, 0)
        func put(_ code: Int) {
            bits |= code << count
            count += 3
            while count >= 8 {
                bytes.append(UInt8(bits & 255))
                bits >>= 8
                count -= 8
            }
        }
        for (place, index) in indexes.enumerated() {
            if place % 2 == 0 { put(4) }
            put(Int(index))
        }
        put(5)
        if count > 0 { bytes.append(UInt8(bits & 255)) }
        var blocks: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 255) {
            let end = min(start + 255, bytes.count)
            blocks += [UInt8(end - start)] + bytes[start..<end]
        }
        return [2] + blocks + [0]
    }

    private static func frame(_ frame: Frame) -> [UInt8] {
        let flags = UInt8(frame.disposal << 2 | (frame.transparent == nil ? 0 : 1))
        return [0x21, 0xF9, 4, flags] + little(frame.delay) + [UInt8(frame.transparent ?? 0), 0]
            + [0x2C] + little(frame.left) + little(frame.top) + little(frame.width) + little(frame.height)
            + [frame.isInterlaced ? 0x40 : 0] + compressed(frame.indexes)
    }

    var file: [UInt8] {
        var bytes = Array("GIF89a".utf8) + Self.little(width) + Self.little(height) + [0x81, 0, 0]
        bytes += palette.flatMap { $0 }
        if let loops { bytes += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + Self.little(loops) + [0] }
        for frame in frames { bytes += Self.frame(frame) }
        return bytes + [0x3B]
    }
}
