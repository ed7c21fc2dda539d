#if Zstd
import NIOCore
import SternaCore

/// The head of a Zstandard frame (RFC 8878, 3.1.1 and 3.1.2): what decides whether the frame is decoded.
enum ZstandardFrameHead: Equatable {
    /// More bytes are needed to know.
    case incomplete
    /// The bytes are no frame of RFC 8878; libzstd would accept the formats before it, too.
    case unknown
    case skippable
    /// A frame whose decoder holds a window of so many bytes, the size of its content (nil if the head leaves it out), and the
    /// length of the head.
    case frame(window: UInt64, size: UInt64?, length: Int)

    static let skippableLength = 8

    /// The maximum window of the content coding zstd (RFC 9659, 3).
    static let maximumWindowLog: CInt = 23

    static func read(_ bytes: Bytes) -> ZstandardFrameHead {
        let start = bytes.readerIndex
        guard let magic: UInt32 = bytes.getInteger(at: start, endianness: .little) else { return .incomplete }
        if magic & 0xFFFF_FFF0 == 0x184D_2A50 {
            return bytes.readableBytes < skippableLength ? .incomplete : .skippable
        }
        guard magic == 0xFD2F_B528 else { return .unknown }
        guard let descriptor: UInt8 = bytes.getInteger(at: start + 4) else { return .incomplete }
        let isSingle = descriptor & 0x20 != 0
        let dictionaryBytes = [0, 1, 2, 4][Int(descriptor & 3)]
        let sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][Int(descriptor >> 6)]
        let sizeOffset = 5 + (isSingle ? 0 : 1) + dictionaryBytes
        let length = sizeOffset + sizeBytes
        guard bytes.readableBytes >= length else { return .incomplete }
        // The first bytes are the low ones.
        var size: UInt64 = sizeBytes == 2 ? 256 : 0
        for index in 0..<sizeBytes {
            let byte: UInt8 = bytes.getInteger(at: start + sizeOffset + index) ?? 0
            size &+= UInt64(byte) << UInt64(8 * index)
        }
        // The window is then the content.
        if isSingle { return .frame(window: size, size: size, length: length) }
        let window: UInt8 = bytes.getInteger(at: start + 5) ?? 0
        let base = UInt64(1) << UInt64(10 + window >> 3)
        return .frame(
            window: base + base / 8 * UInt64(window & 7), size: sizeBytes == 0 ? nil : size, length: length)
    }
}
#endif
