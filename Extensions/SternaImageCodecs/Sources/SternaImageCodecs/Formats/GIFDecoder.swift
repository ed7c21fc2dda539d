import CSternaCodecs
public import NIOCore
public import Sterna
public import SternaImages

/// Decodes GIF by giflib, still and animated. What frames leave free is transparent.
public struct GIFDecoder: ImageDecoding {
    public init() {}

    public let formats: Set<ImageFormat> = [.gif]

    public func decode(_ file: Bytes, options: ImageDecodingOptions) throws -> DecodedImage {
        try options.limits.check(bytes: file.count)
        return try file.withUnsafeReadableBytes { bytes in
            let contents = try GIFContents(bytes.codecBytes, options)
            let plan = try DecodingPlan(contents.size, .up, options)
            // The canvas, what a frame restores, and a frame as it is shown.
            let canvas = contents.size.byteCount
            try options.limits.check(memory: bytes.count, canvas, canvas, canvas, plan.scaled.byteCount)
            let animation = GIFAnimation(FileMemory(bytes), contents, plan, options, fileSize: bytes.count)
            let (first, isCut) = try animation.frame(0)
            var image = DecodedImage(
                first, scale: options.scale, format: .gif, sourceSize: contents.size,
                isPartial: contents.isPartial || isCut)
            if options.decodesAnimations, contents.frames.count > 1 { image.animation = animation }
            return image
        }
    }
}

/// What a file says of its frames, without their pixels.
struct GIFContents {
    let size: PixelSize
    private(set) var frames: [CSternaGIFFrame] = []
    private(set) var loops = 1
    private(set) var isPartial = false

    init(_ file: CSternaCodecBytes, _ options: ImageDecodingOptions) throws {
        var (width, height) = (UInt32(0), UInt32(0))
        var status = CSternaCodecDone
        guard let decoder = CSternaGIF_open(file, &width, &height, &status) else {
            try status.check(.gif)
            throw SternaError(.decodingFailed, phase: .decode, "The GIF image cannot be read.")
        }
        defer { CSternaGIF_close(decoder) }
        size = PixelSize(width: Int(width), height: Int(height))
        try options.limits.check(size: size)
        while true {
            var frame = CSternaGIFFrame()
            status = CSternaGIF_next(decoder, &frame)
            guard status == CSternaCodecDone else { break }
            try options.limits.check(size: PixelSize(width: Int(frame.width), height: Int(frame.height)))
            frames.append(frame)
            try options.limits.check(frames: frames.count)
            status = CSternaGIF_skip(decoder)
            guard status == CSternaCodecDone else { break }
        }
        isPartial = try status.check(.gif, allowsPartial: options.allowsPartialImages)
        loops = Int(CSternaGIF_loops(decoder))
        guard !frames.isEmpty else {
            throw SternaError(.decodingFailed, phase: .decode, "The GIF image has no frame.")
        }
    }
}
