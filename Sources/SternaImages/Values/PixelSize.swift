/// A size in whole pixels.
public struct PixelSize: Sendable, Hashable, CustomStringConvertible {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    /// Whether there is no pixel.
    public var isEmpty: Bool { width <= 0 || height <= 0 }

    /// The number of pixels; nil if there is none, or if it is beyond 64 bits.
    public var area: Int? {
        guard !isEmpty else { return nil }
        let (product, isOver) = width.multipliedReportingOverflow(by: height)
        return isOver ? nil : product
    }

    /// The bytes that the pixels take, four each; nil if there is none, or if the number is beyond 64 bits.
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
    public var width: Double
    public var height: Double

    public init(width: Double, height: Double) { (self.width, self.height) = (width, height) }

    /// Returns the size in pixels at a scale: rounded, and at least one pixel, but for a size that is no size.
    func pixels(at scale: Double) -> PixelSize? {
        guard let width = Self.pixels(width, scale), let height = Self.pixels(height, scale) else { return nil }
        return PixelSize(width: width, height: height)
    }

    /// Beyond this length the limits on pixels refuse any image.
    private static let longest = 1_000_000.0

    private static func pixels(_ length: Double, _ scale: Double) -> Int? {
        let pixels = (length * scale).rounded()
        guard length > 0, scale > 0, pixels <= longest else { return nil }
        return max(1, Int(pixels))
    }

    /// For instance `320 × 240`; with a fraction where there is one.
    public var description: String { "\(Self.text(width)) × \(Self.text(height))" }

    static func text(_ number: Double) -> String {
        number.magnitude < 1e9 && number == number.rounded() ? "\(Int(number))" : "\(number)"
    }
}
