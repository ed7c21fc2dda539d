/// The size in which an image is shown, so that it is decoded no larger than that.
public struct ImageTarget: Sendable, Hashable {
    /// How the image fits into the size. Its proportions stay in either case.
    public enum Mode: String, Sendable, Hashable, Codable {
        /// The whole image is shown, as large as the size allows.
        case fit
        /// The whole size is covered, and what is beyond it is cut off when it is shown.
        case fill
    }

    /// The size in pixels.
    public var size: PixelSize

    public var mode: Mode

    /// Makes a target.
    public init(_ size: PixelSize, mode: Mode = .fit) { (self.size, self.mode) = (size, mode) }

    public static func fit(width: Int, height: Int) -> ImageTarget {
        ImageTarget(PixelSize(width: width, height: height))
    }

    public static func fill(width: Int, height: Int) -> ImageTarget {
        ImageTarget(PixelSize(width: width, height: height), mode: .fill)
    }

    /// Returns the size to decode an image in: never larger than it is, and at least one pixel. An empty target asks for the whole image.
    public func decodedSize(of source: PixelSize) -> PixelSize {
        guard !source.isEmpty, !size.isEmpty else { return source }
        let (horizontal, vertical) = (
            Double(size.width) / Double(source.width), Double(size.height) / Double(source.height)
        )
        let factor = mode == .fit ? min(horizontal, vertical) : max(horizontal, vertical)
        guard factor < 1 else { return source }
        // Rounded up, so that a size to be covered is covered.
        func length(_ length: Int) -> Int {
            min(length, max(1, Int((Double(length) * factor - 1e-6).rounded(.up))))
        }
        return PixelSize(width: length(source.width), height: length(source.height))
    }

    /// Returns the smallest number of eighths, 1 to 8, at which an image covers its decoded size: the scales that JPEG is decoded in.
    public static func eighths(of source: PixelSize, covering decoded: PixelSize) -> Int {
        func scaled(_ length: Int, _ eighths: Int) -> Int { length / 8 * eighths + (length % 8 * eighths + 7) / 8 }
        return (1...8).first {
            scaled(source.width, $0) >= decoded.width && scaled(source.height, $0) >= decoded.height
        } ?? 8
    }
}
