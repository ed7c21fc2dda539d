import Sterna
import SternaImageCodecs
import SternaImages
import Testing

@Suite("JPEG") struct JPEGDecoderTests {
    /// Red on the left, blue on the right.
    private func halves(
        _ width: Int, _ height: Int, progressive: Bool = false, profile: [UInt8] = [], exif: [UInt8]? = nil
    ) -> [UInt8] {
        Samples.jpeg(width, height, progressive: progressive, profile: profile, exif: exif) { x, _ in
            x < width / 2 ? [200, 0, 0] : [0, 0, 200]
        }
    }

    private let red = Pixel(200, 0, 0)
    private let blue = Pixel(0, 0, 200)

    @Test("Baseline and progressive, colours and grey", arguments: [false, true])
    func kinds(_ progressive: Bool) throws {
        let image = try Samples.decode(halves(32, 16, progressive: progressive))
        #expect(image.pixelSize == PixelSize(width: 32, height: 16) && image.format == .jpeg)
        #expect(image.isNear(red, x: 3, y: 3) && image.isNear(blue, x: 28, y: 12))
        let grey = Samples.jpeg(16, 16, components: 1, progressive: progressive) { _, _ in [77] }
        #expect(try Samples.decode(grey).isNear(Pixel(77, 77, 77), x: 8, y: 8, by: 1))
    }

    @Test("CMYK as Adobe's programs write it")
    func cmyk() throws {
        // Inverted: no cyan, all of magenta and yellow, no black.
        let file = Samples.jpeg(16, 16, components: 4) { _, _ in [255, 0, 0, 255] }
        #expect(try Samples.decode(file).isNear(Pixel(255, 0, 0), x: 5, y: 5))
        let dark = Samples.jpeg(16, 16, components: 4) { _, _ in [255, 255, 255, 64] }
        #expect(try Samples.decode(dark).isNear(Pixel(64, 64, 64), x: 5, y: 5))
    }

    @Test("A profile is applied")
    func profile() throws {
        let image = try Samples.decode(halves(32, 16, profile: Samples.swappedProfile))
        #expect(image.isNear(blue, x: 3, y: 3, by: 12) && image.isNear(red, x: 28, y: 12, by: 12))
    }

    @Test("A profile of greys is applied to greys")
    func greyProfile() throws {
        let file = Samples.jpeg(16, 16, components: 1, profile: Samples.linearGreyProfile) { _, _ in [55] }
        #expect(try Samples.decode(file).isNear(Pixel(128, 128, 128), x: 5, y: 5))
        // One that is not for the image's colours is passed over.
        let red = Samples.jpeg(16, 16, profile: Samples.linearGreyProfile) { _, _ in [200, 0, 0] }
        #expect(try Samples.decode(red).isNear(self.red, x: 5, y: 5))
    }

    @Test("Of a file with a scan of each component that ends early, all rows are shown")
    func cutScans() throws {
        let file = Samples.jpeg(64, 64, scanOfEach: true) { x, y in [UInt8(200 - x * y % 90), 0, UInt8(x * y % 90)] }
        #expect(try Samples.decode(file).isNear(Pixel(200, 0, 0), x: 0, y: 60, by: 40))
        let part = try Samples.decode(Array(file[..<(file.count * 9 / 10)])) { $0.allowsPartialImages = true }
        #expect(part.isPartial)
        for y in [1, 20, 63] { #expect(part.pixels.pixel(x: 2, y: y)?.alpha == 255, "\(y)") }
        #expect(part.isNear(Pixel(200, 0, 0), x: 0, y: 1, by: 60))
    }

    @Test("What is missing of a CMYK file is transparent")
    func cutCMYK() throws {
        let file = Samples.jpeg(64, 128, components: 4) { x, y in [UInt8(x * y % 251), UInt8(3 * x), UInt8(y), 255] }
        let part = try Samples.decode(Array(file[..<(file.count / 2)])) { $0.allowsPartialImages = true }
        #expect(part.isPartial && part.pixels.pixel(x: 5, y: 3)?.alpha == 255)
        #expect(part.pixels.pixel(x: 5, y: 127) == .transparent)
    }

    @Test(
        "Decoded no larger than it is shown, exactly", arguments: [(100, 50), (33, 17), (400, 200), (401, 201), (1, 1)])
    func scaled(_ width: Int, _ height: Int) throws {
        let file = halves(400, 200)
        let image = try Samples.decode(file) { $0.target = .fill(width: width, height: height) }
        let target = ImageTarget.fill(width: width, height: height)
        let source = PixelSize(width: 400, height: 200)
        #expect(image.pixelSize == target.decodedSize(of: source) && image.sourceSize == source)
        guard width > 10 else { return }
        #expect(image.isNear(red, x: 1, y: 1) && image.isNear(blue, x: image.pixelSize.width - 2, y: 1))
    }

    @Test("Memory for the whole image is not needed where it is shown small")
    func memory() throws {
        let file = halves(400, 200)
        let limit: @Sendable (inout ImageDecodingOptions) -> Void = { $0.limits.memory = 60_000 }
        let error = #expect(throws: SternaError.self) { try Samples.decode(file, limit) }
        #expect(error?.kind == .limitExceeded)
        let small = try Samples.decode(file) { options in
            limit(&options)
            options.target = .fit(width: 50, height: 50)
        }
        #expect(small.pixelSize == PixelSize(width: 50, height: 25))
    }

    @Test("It is turned as its EXIF data says, also while it is scaled", arguments: 1...8)
    func turned(_ orientation: Int) throws {
        let file = halves(64, 32, exif: Samples.exif(orientation, bigEndian: orientation % 2 == 0))
        for size in [64, 16] {
            let image = try Samples.decode(file) { $0.target = .fit(width: size, height: size) }
            let isTall = orientation >= 5
            #expect(image.pixelSize == PixelSize(width: isTall ? size / 2 : size, height: isTall ? size : size / 2))
            let last = (x: image.pixelSize.width - 1, y: image.pixelSize.height - 1)
            // Where the red half comes to lie.
            let isFirst = [1, 4, 5, 6].contains(orientation)
            #expect(
                image.isNear(isFirst ? red : blue, x: 0, y: 0)
                    && image.isNear(isFirst ? blue : red, x: last.x, y: last.y))
        }
    }

    @Test(
        "A file that ends early is an error; what there is of it is shown if that is asked for",
        arguments: [false, true])
    func truncated(_ progressive: Bool) throws {
        let file = halves(64, 64, progressive: progressive)
        for count in stride(from: 3, to: file.count - 2, by: 7) {
            let error = #expect(throws: SternaError.self) { try Samples.decode(Array(file[..<count])) }
            #expect(error?.kind == .decodingFailed, "\(count) of \(file.count)")
        }
        let part = try Samples.decode(Array(file[..<(file.count * 9 / 10)])) { $0.allowsPartialImages = true }
        #expect(
            part.isPartial && part.pixelSize == PixelSize(width: 64, height: 64) && part.isNear(red, x: 2, y: 2, by: 60)
        )
    }

    @Test("More scans than allowed, and more memory for their coefficients, are refused")
    func scans() throws {
        let file = halves(512, 512, progressive: true)
        #expect(try Samples.decode(file).pixelSize.width == 512)
        let refused: [@Sendable (inout ImageDecodingOptions) -> Void] = [
            { $0.limits.scans = 2 },
            // Nothing is left beside the pixels.
            { $0.limits.memory = 512 * 512 * 4 },
            { options in
                options.target = .fit(width: 8, height: 8)
                options.limits.memory = 200_000
            },
        ]
        for configure in refused {
            let error = #expect(throws: SternaError.self) { try Samples.decode(file, configure) }
            #expect(error?.kind == .limitExceeded)
        }
    }

    @Test("Bytes between its segments do no harm")
    func extraneous() throws {
        let file = halves(32, 16)
        let image = try Samples.decode(Array(file[..<2]) + [0xFF, 0xFE, 0, 4, 1, 2] + [0, 0, 7] + file[2...])
        #expect(image.isNear(red, x: 3, y: 3))
    }
}
