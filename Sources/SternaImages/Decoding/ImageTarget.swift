/// The size in which an image is shown. It is decoded no larger than that takes: with ``Mode/fill``, one side may exceed the size.
public struct ImageTarget: Sendable, Hashable {
    /// How the image fits the size. Both modes keep its proportions.
    public enum Mode: String, Sendable, Hashable, Codable {
        /// The whole image fits within the size.
        case fit
        /// The image covers the whole size; the view crops the rest.
        case fill
    }

    /// The size in pixels.
    public var size: PixelSize

    /// How the image fits the size; `fit` by default.
    public var mode: Mode

    /// Creates a target from a size in pixels.
    public init(_ size: PixelSize, mode: Mode = .fit) { (self.size, self.mode) = (size, mode) }

    /// Returns a target in which the whole image fits, in pixels.
    public static func fit(width: Int, height: Int) -> ImageTarget {
        ImageTarget(PixelSize(width: width, height: height))
    }

    /// Returns a target that the image covers, in pixels.
    public static func fill(width: Int, height: Int) -> ImageTarget {
        ImageTarget(PixelSize(width: width, height: height), mode: .fill)
    }

    /// Returns the size in which to decode an image: never larger than the image, and at least one pixel in each direction. An
    /// empty target returns the full size.
    public func decodedSize(of source: PixelSize) -> PixelSize {
        guard !source.isEmpty, !size.isEmpty else { return source }
        let (horizontal, vertical) = (
            Double(size.width) / Double(source.width), Double(size.height) / Double(source.height)
        )
        let factor = mode == .fit ? min(horizontal, vertical) : max(horizontal, vertical)
        guard factor < 1 else { return source }
        // Rounded up, so that the image covers a target to fill.
        func length(_ length: Int) -> Int {
            min(length, max(1, Int((Double(length) * factor - 1e-6).rounded(.up))))
        }
        return PixelSize(width: length(source.width), height: length(source.height))
    }

    /// Returns the smallest number of eighths, 1 to 8, at which a scaled image covers its decoded size. JPEG decoders scale by
    /// eighths.
    public static func eighths(of source: PixelSize, covering decoded: PixelSize) -> Int {
        func scaled(_ length: Int, _ eighths: Int) -> Int { length / 8 * eighths + (length % 8 * eighths + 7) / 8 }
        return (1...8).first {
            scaled(source.width, $0) >= decoded.width && scaled(source.height, $0) >= decoded.height
        } ?? 8
    }
}
