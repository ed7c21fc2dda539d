/// A pixel in sRGB, with colours premultiplied by alpha.
public struct Pixel: Sendable, Hashable, CustomStringConvertible {
    /// The colours, premultiplied, from 0 to ``alpha``.
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8
    /// The opacity, from 0 for transparent to 255 for opaque.
    public var alpha: UInt8

    /// Creates a pixel from premultiplied colours; opaque by default.
    public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8 = 255) {
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }

    /// The transparent pixel.
    public static let transparent = Pixel(0, 0, 0, 0)

    /// For instance `#FF000080`.
    public var description: String {
        "#" + [red, green, blue, alpha].map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }

    /// Returns a colour multiplied by an alpha, rounded to the nearest integer.
    @inlinable
    static func product(_ value: UInt8, _ alpha: UInt8) -> UInt8 {
        // Exact for all pairs of bytes, without a division.
        let sum = UInt32(value) * UInt32(alpha) + 128
        return UInt8(truncatingIfNeeded: (sum + (sum >> 8)) >> 8)
    }
}
