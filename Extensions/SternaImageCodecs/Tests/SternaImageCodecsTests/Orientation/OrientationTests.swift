import SternaImages
import Testing

@testable import SternaImageCodecs

@Suite("Orientation") struct OrientationTests {
    @Test(
        "Where the pixels of 3 × 2 come to lie",
        arguments: [
            (1, 3, [0, 1, 2, 3, 4, 5]), (2, 3, [2, 1, 0, 5, 4, 3]), (3, 3, [5, 4, 3, 2, 1, 0]),
            (4, 3, [3, 4, 5, 0, 1, 2]),
            (5, 2, [0, 3, 1, 4, 2, 5]), (6, 2, [3, 0, 4, 1, 5, 2]), (7, 2, [5, 2, 4, 1, 3, 0]),
            (8, 2, [2, 5, 1, 4, 0, 3]),
        ] as [(Int, Int, [UInt8])])
    func turned(_ number: Int, _ width: Int, _ order: [UInt8]) throws {
        let image = try PixelBuffer(PixelSize(width: 3, height: 2), (0..<6).map { Pixel($0, 1, 2) })
        let turned = try #require(ImageOrientation(rawValue: number)).turn(image)
        #expect(turned.size.width == width && turned.pixels.map(\.red) == order)
    }

    @Test("EXIF data in both orders of bytes, with and without the segment's name", arguments: 1...8)
    func read(_ number: Int) throws {
        let expected = ImageOrientation(rawValue: number)
        #expect(ExifOrientation.read(Samples.exif(number)) == expected)
        #expect(ExifOrientation.read(Samples.exif(number, bigEndian: false)) == expected)
        #expect(ExifOrientation.read(Array("Exif\0\0".utf8) + Samples.exif(number)) == expected)
    }

    @Test("What cannot be read counts as up")
    func unreadable() {
        let valid = Samples.exif(6)
        for data in [[], Array("II*".utf8), Samples.exif(0), Samples.exif(9), Samples.exif(70_000)] {
            #expect(ExifOrientation.read(data) == .up)
        }
        // Up to the value of the second entry all is needed.
        for count in 0..<32 { #expect(ExifOrientation.read(Array(valid[..<count])) == .up) }
        #expect(ExifOrientation.read(Array(valid[..<32])) == .right)
        var elsewhere = valid
        elsewhere[4] = 0xFF
        #expect(ExifOrientation.read(elsewhere) == .up)
    }
}
