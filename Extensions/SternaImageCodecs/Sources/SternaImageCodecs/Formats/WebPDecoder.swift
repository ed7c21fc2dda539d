import CSternaCodecs
public import NIOCore
public import Sterna
public import SternaImages

/// Decodes WebP by libwebp: lossy, lossless and animated. It is scaled while it is decoded, but for animations.
public struct WebPDecoder: ImageDecoding {
    public init() {}

    public let formats: Set<ImageFormat> = [.webp]

    public func decode(_ file: Bytes, options: ImageDecodingOptions) throws -> DecodedImage {
        try options.limits.check(bytes: file.count)
        return try file.withUnsafeReadableBytes { bytes in
            var info = CSternaWebPInfo()
            try CSternaWebP_info(bytes.codecBytes, &info).check(.webp)
            let size = PixelSize(width: Int(info.width), height: Int(info.height))
            let plan = try DecodingPlan(size, ExifOrientation.read(info.exif.copy(upTo: 64 << 10)), options)
            guard info.isAnimated != 0 else { return try Self.still(bytes.codecBytes, info, plan, options) }
            try options.limits.check(frames: Int(info.frames))
            // The canvas, and the one before it; a frame beside some tables; and what is shown.
            let working = size.byteCount.map { $0 + $0 / 2 }
            try options.limits.check(
                memory: bytes.count, size.byteCount, size.byteCount, size.byteCount, working, plan.scaled.byteCount)
            let animation = try WebPAnimation(FileMemory(bytes), info, plan, fileSize: bytes.count)
            var image = DecodedImage(
                try animation.pixels(of: 0), scale: options.scale, format: .webp, sourceSize: plan.shownSource)
            if options.decodesAnimations, animation.frameCount > 1 { image.animation = animation }
            return image
        }
    }

    private static func still(
        _ file: CSternaCodecBytes, _ info: CSternaWebPInfo, _ plan: DecodingPlan, _ options: ImageDecodingOptions
    ) throws -> DecodedImage {
        // Lossless images are decoded as a whole first, beside some tables.
        let working = plan.source.byteCount.map { $0 + $0 / 2 }
        try options.limits.check(memory: working, plan.scaled.byteCount, plan.scaled.byteCount)
        let hasProfile = info.profile.count > 0
        var isPartial = false
        let size = plan.scaled
        let pixels = try PixelBuffer(size) { bytes in
            guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            isPartial = try CSternaWebP_decode(
                file, UInt32(clamping: size.width), UInt32(clamping: size.height), hasProfile ? 0 : 1, base,
                4 * size.width
            ).check(.webp, allowsPartial: options.allowsPartialImages)
            guard hasProfile else { return }
            CSternaColor_convert(info.profile, CSternaColorsRGBA, base, bytes.count / 4)
            CSternaColor_premultiply(base, bytes.count / 4)
        }
        return try plan.finish(pixels, .webp, options, isPartial: isPartial)
    }
}
