#if Zstd
import NIOCore
import SternaCore
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

@Suite("Heads of Zstandard frames")
struct ZstandardFrameHeadTests {
    private static let magic = ZstandardFrames.magic

    static let heads: [([UInt8], ZstandardFrameHead)] = [
        ([], .incomplete), ([0x28], .incomplete), ([0x28, 0xB5, 0x2F], .incomplete), (magic, .incomplete),
        (Array("html".utf8), .unknown), ([0x1F, 0x8B, 8, 0], .unknown),
        // The formats before RFC 8878, which libzstd reads.
        ([0x27, 0xB5, 0x2F, 0xFD], .unknown), ([0x25, 0xB5, 0x2F, 0xFD], .unknown),
        ([0x1E, 0xB5, 0x2F, 0xFD], .unknown),
        (magic + [0], .incomplete), (magic + [0, 0], .frame(window: 1 << 10)), (magic + [0, 1], .frame(window: 1_152)),
        (magic + [0, 0x68], .frame(window: 8 << 20)), (magic + [0, 0x69], .frame(window: 9 << 20)),
        (magic + [0, 0xFF], .frame(window: (1 << 41) + 7 * (1 << 38))),
        (magic + [0x40, 0x58, 1], .incomplete), (magic + [0x40, 0x58, 1, 2], .frame(window: 2 << 20)),
        (magic + [0x80, 0x58, 1, 2, 3], .incomplete), (magic + [0x80, 0x58, 1, 2, 3, 4], .frame(window: 2 << 20)),
        (magic + [0x20], .incomplete), (magic + [0x20, 5], .frame(window: 5)), (magic + [0x20, 0], .frame(window: 0)),
        (magic + [0x60, 1], .incomplete), (magic + [0x60, 1, 0], .frame(window: 257)),
        (magic + [0x60, 0xFF, 0xFF], .frame(window: 65_791)),
        (magic + [0xA0, 0, 0, 0x80, 0], .frame(window: 8 << 20)),
        (magic + [0xA0, 1, 0, 0x80, 0], .frame(window: (8 << 20) + 1)),
        (magic + [0xE0, 255, 255, 255, 255, 255, 255, 255], .incomplete),
        (magic + [0xE0, 255, 255, 255, 255, 255, 255, 255, 255], .frame(window: .max)),
        (magic + [0x21, 7], .incomplete), (magic + [0x21, 7, 5], .frame(window: 5)),
        (magic + [0x22, 7, 7, 5], .frame(window: 5)), (magic + [0x23, 7, 7, 7, 7], .incomplete),
        (magic + [0x23, 7, 7, 7, 7, 5], .frame(window: 5)), (magic + [0x03, 0, 7, 7, 7], .incomplete),
        ([0x50, 0x2A, 0x4D, 0x18], .incomplete), ([0x50, 0x2A, 0x4D, 0x18, 1, 0, 0], .incomplete),
        ([0x50, 0x2A, 0x4D, 0x18, 1, 0, 0, 0], .skippable), ([0x5F, 0x2A, 0x4D, 0x18, 255, 255, 255, 255], .skippable),
        ([0x60, 0x2A, 0x4D, 0x18, 0, 0, 0, 0], .unknown), ([0x50, 0x2A, 0x4D, 0x19, 0, 0, 0, 0], .unknown),
    ]

    @Test("A head says what the frame is, and how large its window", arguments: heads)
    func read(bytes: [UInt8], expected: ZstandardFrameHead) {
        expectEqual(ZstandardFrameHead.read(Bytes(bytes: bytes)), expected)
        // What follows a complete head, or stands before the reader's place, does not matter.
        var shifted = Bytes(bytes: [0xFD, 0x2F] + bytes + (expected == .incomplete ? [] : [0xFF]))
        shifted.moveReaderIndex(forwardBy: 2)
        expectEqual(ZstandardFrameHead.read(shifted), expected)
    }
}
#endif
