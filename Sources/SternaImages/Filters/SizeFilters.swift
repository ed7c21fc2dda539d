import SternaCore

/// Scales an image to a size, without keeping its proportions.
public struct ScaledToSizeFilter: ImageFilter {
    /// The size in points.
    public let size: ImageSize

    /// Creates a filter from a size in points.
    public init(size: ImageSize) { self.size = size }

    /// Identifies the filter with its size.
    public var identifier: String { "ScaledToSizeFilter-size:(\(size))" }

    /// Returns the scaled image. Throws `invalidRequest` for a length that is not positive or exceeds 1,000,000 pixels, and
    /// `limitExceeded` if memory cannot be allocated.
    public func filter(_ image: DecodedImage) throws -> DecodedImage {
        image.with(try Resampling.resize(image.pixels, to: try size.required(at: image.scale)))
    }
}

/// Scales an image to fit within a size, keeping its proportions; the rest of the size is transparent.
public struct AspectScaledToFitSizeFilter: ImageFilter {
    /// The size in points.
    public let size: ImageSize

    /// Creates a filter from a size in points.
    public init(size: ImageSize) { self.size = size }

    /// Identifies the filter with its size.
    public var identifier: String { "AspectScaledToFitSizeFilter-size:(\(size))" }

    /// Returns the scaled image. Throws `invalidRequest` for a length that is not positive or exceeds 1,000,000 pixels, and
    /// `limitExceeded` if memory cannot be allocated.
    public func filter(_ image: DecodedImage) throws -> DecodedImage {
        let canvas = try size.required(at: image.scale)
        let inner = AspectRule.fit(image.pixelSize, in: canvas)
        return image.with(try PixelCanvas.center(try Resampling.resize(image.pixels, to: inner), on: canvas))
    }
}

/// Scales an image to cover a size, keeping its proportions; the rest of the image is cropped on both sides.
public struct AspectScaledToFillSizeFilter: ImageFilter {
    /// The size in points.
    public let size: ImageSize

    /// Creates a filter from a size in points.
    public init(size: ImageSize) { self.size = size }

    /// Identifies the filter with its size.
    public var identifier: String { "AspectScaledToFillSizeFilter-size:(\(size))" }

    /// Returns the scaled image. Throws `invalidRequest` for a length that is not positive or exceeds 1,000,000 pixels, and
    /// `limitExceeded` if memory cannot be allocated.
    public func filter(_ image: DecodedImage) throws -> DecodedImage {
        let canvas = try size.required(at: image.scale)
        return image.with(
            try Resampling.resize(image.pixels, AspectRule.part(of: image.pixelSize, filling: canvas), to: canvas))
    }
}

extension ImageSize {
    func required(at scale: Double) throws(SternaError) -> PixelSize {
        guard let size = pixels(at: scale) else {
            throw SternaError(
                .invalidRequest, phase: .decode,
                "An image cannot be scaled to \(self); both lengths must be above zero and at most a million pixels.")
        }
        return size
    }
}

/// Places an image in a size of other proportions.
enum AspectRule {
    /// Returns the largest size within a canvas that has the image's proportions; at least one pixel in each direction.
    static func fit(_ image: PixelSize, in canvas: PixelSize) -> PixelSize {
        // Compares both ratios of width to height without dividing.
        let isWider =
            image.width.multipliedFullWidth(by: canvas.height) > canvas.width.multipliedFullWidth(by: image.height)
        if isWider {
            return PixelSize(width: canvas.width, height: proportional(image.height, canvas.width, image.width))
        }
        return PixelSize(width: proportional(image.width, canvas.height, image.height), height: canvas.height)
    }

    private static func proportional(_ length: Int, _ other: Int, _ base: Int) -> Int {
        max(1, Int((Double(length) * Double(other) / Double(max(1, base))).rounded()))
    }

    /// Returns the central part of an image that has a canvas's proportions, in pixels of the image.
    static func part(of image: PixelSize, filling canvas: PixelSize) -> PixelArea {
        let factor = min(
            Double(image.width) / Double(max(1, canvas.width)), Double(image.height) / Double(max(1, canvas.height)))
        let (width, height) = (
            min(Double(image.width), factor * Double(canvas.width)),
            min(Double(image.height), factor * Double(canvas.height))
        )
        return PixelArea(
            x: (Double(image.width) - width) / 2, y: (Double(image.height) - height) / 2, width: width, height: height)
    }
}
