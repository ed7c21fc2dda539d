import CSternaCodecs
import Sterna
import SternaImages

/// The sizes on the way from a file to the image that is shown.
struct DecodingPlan: Sendable, Hashable {
    /// The size in the file.
    let source: PixelSize
    let orientation: ImageOrientation
    /// The size to scale to, before the image is turned.
    let scaled: PixelSize
    private let limits: ImageLimits

    /// Throws if the image is larger than allowed.
    init(_ source: PixelSize, _ orientation: ImageOrientation, _ options: ImageDecodingOptions) throws(SternaError) {
        try options.limits.check(size: source)
        self.source = source
        self.orientation = orientation
        limits = options.limits
        let shown = orientation.size(of: source)
        scaled = orientation.size(of: options.target?.decodedSize(of: shown) ?? shown)
    }

    /// The size in the file as it is shown.
    var shownSource: PixelSize { orientation.size(of: source) }

    /// Checks the memory for pixels that are decoded in some size, and returns what is left for the decoder.
    func memory(decoding size: PixelSize) throws(SternaError) -> Int {
        let scaling = size == scaled ? 0 : scaled.byteCount
        let turning = orientation == .up ? 0 : scaled.byteCount
        try limits.check(memory: size.byteCount, scaling, turning)
        return limits.memory - [size.byteCount, scaling, turning].reduce(0) { $0 + ($1 ?? 0) }
    }

    /// Scales and turns what was decoded.
    func finish(
        _ pixels: PixelBuffer, _ format: ImageFormat, _ options: ImageDecodingOptions, isPartial: Bool
    ) throws -> DecodedImage {
        let shown = try orientation.turn(try pixels.resized(to: scaled))
        return DecodedImage(
            shown, scale: options.scale, format: format, sourceSize: shownSource, isPartial: isPartial)
    }
}
