#if Zstd
import NIOCore
import SternaCore
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

@Suite("Heads of Zstandard frames")
struct ZstandardFrameHeadTests {
    private typealias Row = ([UInt8], ZstandardFrameHead)

    /// A head of RFC 8878 after its magic number.
    private static func head(_ rest: [UInt8], _ expected: ZstandardFrameHead) -> Row {
        (ZstandardFrames.magic + rest, expected)
    }

    private static func frame(_ rest: [UInt8], window: UInt64, size: UInt64? = nil) -> Row {
        head(rest, .frame(window: window, size: size, length: 4 + rest.count))
    }

    private static func single(_ rest: [UInt8], _ size: UInt64) -> Row { frame(rest, window: size, size: size) }

    static let heads: [([UInt8], ZstandardFrameHead)] = [
        ([], .incomplete), ([0x28], .incomplete), ([0x28, 0xB5, 0x2F], .incomplete), head([], .incomplete),
        (Array("html".utf8), .unknown), ([0x1F, 0x8B, 8, 0], .unknown),
        // The formats before RFC 8878, which libzstd reads.
        ([0x27, 0xB5, 0x2F, 0xFD], .unknown), ([0x25, 0xB5, 0x2F, 0xFD], .unknown),
        ([0x1E, 0xB5, 0x2F, 0xFD], .unknown),
        head([0], .incomplete), frame([0, 0], window: 1 << 10), frame([0, 1], window: 1_152),
        frame([0, 0x68], window: 8 << 20), frame([0, 0x69], window: 9 << 20),
        frame([0, 0xFF], window: 2_199_023_255_552 + 1_924_145_348_608),
        head([0x40, 0x58, 1], .incomplete), frame([0x40, 0x58, 1, 2], window: 2 << 20, size: 769),
        head([0x80, 0x58, 1, 2, 3], .incomplete), frame([0x80, 0x58, 1, 2, 3, 4], window: 2 << 20, size: 0x0403_0201),
        head([0x20], .incomplete), single([0x20, 5], 5), single([0x20, 0], 0),
        head([0x60, 1], .incomplete), single([0x60, 1, 0], 257), single([0x60, 0xFF, 0xFF], 65_791),
        single([0xA0, 0, 0, 0x80, 0], 8_388_608), single([0xA0, 1, 0, 0x80, 0], 8_388_609),
        head([0xE0, 255, 255, 255, 255, 255, 255, 255], .incomplete),
        single([0xE0, 255, 255, 255, 255, 255, 255, 255, 255], .max),
        head([0x21, 7], .incomplete), single([0x21, 7, 5], 5), single([0x22, 7, 7, 5], 5),
        head([0x23, 7, 7, 7, 7], .incomplete), single([0x23, 7, 7, 7, 7, 5], 5), head([0x03, 0, 7, 7, 7], .incomplete),
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
