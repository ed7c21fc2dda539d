import Sterna
import SternaImageCodecs
import SternaImages
import Testing

@Suite("GIF") struct GIFDecoderTests {
    private let black = Pixel(0, 0, 0)
    private let red = Pixel(255, 0, 0)
    private let green = Pixel(0, 255, 0)
    private let blue = Pixel(0, 0, 255)
    private let none = Pixel.transparent

    @Test("One frame: palette, transparency, places outside of the canvas")
    func still() throws {
        let sample = GIFSample(
            width: 3, height: 2,
            frames: [.init(left: 1, width: 3, height: 3, transparent: 2, indexes: [0, 1, 3, 2, 3, 1, 1, 1, 1])])
        let image = try Samples.decode(sample.file)
        #expect(
            image.pixels.pixels == [none, black, red, none, none, blue] && image.format == .gif
                && image.animation == nil)
    }

    @Test("Interlaced")
    func interlaced() throws {
        // Rows 0 and 8, 4, 2 and 6, then the odd ones.
        let rows: [UInt8] = [0, 0, 1, 2, 2, 3, 3, 3, 3, 3]
        let sample = GIFSample(
            width: 1, height: 10, frames: [.init(width: 1, height: 10, isInterlaced: true, indexes: rows)])
        let expected = [black, blue, green, blue, red, blue, green, blue, black, blue]
        #expect(try Samples.decode(sample.file).pixels.pixels == expected)
    }

    @Test("Animations: what each frame leaves, in any order, with delays and loops")
    func animation() throws {
        let sample = GIFSample(
            width: 2, height: 1, loops: 4,
            frames: [
                .init(width: 2, height: 1, delay: 5, disposal: 1, indexes: [1, 2]),
                .init(width: 1, height: 1, delay: 0, disposal: 3, indexes: [3]),
                .init(left: 1, width: 1, height: 1, delay: 100, disposal: 2, indexes: [0]),
                .init(width: 1, height: 1, disposal: 0, transparent: 1, indexes: [1]),
            ])
        let image = try Samples.decode(sample.file)
        let animation = try #require(image.animation)
        let expected = [[red, green], [blue, green], [red, black], [red, none]]
        for index in [0, 1, 2, 3, 1, 3, 3, 0, 2] {
            #expect(try animation.pixels(of: index).pixels == expected[index], "\(index)")
        }
        #expect(animation.frameCount == 4 && animation.loopCount == 5 && image.pixels.pixels == expected[0])
        #expect((0..<4).map { animation.delay(of: $0) } == [50, 100, 1_000, 100].map { .milliseconds($0) })
        #expect(try Samples.decode(sample.file) { $0.decodesAnimations = false }.animation == nil)
        var forever = sample
        forever.loops = 0
        #expect(try Samples.decode(forever.file).animation?.loopCount == 0)
        forever.loops = nil
        #expect(try Samples.decode(forever.file).animation?.loopCount == 1)
        let error = #expect(throws: SternaError.self) { try Samples.decode(sample.file) { $0.limits.frames = 3 } }
        #expect(error?.kind == .limitExceeded)
    }

    @Test("A file that ends early is an error at each place; complete frames are shown if that is asked for")
    func truncated() throws {
        let frame = GIFSample.Frame(width: 4, height: 4, indexes: [UInt8](repeating: 1, count: 16))
        let file = GIFSample(width: 4, height: 4, frames: [frame, frame]).file
        for count in 6..<file.count {
            let error = #expect(throws: SternaError.self) { try Samples.decode(Array(file[..<count])) }
            #expect(error?.kind == .decodingFailed, "\(count)")
        }
        let part = try Samples.decode(Array(file[..<(file.count - 6)])) { $0.allowsPartialImages = true }
        #expect(part.isPartial && part.pixels.pixel(x: 3, y: 3) == red)
        let large = GIFSample.Frame(width: 64, height: 64, indexes: [UInt8](repeating: 1, count: 4_096))
        let long = GIFSample(width: 64, height: 64, frames: [large]).file
        let cut = try Samples.decode(Array(long[..<1_500])) { $0.allowsPartialImages = true }
        #expect(cut.isPartial && cut.pixels.pixel(x: 0, y: 0) == red && cut.pixels.pixel(x: 63, y: 63) == none)
    }

    @Test("Scaled")
    func scaled() throws {
        let file = GIFSample(width: 2, height: 2, frames: [.init(width: 2, height: 2, indexes: [1, 1, 3, 3])]).file
        #expect(
            try Samples.decode(file) { $0.target = .fit(width: 1, height: 1) }.pixels.pixels == [Pixel(128, 0, 128)])
    }
}
