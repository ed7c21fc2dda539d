/// A size in whole pixels.
public struct PixelSize: Sendable, Hashable, CustomStringConvertible {
    /// The width in pixels.
    public var width: Int

    /// The height in pixels.
    public var height: Int

    /// Creates a size in pixels.
    public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    /// Whether the width or the height is not positive.
    public var isEmpty: Bool { width <= 0 || height <= 0 }

    /// The number of pixels; nil for an empty size, and beyond 64 bits.
    public var area: Int? {
        guard !isEmpty else { return nil }
        let (product, isOver) = width.multipliedReportingOverflow(by: height)
        return isOver ? nil : product
    }

    /// The size of the pixels in bytes, four each; nil for an empty size, and beyond 64 bits.
    public var byteCount: Int? {
        guard let area else { return nil }
        let (product, isOver) = area.multipliedReportingOverflow(by: 4)
        return isOver ? nil : product
    }

    /// For instance `640 × 480`.
    public var description: String { "\(width) × \(height)" }
}

/// A size in points: pixels divided by an image's scale.
public struct ImageSize: Sendable, Hashable, CustomStringConvertible {
    /// The width in points.
    public var width: Double

    /// The height in points.
    public var height: Double

    /// Creates a size in points.
    public init(width: Double, height: Double) { (self.width, self.height) = (width, height) }

    /// Returns the size in pixels at a scale, rounded, at least one pixel in each direction; nil for a length or scale that is not
    /// positive, and beyond the limit.
    func pixels(at scale: Double) -> PixelSize? {
        guard let width = Self.pixels(width, scale), let height = Self.pixels(height, scale) else { return nil }
        return PixelSize(width: width, height: height)
    }

    /// The maximum length in pixels; the limits on pixels refuse larger images anyway.
    private static let longest = 1_000_000.0

    private static func pixels(_ length: Double, _ scale: Double) -> Int? {
        let pixels = (length * scale).rounded()
        guard length > 0, scale > 0, pixels <= longest else { return nil }
        return max(1, Int(pixels))
    }

    /// For instance `320 × 240`; lengths that are not integers have a fraction.
    public var description: String { "\(Self.text(width)) × \(Self.text(height))" }

    static func text(_ number: Double) -> String {
        number.magnitude < 1e9 && number == number.rounded() ? "\(Int(number))" : "\(number)"
    }
}
