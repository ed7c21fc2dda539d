import Sterna
import SternaImageCodecs
import SternaImages
import Testing

@Suite("PNG") struct PNGDecoderTests {
    private func pixels(_ sample: PNGSample) throws -> [Pixel] { try Samples.decode(sample.file).pixels.pixels }

    @Test("Colours with alpha are multiplied by it")
    func alpha() throws {
        let sample = PNGSample.rgba(2, 2) { x, y in [255, 100, UInt8(x), UInt8(y == 0 ? 255 : 128)] }
        let image = try Samples.decode(sample.file)
        #expect(
            image.pixels.pixels == [
                Pixel(255, 100, 0), Pixel(255, 100, 1), Pixel(128, 50, 0, 128), Pixel(128, 50, 1, 128),
            ])
        #expect(image.format == .png && !image.isPartial && image.animation == nil)
    }

    @Test("Grey, 16 bits, palettes with transparent colours, one bit, colours")
    func kinds() throws {
        #expect(
            try pixels(PNGSample(width: 2, height: 1, colorType: 0, rows: [[0, 200]])) == [
                Pixel(0, 0, 0), Pixel(200, 200, 200),
            ])
        #expect(
            try pixels(PNGSample(width: 1, height: 1, depth: 16, colorType: 0, rows: [[0x80, 0x10]])) == [
                Pixel(128, 128, 128)
            ])
        #expect(
            try pixels(
                PNGSample(width: 1, height: 1, depth: 16, colorType: 6, rows: [[255, 255, 128, 0, 0, 0, 255, 255]]))
                == [Pixel(255, 128, 0)])
        #expect(
            try pixels(PNGSample(width: 1, height: 1, colorType: 4, rows: [[100, 128]])) == [Pixel(50, 50, 50, 128)])
        #expect(
            try pixels(PNGSample(width: 2, height: 1, colorType: 2, rows: [[1, 2, 3, 4, 5, 6]])) == [
                Pixel(1, 2, 3), Pixel(4, 5, 6),
            ])
        let palette = PNGSample(
            width: 4, height: 1, depth: 2, colorType: 3,
            chunks: [("PLTE", [9, 8, 7, 1, 2, 3, 255, 255, 255]), ("tRNS", [255, 0])],
            rows: [[0b00_01_10_00]])
        #expect(try pixels(palette) == [Pixel(9, 8, 7), .transparent, Pixel(255, 255, 255), Pixel(9, 8, 7)])
        let keyed = PNGSample(
            width: 8, height: 1, depth: 1, colorType: 0, chunks: [("tRNS", [0, 1])], rows: [[0b0101_0000]])
        #expect(try pixels(keyed).map(\.alpha) == [255, 0, 255, 0, 255, 255, 255, 255])
    }

    @Test("Interlaced")
    func interlaced() throws {
        // The passes of 4 × 4 pixels: one at (0, 0), none, none, (2, 0), then (0, 2) and (2, 2), columns 1 and 3 of even rows, odd rows.
        var sample = PNGSample(
            width: 4, height: 4, colorType: 0, isInterlaced: true, rows: [[0], [2], [20, 22], [1, 3], [21, 23]])
        sample.rows += [[10, 11, 12, 13], [30, 31, 32, 33]]
        let expected = (0..<4).flatMap { y in (0..<4).map { x in UInt8(10 * y + x) } }
        #expect(try pixels(sample).map(\.red) == expected)
    }

    @Test("A profile is applied, unless the file says sRGB; one that is none is passed over")
    func profile() throws {
        func red(_ chunks: [(String, [UInt8])]) throws -> DecodedImage {
            var sample = PNGSample.rgba(1, 1) { _, _ in [255, 0, 0, 255] }
            sample.chunks = chunks
            return try Samples.decode(sample.file)
        }
        let profile = ("iCCP", Array("x\0\0".utf8) + PNGSample.stored(Samples.swappedProfile))
        #expect(!Samples.swappedProfile.isEmpty)
        #expect(try red([profile]).isNear(Pixel(0, 0, 255), x: 0, y: 0))
        #expect(try red([("sRGB", [0])]).pixels.pixels == [Pixel(255, 0, 0)])
        let broken = ("iCCP", Array("x\0\0".utf8) + PNGSample.stored(Array(repeating: 7, count: 200)))
        #expect(try red([broken]).pixels.pixels == [Pixel(255, 0, 0)])
    }

    @Test("A profile of greys is applied to greys")
    func greyProfile() throws {
        let chunk = ("iCCP", Array("x\0\0".utf8) + PNGSample.stored(Samples.linearGreyProfile))
        var grey = PNGSample(width: 2, height: 1, colorType: 4, rows: [[55, 255, 55, 128]])
        grey.chunks = [chunk]
        let image = try Samples.decode(grey.file)
        // A fifth of the light is half of the way from black to white.
        #expect(image.isNear(Pixel(128, 128, 128), x: 0, y: 0) && image.isNear(Pixel(64, 64, 64, 128), x: 1, y: 0))
        grey.chunks = []
        #expect(try Samples.decode(grey.file).pixels.pixel(x: 0, y: 0) == Pixel(55, 55, 55))
    }

    @Test("What the library keeps counts together with the pixels")
    func chunks() throws {
        var sample = PNGSample.rgba(316, 316) { _, _ in [1, 2, 3, 255] }
        sample.chunks = [("tEXt", Array("Comment\0".utf8) + Array(repeating: 0x61, count: 300_000))]
        let file = sample.file
        // It keeps the text twice while it reads it.
        #expect(try Samples.decode(file) { $0.limits.memory = 1_200_000 }.pixelSize.width == 316)
        let error = #expect(throws: SternaError.self) { try Samples.decode(file) { $0.limits.memory = 500_000 } }
        #expect(error?.kind == .limitExceeded)
    }

    @Test("It is turned as its EXIF data says, and scaled to the size in which it is shown")
    func turned() throws {
        var sample = PNGSample.rgba(4, 2) { x, _ in [UInt8(x < 2 ? 200 : 100), 0, 0, 255] }
        sample.chunks = [("eXIf", Samples.exif(6))]
        let image = try Samples.decode(sample.file)
        #expect(image.pixelSize == PixelSize(width: 2, height: 4))
        #expect(image.pixels.pixels.map(\.red) == [200, 200, 200, 200, 100, 100, 100, 100])
        let small = try Samples.decode(sample.file) { $0.target = .fit(width: 2, height: 2) }
        #expect(small.pixels.pixels.map(\.red) == [200, 100] && small.sourceSize == PixelSize(width: 2, height: 4))
    }

    @Test("A file that ends early is an error at each place; what there is of it is shown if that is asked for")
    func truncated() throws {
        let file = PNGSample.rgba(3, 40) { x, y in [UInt8(x), UInt8(y), 9, 255] }.file
        for count in 8..<file.count {
            let error = #expect(throws: SternaError.self) { try Samples.decode(Array(file[..<count])) }
            #expect(error?.kind == .decodingFailed, "\(count)")
        }
        let long = PNGSample.rgba(3, 400) { x, y in [UInt8(x), UInt8(y % 250), 9, 255] }.file
        let part = try Samples.decode(Array(long[..<3_000])) { $0.allowsPartialImages = true }
        #expect(part.isPartial && part.pixels.pixel(x: 2, y: 5) == Pixel(2, 5, 9))
        #expect(part.pixels.pixel(x: 2, y: 399) == .transparent)
        #expect(throws: SternaError.self) { try Samples.decode(Array(file[..<20])) { $0.allowsPartialImages = true } }
    }

    @Test("A wrong check sum is damage")
    func damaged() throws {
        var file = PNGSample.rgba(3, 4) { _, _ in [1, 2, 3, 255] }.file
        file[60] ^= 1
        let error = #expect(throws: SternaError.self) { try Samples.decode(file) }
        #expect(error?.kind == .decodingFailed && error?.detail == "The PNG image is damaged.")
    }

    @Test("Limits on pixels and memory hold before anything is decoded")
    func limits() throws {
        let file = PNGSample.rgba(10, 10) { _, _ in [1, 2, 3, 255] }.file
        for configure in [{ $0.limits.pixels = 99 }, { $0.limits.memory = 399 }, { $0.limits.bytes = 100 }]
            as [@Sendable (inout ImageDecodingOptions) -> Void]
        {
            let error = #expect(throws: SternaError.self) { try Samples.decode(file, configure) }
            #expect(error?.kind == .limitExceeded)
        }
    }
}
