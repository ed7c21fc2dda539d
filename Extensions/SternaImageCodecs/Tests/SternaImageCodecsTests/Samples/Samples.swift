import CCodecSamples
import NIOCore
import Sterna
import SternaImageCodecs
import SternaImages
import SternaPlatform

/// Files made by the libraries' encoders.
enum Samples {
    private static func file(_ make: (inout Int) -> UnsafeMutablePointer<UInt8>?) -> [UInt8] {
        var count = 0
        guard let bytes = make(&count) else { return [] }
        defer { free(bytes) }
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    /// A JPEG of pixels with 1, 3 or 4 components.
    static func jpeg(
        _ width: Int, _ height: Int, components: Int = 3, progressive: Bool = false, scanOfEach: Bool = false,
        profile: [UInt8] = [], exif: [UInt8]? = nil, _ pixel: (_ x: Int, _ y: Int) -> [UInt8]
    ) -> [UInt8] {
        let pixels = (0..<height).flatMap { y in (0..<width).flatMap { x in pixel(x, y) } }
        let file = file {
            CCodecSamples_jpeg(
                pixels, Int32(width), Int32(height), Int32(components), progressive ? 1 : scanOfEach ? 2 : 0, profile,
                profile.count, &$0)
        }
        guard let exif else { return file }
        let segment = Array("Exif\0\0".utf8) + exif
        let length = segment.count + 2
        return Array(file[..<2]) + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + segment + file[2...]
    }

    /// A WebP of pixels that are not multiplied by alpha; lossless below zero.
    static func webp(
        _ width: Int, _ height: Int, quality: Float = -1, _ pixel: (_ x: Int, _ y: Int) -> [UInt8]
    ) -> [UInt8] {
        let pixels = (0..<height).flatMap { y in (0..<width).flatMap { x in pixel(x, y) } }
        return file { CCodecSamples_webp(pixels, Int32(width), Int32(height), quality, &$0) }
    }

    /// A profile for which red is blue.
    static let swappedProfile = file { CCodecSamples_swappedProfile(&$0) }

    /// A profile of greys for which half the number is half the light.
    static let linearGreyProfile = file { CCodecSamples_linearGreyProfile(&$0) }

    /// EXIF data with an orientation.
    static func exif(_ orientation: Int, bigEndian: Bool = true) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return bigEndian ? little.reversed() : little
        }
        let head: [UInt8] = bigEndian ? [0x4D, 0x4D, 0, 0x2A] : [0x49, 0x49, 0x2A, 0]
        return head + number(8, 4) + number(2, 2)
            + number(0x010F, 2) + number(2, 2) + number(1, 4) + number(0, 4)
            + number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + [0, 0] + number(0, 4)
    }

    static func decode(
        _ file: [UInt8], by decoder: any ImageDecoding = ImageCodecs(),
        _ configure: (inout ImageDecodingOptions) -> Void = { _ in }
    ) throws -> DecodedImage {
        var options = ImageDecodingOptions()
        configure(&options)
        return try decoder.decode(Bytes(bytes: file), options: options)
    }
}

extension DecodedImage {
    /// Whether a pixel is within a distance of a colour, in each channel.
    func isNear(_ color: Pixel, x: Int, y: Int, by distance: Int = 6) -> Bool {
        guard let pixel = pixels.pixel(x: x, y: y) else { return false }
        return zip(
            [pixel.red, pixel.green, pixel.blue, pixel.alpha], [color.red, color.green, color.blue, color.alpha]
        ).allSatisfy { abs(Int($0) - Int($1)) <= distance }
    }
}
