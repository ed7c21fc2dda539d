/// A decoded image: pixels in sRGB as they are shown, with the orientation of the file applied. A value, whose copies share the pixels.
public struct DecodedImage: Sendable {
    /// The pixels; of an animation those of its first frame.
    public var pixels: PixelBuffer

    /// The pixels of a point: 2 for an image that is meant for a display of twice the usual density; 1 by default.
    public var scale: Double

    /// The format of the file; nil for an image that comes from none.
    public var format: ImageFormat?

    /// The size of the image in the file, turned as it is shown. That of the ``pixels`` is smaller if the image was scaled while it was
    /// decoded.
    public var sourceSize: PixelSize

    /// The frames of an animation; nil for an image that stands still.
    public var animation: (any ImageAnimation)?

    /// Whether the file is incomplete, and the rest of the image is transparent; see ``ImageDecodingOptions/allowsPartialImages``.
    public var isPartial: Bool

    /// Makes an image of pixels.
    ///
    /// - Parameter sourceSize: the size in the file; that of the pixels by default.
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

    /// The size of the pixels.
    public var pixelSize: PixelSize { pixels.size }

    /// The size in points.
    public var size: ImageSize {
        let divisor = scale > 0 ? scale : 1
        return ImageSize(width: Double(pixels.size.width) / divisor, height: Double(pixels.size.height) / divisor)
    }

    /// The bytes that the image takes in memory, decoded: what a cache counts.
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
