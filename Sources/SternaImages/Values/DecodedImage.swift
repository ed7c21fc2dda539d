/// A decoded image: pixels in sRGB, with the orientation of the file applied. A value whose copies share the pixels.
public struct DecodedImage: Sendable {
    /// The pixels; of an animation the first frame.
    public var pixels: PixelBuffer

    /// The pixels per point; 1 by default, 2 for an image for a display of twice the usual density.
    public var scale: Double

    /// The format of the file; nil for an image that was not decoded from a file.
    public var format: ImageFormat?

    /// The size of the image in the file, with its orientation applied. The ``pixels`` are fewer if the image was scaled while it
    /// was decoded.
    public var sourceSize: PixelSize

    /// The frames of an animation; nil for a still image.
    public var animation: (any ImageAnimation)?

    /// Whether the file is incomplete, and the rest of the image is transparent; see ``ImageDecodingOptions/allowsPartialImages``.
    public var isPartial: Bool

    /// Creates an image from pixels.
    ///
    /// - Parameter sourceSize: the size in the file; nil, the default, for the size of the pixels.
    public init(
        _ pixels: PixelBuffer, scale: Double = 1, format: ImageFormat? = nil, sourceSize: PixelSize? = nil,
        animation: (any ImageAnimation)? = nil, isPartial: Bool = false
    ) {
        self.pixels = pixels
        self.scale = scale
        self.format = format
        self.sourceSize = sourceSize ?? pixels.size
        self.animation = animation
        self.isPartial = isPartial
    }

    /// The size in pixels.
    public var pixelSize: PixelSize { pixels.size }

    /// The size in points: pixels divided by ``scale``.
    public var size: ImageSize {
        let divisor = scale > 0 ? scale : 1
        return ImageSize(width: Double(pixels.size.width) / divisor, height: Double(pixels.size.height) / divisor)
    }

    /// The memory of the decoded image, with its animation, in bytes. Caches count it.
    public var cost: Int {
        let (sum, isOver) = pixels.byteCount.addingReportingOverflow(max(0, animation?.cost ?? 0))
        return isOver ? .max : sum
    }
}

extension DecodedImage: CustomStringConvertible {
    /// For instance `png, 640 × 480 pixels`.
    public var description: String {
        var text = format.map { "\($0), " } ?? ""
        text += "\(pixels)"
        if let animation { text += ", \(animation.frameCount) frames" }
        return text
    }
}
