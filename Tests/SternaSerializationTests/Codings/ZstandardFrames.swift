#if Zstd
/// Zstandard frames made by hand (RFC 8878, 3.1), of blocks that are not compressed.
enum ZstandardFrames {
    static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

    enum Block {
        case raw([UInt8])
        case repeated(UInt8, count: Int)
    }

    /// - Parameters:
    ///   - window: the Window_Descriptor; 2 MiB by default.
    ///   - size: the Frame_Content_Size, in four bytes; nil leaves it out.
    static func frame(blocks: [Block], window: UInt8 = 0x58, size: Int? = nil) -> [UInt8] {
        var bytes = magic + [size == nil ? 0 : 0x80, window]
        if let size { bytes += littleEndian(size, 4) }
        for (index, block) in blocks.enumerated() {
            let last = index == blocks.count - 1 ? 1 : 0
            switch block {
            case .raw(let content): bytes += littleEndian(last | content.count << 3, 3) + content
            case .repeated(let byte, let count): bytes += littleEndian(last | 2 | count << 3, 3) + [byte]
            }
        }
        return bytes
    }

    static func frame(_ content: [UInt8], window: UInt8 = 0x58, size: Int? = nil) -> [UInt8] {
        frame(blocks: [.raw(content)], window: window, size: size)
    }

    static func skippable(_ content: [UInt8], number: UInt8 = 0) -> [UInt8] {
        [0x50 | number, 0x2A, 0x4D, 0x18] + littleEndian(content.count, 4) + content
    }

    static func littleEndian(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) }
    }

    /// What `zstd --check` makes of ``CodedBytes/text``.
    static let checked: [UInt8] =
        magic + [0x24, 0x1D, 0xE9, 0, 0] + CodedBytes.text + [0x8D, 0xEC, 0xAF, 0x3F]
}
#endif
