public import SternaImages

/// A picture that shows its number: 4 by 3 fields, light for a one and dark for a zero, in a colour of its own. The first field is always light and
/// the last one always dark, so that what is seen can be told from anything else.
public struct NumberedPicture: Sendable, Hashable {
    public static let (columns, rows) = (4, 3)

    /// The numbers that there are.
    public static let numbers = 0..<1024

    public let number: Int

    public init(_ number: Int) { self.number = number & 1023 }

    private func isLight(_ column: Int, _ row: Int) -> Bool {
        let field = row * Self.columns + column
        guard field > 0 else { return true }
        guard field < 11 else { return false }
        return number >> (field - 1) & 1 == 1
    }

    /// The PNG of the picture.
    public func file(width: Int = 320, height: Int = 240) -> [UInt8] {
        PNGFile.bytes(width: width, height: height, palette: [color(0.22), color(0.62)]) { x, y in
            isLight(x * Self.columns / width, y * Self.rows / height)
        }
    }

    /// A colour of a lightness, its hue by the number.
    private func color(_ lightness: Double) -> (red: UInt8, green: UInt8, blue: UInt8) {
        let hue = Double(number * 37 % 360) / 60
        let chroma = (1 - abs(2 * lightness - 1)) * 0.6
        let second = chroma * (1 - abs(hue.truncatingRemainder(dividingBy: 2) - 1))
        let parts: (Double, Double, Double) =
            switch Int(hue) {
            case 0: (chroma, second, 0)
            case 1: (second, chroma, 0)
            case 2: (0, chroma, second)
            case 3: (0, second, chroma)
            case 4: (second, 0, chroma)
            default: (chroma, 0, second)
            }
        func byte(_ part: Double) -> UInt8 { UInt8(max(0, min(255, (part + lightness - chroma / 2) * 255))) }
        return (byte(parts.0), byte(parts.1), byte(parts.2))
    }

    /// Returns the number of the picture that fills a rectangle of pixels; nil if what is there is no such picture.
    ///
    /// - Parameter brightness: how light a place is, counted from the left and the top in fractions of the rectangle.
    public static func number(_ brightness: (Double, Double) -> Int?) -> Int? {
        var fields: [Int] = []
        for row in 0..<rows {
            for column in 0..<columns {
                guard
                    let field = brightness(
                        (Double(column) + 0.5) / Double(columns), (Double(row) + 0.5) / Double(rows))
                else { return nil }
                fields.append(field)
            }
        }
        let (light, dark) = (fields[0], fields[11])
        guard light - dark > 150 else { return nil }
        var number = 0
        for field in 1..<11 {
            if abs(fields[field] - light) < 40 {
                number |= 1 << (field - 1)
            } else if abs(fields[field] - dark) >= 40 {
                return nil
            }
        }
        return number
    }

    /// The pixels of a picture, as they would be decoded.
    public static func pixels(of number: Int, width: Int = 160, height: Int = 120) throws -> PixelBuffer {
        let picture = NumberedPicture(number)
        let colors = [picture.color(0.22), picture.color(0.62)].map { Pixel($0.red, $0.green, $0.blue) }
        let pixels = (0..<width * height).map { place in
            colors[picture.isLight(place % width * columns / width, place / width * rows / height) ? 1 : 0]
        }
        return try PixelBuffer(PixelSize(width: width, height: height), pixels)
    }

    /// Returns the number of the picture in a decoded image; nil if it shows none.
    public static func number(in pixels: PixelBuffer) -> Int? {
        number { x, y in
            pixels.pixel(x: Int(x * Double(pixels.size.width)), y: Int(y * Double(pixels.size.height)))
                .map { Int($0.red) + Int($0.green) + Int($0.blue) }
        }
    }
}
