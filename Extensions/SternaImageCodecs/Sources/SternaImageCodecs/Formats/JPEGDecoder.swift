import CSternaCodecs
public import NIOCore
public import Sterna
public import SternaImages

/// Decodes JPEG by libjpeg-turbo: baseline and progressive, grey, YCbCr, RGB and CMYK. It is scaled by eighths while it is decoded.
public struct JPEGDecoder: ImageDecoding {
    public init() {}

    public let formats: Set<ImageFormat> = [.jpeg]

    public func decode(_ file: Bytes, options: ImageDecodingOptions) throws -> DecodedImage {
        try options.limits.check(bytes: file.count)
        return try file.withUnsafeReadableBytes { try Self.decode($0.codecBytes, options) }
    }

    private static func decode(_ file: CSternaCodecBytes, _ options: ImageDecodingOptions) throws -> DecodedImage {
        let limits = options.limits
        var info = CSternaJPEGInfo()
        var status = CSternaCodecDone
        let opened = CSternaJPEG_open(file, limits.memory, Int32(clamping: limits.scans), &info, &status)
        guard let decoder = opened else {
            try status.check(.jpeg)
            throw SternaError(.decodingFailed, phase: .decode, "The JPEG image cannot be read.")
        }
        defer { CSternaJPEG_close(decoder) }
        let source = PixelSize(width: Int(info.width), height: Int(info.height))
        let plan = try DecodingPlan(source, ExifOrientation.read(info.exif.copy()), options)
        var (width, height) = (UInt32(0), UInt32(0))
        let eighths = ImageTarget.eighths(of: source, covering: plan.scaled)
        try CSternaJPEG_scale(decoder, Int32(eighths), &width, &height).check(.jpeg)
        let size = PixelSize(width: Int(width), height: Int(height))
        let memory = try plan.memory(decoding: size)
        var isPartial = false
        let pixels = try PixelBuffer(size) { bytes in
            guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            isPartial = try CSternaJPEG_decode(decoder, memory, base, 4 * size.width)
                .check(.jpeg, allowsPartial: options.allowsPartialImages)
            // The others stay transparent.
            convert(info, base, min(Int(CSternaJPEG_rows(decoder)) * size.width, bytes.count / 4))
        }
        return try plan.finish(pixels, .jpeg, options, isPartial: isPartial)
    }

    private static func convert(_ info: CSternaJPEGInfo, _ pixels: UnsafeMutablePointer<UInt8>, _ count: Int) {
        let (isCMYK, isInverted) = (info.isCMYK != 0, info.isInverted != 0)
        let colors = !isCMYK ? CSternaColorsRGBA : isInverted ? CSternaColorsInvertedCMYK : CSternaColorsCMYK
        let isConverted = CSternaColor_convert(info.profile, colors, pixels, count) != 0
        if isCMYK, !isConverted { CSternaColor_convertCMYK(pixels, count, info.isInverted) }
    }
}
