import SternaCore

/// Rounds the corners of an image; the area outside of them becomes transparent.
public struct RoundedCornersFilter: ImageFilter {
    /// The radius in points, or in pixels if ``dividesRadiusByImageScale`` is true.
    public let radius: Double

    /// Whether the radius is in pixels of the image, independent of its scale; false by default.
    public let dividesRadiusByImageScale: Bool

    /// Creates a filter. A negative radius and NaN count as zero; a radius beyond half of the shorter side counts as that half.
    public init(radius: Double, dividesRadiusByImageScale: Bool = false) {
        self.radius = radius
        self.dividesRadiusByImageScale = dividesRadiusByImageScale
    }

    /// Identifies the filter with its settings.
    public var identifier: String {
        "RoundedCornersFilter-radius:(\(ImageSize.text(radius)))-divided:(\(dividesRadiusByImageScale))"
    }

    /// Returns the filtered image. Throws `limitExceeded` if memory cannot be allocated.
    public func filter(_ image: DecodedImage) throws -> DecodedImage {
        let pixels = dividesRadiusByImageScale ? radius : radius * image.scale
        return image.with(try CornerMask.round(image.pixels, radius: pixels))
    }
}

/// Crops an image to its central square, and cuts a circle out of it; the area outside becomes transparent.
public struct CircleFilter: ImageFilter {
    /// Creates a filter.
    public init() {}

    /// Identifies the filter.
    public var identifier: String { "CircleFilter" }

    /// Returns the filtered image. Throws `limitExceeded` if memory cannot be allocated.
    public func filter(_ image: DecodedImage) throws -> DecodedImage {
        let side = min(image.pixelSize.width, image.pixelSize.height)
        let square = try PixelCanvas.crop(image.pixels, to: PixelSize(width: side, height: side))
        return image.with(try CornerMask.round(square, radius: Double(side) / 2))
    }
}

/// Blurs an image approximately by a Gaussian function, and keeps its size.
public struct BlurFilter: ImageFilter {
    /// The standard deviation in pixels, at most 1,000; 10 by default.
    public let blurRadius: Double

    /// Creates a filter from a standard deviation in pixels, at most 1,000; 10 by default.
    public init(blurRadius: Double = 10) { self.blurRadius = blurRadius }

    /// Identifies the filter with its radius.
    public var identifier: String { "BlurFilter-radius:(\(ImageSize.text(blurRadius)))" }

    /// Returns the filtered image. Throws `limitExceeded` if memory cannot be allocated.
    public func filter(_ image: DecodedImage) throws -> DecodedImage {
        image.with(try BoxBlur.blur(image.pixels, deviation: blurRadius))
    }
}
