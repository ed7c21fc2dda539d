import SternaCore

/// Scales an image to a size, whatever its proportions.
public struct ScaledToSizeFilter: ImageFilter {
    /// The size in points.
    public let size: ImageSize

    public init(size: ImageSize) { self.size = size }

    public var identifier: String { "ScaledToSizeFilter-size:(\(size))" }

    /// Throws `invalidRequest` for a size that is none.
    public func filter(_ image: DecodedImage) throws -> DecodedImage {
        image.with(try Resampling.resize(image.pixels, to: try size.required(at: image.scale)))
    }
}

/// Scales an image so that all of it is in a size, with its proportions; what is left of the size is transparent.
public struct AspectScaledToFitSizeFilter: ImageFilter {
    /// The size in points.
    public let size: ImageSize

    public init(size: ImageSize) { self.size = size }

    public var identifier: String { "AspectScaledToFitSizeFilter-size:(\(size))" }

    /// Throws `invalidRequest` for a size that is none.
    public func filter(_ image: DecodedImage) throws -> DecodedImage {
        let canvas = try size.required(at: image.scale)
        let inner = AspectRule.fit(image.pixelSize, in: canvas)
        return image.with(try PixelCanvas.center(try Resampling.resize(image.pixels, to: inner), on: canvas))
    }
}

/// Scales an image so that it covers a size, with its proportions; what is beyond the size is cut off on both sides.
public struct AspectScaledToFillSizeFilter: ImageFilter {
    /// The size in points.
    public let size: ImageSize

    public init(size: ImageSize) { self.size = size }

    public var identifier: String { "AspectScaledToFillSizeFilter-size:(\(size))" }

    /// Throws `invalidRequest` for a size that is none.
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
                "An image cannot be scaled to \(self); both lengths must be above zero and below a million pixels.")
        }
        return size
    }
}

/// How an image of some proportions lies in a size of others.
enum AspectRule {
    /// The largest size with the image's proportions that is within a canvas; at least one pixel.
    static func fit(_ image: PixelSize, in canvas: PixelSize) -> PixelSize {
        // Compares width / height of both without dividing.
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

    /// The middle part of an image that has a canvas's proportions, in pixels of the image.
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
