import SternaCore
import SternaImages
import Testing

@testable import SternaImages
@testable import SternaTestSupport

@Suite("Filters") struct FilterTests {
    private let a = Pixel(10, 20, 30)
    private let b = Pixel(50, 60, 70)
    private let none = Pixel.transparent

    private func image(_ width: Int, _ pixels: [Pixel]) throws -> DecodedImage {
        DecodedImage(try PixelBuffer(PixelSize(width: width, height: pixels.count / width), pixels))
    }

    @Test("Fit shows the whole image, with transparent edges")
    func fit() throws {
        let wide = try image(2, [a, b]).filtered(by: AspectScaledToFitSizeFilter(size: ImageSize(width: 2, height: 3)))
        expectEqual(wide.pixels.pixels, [none, none, a, b, none, none])
        let tall = try image(1, [a, b]).filtered(by: AspectScaledToFitSizeFilter(size: ImageSize(width: 4, height: 2)))
        expectEqual(tall.pixels.pixels, [none, a, none, none, none, b, none, none])
    }

    @Test("Fill shows the middle of the image, over the whole size")
    func fill() throws {
        let wide = try image(4, [a, b, b, a]).filtered(
            by: AspectScaledToFillSizeFilter(size: ImageSize(width: 2, height: 1)))
        #expect(wide.pixelSize == PixelSize(width: 2, height: 1) && wide.pixels.pixels == [b, b])
        let square = try image(4, [a, b, b, a]).filtered(
            by: AspectScaledToFillSizeFilter(size: ImageSize(width: 2, height: 2)))
        expectEqual(square.pixels.pixels, [b, b, b, b])
    }

    @Test("An image is scaled to a size in points, and impossible sizes are errors")
    func scaled() throws {
        var source = try image(2, [a, b, a, b])
        source.scale = 2
        let filtered = try source.filtered(by: ScaledToSizeFilter(size: ImageSize(width: 0.5, height: 0.5)))
        #expect(filtered.pixels.pixels == [Pixel(30, 40, 50)] && filtered.scale == 2)
        for size in [ImageSize(width: 0, height: 1), .init(width: 1, height: .nan), .init(width: 1e9, height: 1)] {
            for filter in [
                ScaledToSizeFilter(size: size), AspectScaledToFitSizeFilter(size: size),
                AspectScaledToFillSizeFilter(size: size),
            ] as [any ImageFilter] {
                #expect(throws: SternaError.self) { try filter.filter(source) }
            }
        }
    }

    @Test("Fit and fill keep the proportions")
    func proportions() {
        let size = { PixelSize(width: $0, height: $1) }
        expectEqual(AspectRule.fit(size(400, 300), in: size(100, 100)), size(100, 75))
        expectEqual(AspectRule.fit(size(300, 400), in: size(100, 100)), size(75, 100))
        expectEqual(AspectRule.fit(size(1, 1_000), in: size(10, 10)), size(1, 10))
        expectEqual(
            AspectRule.part(of: size(400, 300), filling: size(1, 1)), PixelArea(x: 50, y: 0, width: 300, height: 300))
    }

    @Test("Round corners are smooth at their edge")
    func corners() throws {
        let white = Pixel(255, 255, 255)
        let rounded = try image(4, Array(repeating: white, count: 16)).filtered(by: RoundedCornersFilter(radius: 2))
        // The middle of the first pixel is sqrt(2 * 1.5^2) = 2.12 from that of the circle, that of the second sqrt(1.5^2 + 0.5^2) = 1.58.
        let (corner, edge) = (Pixel(97, 97, 97, 97), Pixel(234, 234, 234, 234))
        expectEqual(
            rounded.pixels.pixels,
            [
                corner, edge, edge, corner, edge, white, white, edge, edge, white, white, edge, corner, edge, edge,
                corner,
            ])
        let source = try image(2, [a, b, b, a])
        try expectEqual(source.filtered(by: RoundedCornersFilter(radius: 0)).pixels, source.pixels)
        try expectEqual(source.filtered(by: RoundedCornersFilter(radius: .nan)).pixels, source.pixels)
        var dense = try image(4, Array(repeating: white, count: 16))
        dense.scale = 2
        try expectEqual(dense.filtered(by: RoundedCornersFilter(radius: 1)).pixels, rounded.pixels)
        try expectEqual(
            dense.filtered(by: RoundedCornersFilter(radius: 2, dividesRadiusByImageScale: true)).pixels, rounded.pixels)
        try expectEqual(dense.filtered(by: RoundedCornersFilter(radius: 99)).pixels, rounded.pixels)
    }

    @Test("A circle is the rounded square in the middle")
    func circle() throws {
        let round = try image(3, [a, b, a]).filtered(by: CircleFilter())
        #expect(round.pixelSize == PixelSize(width: 1, height: 1) && round.pixels.pixels == [b])
        let large = try TestImages.image(20, 10, Pixel(255, 255, 255)).filtered(by: CircleFilter())
        expectEqual(large.pixelSize, PixelSize(width: 10, height: 10))
        #expect(large.pixels.pixel(x: 0, y: 0) == none && large.pixels.pixel(x: 5, y: 5) == Pixel(255, 255, 255))
        let visible = large.pixels.pixels.reduce(0.0) { $0 + Double($1.alpha) / 255 }
        #expect(abs(visible - 78.54) < 0.5)
    }

    @Test("A blur spreads a point evenly to all sides, and does not change a single colour")
    func blur() throws {
        var pixels = Array(repeating: none, count: 49)
        pixels[24] = Pixel(243, 0, 0, 243)
        // Two passes over three pixels, and one over one.
        expectEqual(BoxBlur.radii(1.15), [0, 1, 1])
        let blurred = try image(7, pixels).filtered(by: BlurFilter(blurRadius: 1.15))
        let middle = (1...5).map { x in (1...5).map { y in Int(blurred.pixels.pixel(x: x, y: y)?.red ?? 0) } }
        expectEqual(
            middle,
            [
                [3, 6, 9, 6, 3], [6, 12, 18, 12, 6], [9, 18, 27, 18, 9], [6, 12, 18, 12, 6], [3, 6, 9, 6, 3],
            ])
        expectEqual(blurred.pixels.pixels.reduce(0) { $0 + Int($1.alpha) }, 243)
        for radius in [0, -1, .nan, 0.2, 3, 1e300] {
            let flat = try TestImages.image(9, 5, b)
            try expectEqual(flat.filtered(by: BlurFilter(blurRadius: radius)).pixels, flat.pixels, "\(radius)")
        }
    }

    @Test("Filters and closures are applied in turn; identifiers have their settings")
    func composition() throws {
        let crop = AspectScaledToFillSizeFilter(size: ImageSize(width: 2, height: 2))
        let both = CompositeImageFilter([crop, CircleFilter()])
        expectEqual(both.identifier, "AspectScaledToFillSizeFilter-size:(2 × 2)_CircleFilter")
        expectEqual(RoundedCornersFilter(radius: 2.5).identifier, "RoundedCornersFilter-radius:(2.5)-divided:(false)")
        expectEqual(BlurFilter().identifier, "BlurFilter-radius:(10)")
        let invert = DynamicImageFilter("invert") { image in
            image.with(
                try PixelBuffer(
                    image.pixelSize, image.pixels.pixels.map { Pixel(255 - $0.red, 255 - $0.green, 255 - $0.blue) }))
        }
        let source = try image(1, [a])
        try expectEqual(source.filtered(by: CompositeImageFilter([invert, invert])).pixels, source.pixels)
        expectEqual(invert.identifier, "invert")
    }
}
