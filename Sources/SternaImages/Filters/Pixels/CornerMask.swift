/// Makes the corners of an image transparent.
enum CornerMask {
    /// Returns an image with round corners, whose edge is smoothed over the width of a pixel.
    static func round(_ image: PixelBuffer, radius: Double) throws -> PixelBuffer {
        let (width, height) = (image.size.width, image.size.height)
        let radius = min(radius, Double(min(width, height)) / 2)
        guard radius > 0 else { return image }
        return try PixelBuffer(image.size) { target in
            image.withUnsafeBytes { target.copyMemory(from: $0) }
            // The upper left corner; the others mirror it.
            for y in 0..<min(Int(radius.rounded(.up)), (height + 1) / 2) {
                for x in 0..<min(Int(radius.rounded(.up)), (width + 1) / 2) {
                    let alpha = coverage(x, y, radius)
                    guard alpha < 255 else { continue }
                    for row in Set([y, height - 1 - y]) {
                        for column in Set([x, width - 1 - x]) {
                            fade(target, 4 * (row * width + column), alpha)
                        }
                    }
                }
            }
        }
    }

    private static func fade(_ bytes: UnsafeMutableRawBufferPointer, _ place: Int, _ alpha: UInt8) {
        for byte in place..<place + 4 { bytes[byte] = Pixel.product(bytes[byte], alpha) }
    }

    /// Returns how much of a pixel is within the corner's circle, 0 to 255, by the distance of its centre from the edge.
    static func coverage(_ x: Int, _ y: Int, _ radius: Double) -> UInt8 {
        let (across, down) = (radius - Double(x) - 0.5, radius - Double(y) - 0.5)
        guard across > 0, down > 0 else { return 255 }
        let distance = (across * across + down * down).squareRoot()
        return UInt8((min(max(0, radius - distance + 0.5), 1) * 255).rounded())
    }
}
