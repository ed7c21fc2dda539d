import SternaCore
import SternaImages
import Testing

@testable import SternaImages
@testable import SternaTestSupport

@Suite("Scaling") struct ResamplingTests {
    private func line(_ reds: UInt8...) throws -> PixelBuffer {
        try PixelBuffer(PixelSize(width: reds.count, height: 1), reds.map { Pixel($0, 0, 0) })
    }

    private func reds(_ buffer: PixelBuffer) -> [UInt8] { buffer.pixels.map(\.red) }

    @Test("A smaller row has the means of the parts that its pixels cover")
    func smaller() throws {
        let size = { PixelSize(width: $0, height: 1) }
        try expectEqual(reds(Resampling.resize(line(0, 100, 50, 150), to: size(2))), [50, 100])
        try expectEqual(reds(Resampling.resize(line(0, 90, 240), to: size(1))), [110])
        // One and a half pixels each.
        try expectEqual(reds(Resampling.resize(line(30, 60, 90), to: size(2))), [40, 80])
    }

    @Test("A larger row is interpolated between the centres of pixels")
    func larger() throws {
        try expectEqual(reds(Resampling.resize(line(0, 100), to: PixelSize(width: 4, height: 1))), [0, 25, 75, 100])
        try expectEqual(
            reds(Resampling.resize(line(40), to: PixelSize(width: 3, height: 2))), [40, 40, 40, 40, 40, 40])
    }

    @Test("Both directions are scaled at once")
    func both() throws {
        let image = try PixelBuffer(
            PixelSize(width: 2, height: 2),
            [Pixel(0, 8, 255, 255), Pixel(4, 8, 255, 255), Pixel(8, 8, 0, 0), Pixel(12, 8, 0, 0)])
        try expectEqual(Resampling.resize(image, to: PixelSize(width: 1, height: 1)).pixels, [Pixel(6, 8, 128, 128)])
        try expectEqual(
            Resampling.resize(image, to: PixelSize(width: 1, height: 2)).pixels,
            [Pixel(2, 8, 255, 255), Pixel(10, 8, 0, 0)])
        try expectEqual(Resampling.resize(image, to: image.size), image)
    }

    @Test("One colour stays that colour, in any size; white stays white")
    func constant() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<60 {
            let lengths = (0..<4).map { _ in Int.random(in: 1...40, using: &random) }
            let color = [Pixel(255, 255, 255), Pixel(17, 4, 0, 17), .transparent][Int.random(in: 0..<3, using: &random)]
            let image = try PixelBuffer(
                PixelSize(width: lengths[0], height: lengths[1]), repeatElement(color, count: lengths[0] * lengths[1]))
            let scaled = try Resampling.resize(image, to: PixelSize(width: lengths[2], height: lengths[3]))
            #expect(scaled.pixels.allSatisfy { $0 == color }, "\(lengths)")
        }
    }

    @Test("The weights of a pixel sum up to exactly one, within the row; colours never exceed alpha")
    func weights() throws {
        var random = SeededRandom(seed: 2)
        for _ in 0..<300 {
            let length = Int.random(in: 1...500, using: &random)
            let count = Int.random(in: 1...500, using: &random)
            let part = Double.random(in: 0.01...1, using: &random) * Double(length)
            let start = Double.random(in: 0...1, using: &random) * (Double(length) - part)
            for tap in Resampling.taps(count, from: start, part, of: length) {
                expectEqual(tap.weights.reduce(0, +), Resampling.one)
                #expect(tap.start >= 0 && tap.start + tap.weights.count <= length)
            }
        }
        // Each share alone would be rounded up.
        for tap in Resampling.taps(5, from: 0, 4_065, of: 4_065) + Resampling.taps(1, from: 0, 100_000, of: 100_000) {
            expectEqual(tap.weights.reduce(0, +), Resampling.one)
        }
        let tall = try PixelBuffer(
            PixelSize(width: 1, height: 4_065), repeatElement(Pixel(255, 255, 255), count: 4_065))
        try expectEqual(
            Resampling.resize(tall, to: PixelSize(width: 1, height: 5)).pixels,
            Array(repeating: Pixel(255, 255, 255), count: 5))
        let image = try PixelBuffer(
            PixelSize(width: 31, height: 17),
            (0..<31 * 17).map { _ in
                let alpha = UInt8.random(in: 0...255, using: &random)
                return Pixel(UInt8.random(in: 0...alpha, using: &random), alpha, 0, alpha)
            })
        for size in [PixelSize(width: 7, height: 40), PixelSize(width: 64, height: 3)] {
            #expect(
                try Resampling.resize(image, to: size).pixels.allSatisfy { $0.red <= $0.alpha && $0.green == $0.alpha })
        }
    }
}
