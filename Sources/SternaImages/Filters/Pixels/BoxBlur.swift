/// Blurs by three box filters in each direction, which approximate a Gaussian function in a time independent of the radius.
enum BoxBlur {
    private static let largest = 1_000.0

    /// Returns the number of neighbours on either side in each of three passes, for a standard deviation.
    static func radii(_ deviation: Double) -> [Int] {
        guard deviation > 0 else { return [0, 0, 0] }
        let variance = min(deviation, largest) * min(deviation, largest)
        // The widths are odd: the largest that is not too wide, or the next one (W. M. Wells, 1986).
        var lower = Int((4 * variance + 1).squareRoot())
        if lower % 2 == 0 { lower -= 1 }
        let narrow = Double(lower)
        let count = ((12 * variance - 3 * narrow * narrow - 12 * narrow - 9) / (-4 * narrow - 4)).rounded()
        return (0..<3).map { (Double($0) < count ? lower : lower + 2) / 2 }
    }

    /// Returns a blurred image; the pixels at an edge are repeated beyond it.
    static func blur(_ image: PixelBuffer, deviation: Double) throws -> PixelBuffer {
        let radii = radii(deviation).filter { $0 > 0 }
        guard !radii.isEmpty else { return image }
        let (width, height) = (image.size.width, image.size.height)
        return try PixelBuffer(image.size) { target in
            image.withUnsafeBytes { target.copyMemory(from: $0) }
            var line = [UInt8](repeating: 0, count: 4 * max(width, height))
            for y in 0..<height {
                for radius in radii { mean(target, from: 4 * y * width, step: 4, count: width, radius, &line) }
            }
            for x in 0..<width {
                for radius in radii { mean(target, from: 4 * x, step: 4 * width, count: height, radius, &line) }
            }
        }
    }

    /// Replaces each pixel of a row or column by the mean of its neighbours.
    private static func mean(
        _ bytes: UnsafeMutableRawBufferPointer, from start: Int, step: Int, count: Int, _ radius: Int,
        _ line: inout [UInt8]
    ) {
        for index in 0..<count {
            for channel in 0..<4 { line[4 * index + channel] = bytes[start + index * step + channel] }
        }
        let width = 2 * radius + 1
        for channel in 0..<4 {
            var sum = 0
            for index in -radius...radius { sum += Int(line[4 * min(max(0, index), count - 1) + channel]) }
            for index in 0..<count {
                bytes[start + index * step + channel] = UInt8(truncatingIfNeeded: (2 * sum + width) / (2 * width))
                sum += Int(line[4 * min(index + radius + 1, count - 1) + channel])
                sum -= Int(line[4 * max(0, index - radius) + channel])
            }
        }
    }
}
