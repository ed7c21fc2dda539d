import SternaCore
import SternaImages
import Testing

@testable import SternaTestSupport

@Suite("Pixels") struct PixelBufferTests {
    @Test("Rows follow each other from the top; a place outside has no pixel")
    func places() throws {
        let pixels = (0..<6).map { Pixel(UInt8($0), 0, 0) }
        let buffer = try PixelBuffer(PixelSize(width: 3, height: 2), pixels)
        #expect(buffer.pixels == pixels && buffer.bytesPerRow == 12 && buffer.byteCount == 24)
        #expect(buffer.pixel(x: 2, y: 1) == Pixel(5, 0, 0) && buffer.pixel(x: 0, y: 1) == Pixel(3, 0, 0))
        for (x, y) in [(3, 0), (-1, 0), (0, 2), (0, -1)] { expectNil(buffer.pixel(x: x, y: y)) }
        #expect(
            buffer.memory.bytes.count == 24 && "\(buffer)" == "3 × 2 pixels" && "\(Pixel(255, 0, 16, 8))" == "#FF001008"
        )
    }

    @Test(
        "Sizes without pixels, or larger than memory, are errors",
        arguments: [(0, 1), (1, 0), (-1, -1), (.max, 2), (1 << 40, 1 << 20)])
    func sizes(_ width: Int, _ height: Int) {
        let error = #expect(throws: SternaError.self) {
            try PixelBuffer(PixelSize(width: width, height: height))
        }
        expectEqual(error?.kind, .limitExceeded)
        #expect(throws: SternaError.self) { try PixelBuffer(PixelSize(width: 2, height: 2), [Pixel(0, 0, 0)]) }
    }

    @Test("Buffers are equal by their pixels, wherever they are stored; new ones are transparent")
    func equality() throws {
        let size = PixelSize(width: 2, height: 1)
        let (one, other) = (try PixelBuffer(size, [Pixel(1, 2, 3), Pixel(4, 5, 6)]), try PixelBuffer(size))
        #expect(try one == PixelBuffer(size, [Pixel(1, 2, 3), Pixel(4, 5, 6)]) && one != other)
        try expectEqual(one.hashValue, PixelBuffer(size, [Pixel(1, 2, 3), Pixel(4, 5, 6)]).hashValue)
        expectEqual(other.pixels, [.transparent, .transparent])
        #expect(try other != PixelBuffer(PixelSize(width: 1, height: 2)))
    }

    @Test("An image has a size in points, a cost and a description")
    func images() throws {
        var image = try TestImages.image(6, 4)
        image.scale = 2
        #expect(image.size == ImageSize(width: 3, height: 2) && image.cost == 96 && "\(image)" == "6 × 4 pixels")
        image.scale = 0
        #expect(image.size == ImageSize(width: 6, height: 4) && image.sourceSize == image.pixelSize)
        expectEqual("\(ImageSize(width: 1.5, height: 1e12))", "1.5 × 1000000000000.0")
    }
}

@Suite("Image formats") struct ImageFormatTests {
    @Test(
        "The first bytes decide the format, whatever the media type",
        arguments: [
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0], .png), ([0xFF, 0xD8, 0xFF, 0xE0], .jpeg),
            (Array("GIF87a".utf8), .gif), (Array("GIF89a...".utf8), .gif),
            (Array("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 ".utf8), .webp),
            (Array("RIFF1234WAVE".utf8), nil), (Array("RIFF1234WEB".utf8), nil), (Array("GIF88a".utf8), nil),
            ([0xFF, 0xD8], nil),
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A], nil), (Array("<!DOCTYPE html>".utf8), nil), ([], nil),
        ] as [([UInt8], ImageFormat?)])
    func first(_ bytes: [UInt8], _ format: ImageFormat?) {
        expectEqual(ImageFormat(firstBytes: bytes), format)
    }
}
