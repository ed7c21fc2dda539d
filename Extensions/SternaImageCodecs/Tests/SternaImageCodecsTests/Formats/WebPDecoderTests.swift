import Sterna
import SternaImageCodecs
import SternaImages
import Testing

@Suite("WebP") struct WebPDecoderTests {
    private let lossless = Samples.webp(4, 2) { x, y in [UInt8(50 * x), 100, 0, UInt8(y == 0 ? 255 : 128)] }

    @Test("Lossless, exactly, multiplied by alpha; lossy, nearly")
    func kinds() throws {
        let image = try Samples.decode(lossless)
        #expect(image.format == .webp && image.pixelSize == PixelSize(width: 4, height: 2))
        #expect(image.pixels.pixel(x: 2, y: 0) == Pixel(100, 100, 0))
        #expect(image.isNear(Pixel(50, 50, 0, 128), x: 2, y: 1, by: 1))
        let lossy = try Samples.decode(Samples.webp(32, 32, quality: 95) { _, _ in [10, 200, 30, 255] })
        #expect(lossy.isNear(Pixel(10, 200, 30), x: 16, y: 16, by: 8) && lossy.animation == nil)
    }

    @Test("Scaled while it is decoded")
    func scaled() throws {
        for quality in [-1, 90] as [Float] {
            let file = Samples.webp(64, 32, quality: quality) { x, _ in x < 32 ? [200, 0, 0, 255] : [0, 0, 200, 255] }
            let image = try Samples.decode(file) { $0.target = .fit(width: 16, height: 16) }
            #expect(
                image.pixelSize == PixelSize(width: 16, height: 8)
                    && image.sourceSize == PixelSize(width: 64, height: 32))
            #expect(
                image.isNear(Pixel(200, 0, 0), x: 2, y: 4, by: 12)
                    && image.isNear(Pixel(0, 0, 200), x: 13, y: 4, by: 12))
        }
    }

    @Test("Its profile and its orientation")
    func extended() throws {
        let plain = Samples.webp(4, 2) { x, _ in x < 2 ? [255, 0, 0, 255] : [0, 255, 0, 128] }
        let file = WebPSample.extended(plain, 4, 2, profile: Samples.swappedProfile, exif: Samples.exif(8))
        let image = try Samples.decode(file)
        #expect(image.pixelSize == PixelSize(width: 2, height: 4))
        #expect(image.isNear(Pixel(0, 0, 255), x: 0, y: 3) && image.isNear(Pixel(0, 128, 0, 128), x: 0, y: 0))
    }

    @Test("The profile of an animation is applied to each frame, before its colours are multiplied by alpha")
    func animatedProfile() throws {
        let frames = [
            Samples.webp(2, 1) { _, _ in [255, 0, 0, 255] }, Samples.webp(2, 1) { _, _ in [255, 0, 0, 128] },
        ]
        let file = WebPSample.animation(frames, 2, 1, delay: 50, loops: 0, profile: Samples.swappedProfile)
        let image = try Samples.decode(file)
        #expect(image.isNear(Pixel(0, 0, 255), x: 1, y: 0))
        let animation = try #require(image.animation)
        for _ in 0..<2 {
            let second = try animation.pixels(of: 1).pixel(x: 0, y: 0)
            #expect(second.map { $0.red < 6 && abs(Int($0.blue) - 128) < 6 && $0.alpha == 128 } == true)
            #expect(try animation.pixels(of: 0).pixel(x: 0, y: 0).map { $0.red < 6 && $0.blue > 249 } == true)
        }
    }

    @Test("A file that ends early is an error; what there is of it is shown if that is asked for")
    func truncated() throws {
        let file = Samples.webp(64, 64) { x, y in [UInt8(x * y % 251), UInt8(3 * x), UInt8(2 * y), 255] }
        for count in stride(from: 12, to: file.count, by: 11) {
            let error = #expect(throws: SternaError.self) { try Samples.decode(Array(file[..<count])) }
            #expect(error?.kind == .decodingFailed, "\(count)")
        }
        let part = try Samples.decode(Array(file[..<(file.count * 3 / 4)])) { $0.allowsPartialImages = true }
        #expect(part.isPartial && part.pixels.pixel(x: 9, y: 2) == Pixel(18, 27, 4))
        #expect(part.pixels.pixel(x: 63, y: 63) == .transparent)
    }

    @Test("Animations: frames on demand in any order, delays, loops, scaled")
    func animation() throws {
        let colors: [[UInt8]] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]]
        let images = colors.map { color in Samples.webp(8, 4) { _, _ in color } }
        let file = WebPSample.animation(images, 8, 4, delay: 40, loops: 3)
        let image = try Samples.decode(file) { $0.target = .fit(width: 4, height: 4) }
        let animation = try #require(image.animation)
        #expect(animation.frameCount == 3 && animation.loopCount == 3 && animation.duration == .milliseconds(120))
        #expect(image.pixelSize == PixelSize(width: 4, height: 2) && image.isNear(Pixel(255, 0, 0), x: 1, y: 1, by: 0))
        let expected = colors.map { Pixel($0[0], $0[1], $0[2]) }
        for index in [0, 2, 1, 1, 2, 0] {
            #expect(try animation.pixels(of: index).pixel(x: 1, y: 1) == expected[index])
        }
        #expect(image.cost > image.pixels.byteCount && animation.delay(of: 99) == .milliseconds(40))
        #expect(try Samples.decode(file) { $0.decodesAnimations = false }.animation == nil)
        let error = #expect(throws: SternaError.self) { try Samples.decode(file) { $0.limits.frames = 2 } }
        #expect(error?.kind == .limitExceeded)
        for count in [file.count - 1, file.count / 2] {
            #expect(throws: SternaError.self) { try Samples.decode(Array(file[..<count])) }
        }
    }
}
