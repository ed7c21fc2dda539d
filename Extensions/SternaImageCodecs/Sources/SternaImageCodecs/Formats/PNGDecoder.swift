import CSternaCodecs
public import NIOCore
public import Sterna
public import SternaImages

/// Decodes PNG by libpng, interlaced images included; of an animated one (APNG) the first frame.
public struct PNGDecoder: ImageDecoding {
    public init() {}

    public let formats: Set<ImageFormat> = [.png]

    public func decode(_ file: Bytes, options: ImageDecodingOptions) throws -> DecodedImage {
        try options.limits.check(bytes: file.count)
        return try file.withUnsafeReadableBytes { try Self.decode($0.codecBytes, options) }
    }

    private static func decode(_ file: CSternaCodecBytes, _ options: ImageDecodingOptions) throws -> DecodedImage {
        var info = CSternaPNGInfo()
        var status = CSternaCodecDone
        guard let decoder = CSternaPNG_open(file, options.limits.memory, &info, &status) else {
            try status.check(.png)
            throw SternaError(.decodingFailed, phase: .decode, "The PNG image cannot be read.")
        }
        defer { CSternaPNG_close(decoder) }
        let size = PixelSize(width: Int(info.width), height: Int(info.height))
        let plan = try DecodingPlan(size, ExifOrientation.read(info.exif.copy(upTo: 64 << 10)), options)
        try CSternaPNG_restrict(decoder, try plan.memory(decoding: size)).check(.png)
        var isPartial = false
        let pixels = try PixelBuffer(size) { bytes in
            guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            isPartial = try CSternaPNG_decode(decoder, base, 4 * size.width)
                .check(.png, allowsPartial: options.allowsPartialImages)
            CSternaColor_convert(info.profile, CSternaColorsRGBA, base, bytes.count / 4)
            CSternaColor_premultiply(base, bytes.count / 4)
        }
        return try plan.finish(pixels, .png, options, isPartial: isPartial)
    }
}
