import SternaCore

/// Rounds the corners of an image: what is outside of them is transparent.
public struct RoundedCornersFilter: ImageFilter {
    /// The radius in points.
    public let radius: Double

    /// Whether the radius is in pixels of the image, whatever its scale; no by default.
    public let dividesRadiusByImageScale: Bool

    /// Makes a filter. A radius below zero, or none, counts as zero; one beyond half of the shorter side as that half.
    public init(radius: Double, dividesRadiusByImageScale: Bool = false) {
        self.radius = radius
        self.dividesRadiusByImageScale = dividesRadiusByImageScale
    }

    public var identifier: String {
        "RoundedCornersFilter-radius:(\(ImageSize.text(radius)))-divided:(\(dividesRadiusByImageScale))"
    }

    public func filter(_ image: DecodedImage) throws -> DecodedImage {
        let pixels = dividesRadiusByImageScale ? radius : radius * image.scale
        return image.with(try CornerMask.round(image.pixels, radius: pixels))
    }
}

/// Cuts a circle out of the middle of an image; what is outside of it is transparent. The result is a square.
public struct CircleFilter: ImageFilter {
    public init() {}

    public var identifier: String { "CircleFilter" }

    public func filter(_ image: DecodedImage) throws -> DecodedImage {
        let side = min(image.pixelSize.width, image.pixelSize.height)
        let square = try PixelCanvas.crop(image.pixels, to: PixelSize(width: side, height: side))
        return image.with(try CornerMask.round(square, radius: Double(side) / 2))
    }
}

/// Blurs an image, nearly as a Gaussian function does. Its size stays.
public struct BlurFilter: ImageFilter {
    /// The standard deviation in pixels, at most 1,000; 10 by default.
    public let blurRadius: Double

    public init(blurRadius: Double = 10) { self.blurRadius = blurRadius }

    public var identifier: String { "BlurFilter-radius:(\(ImageSize.text(blurRadius)))" }

    public func filter(_ image: DecodedImage) throws -> DecodedImage {
        image.with(try BoxBlur.blur(image.pixels, deviation: blurRadius))
    }
}
