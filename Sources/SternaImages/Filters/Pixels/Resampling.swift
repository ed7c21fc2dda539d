import SternaPlatform

/// The source pixels and weights of one scaled pixel.
struct ResampleTap: Sendable, Hashable {
    /// The first pixel of the source.
    var start: Int
    /// The weights of the pixels from there on; their sum is ``Resampling/one``.
    var weights: [UInt32]
}

/// Scales images: to a smaller size by the mean of the area that each pixel covers, to a larger one by linear interpolation.
enum Resampling {
    /// The sum of all weights.
    static let one: UInt32 = 1 << 16

    /// Returns the weights that scale a part of a row or column of `length` pixels to `count` pixels.
    static func taps(_ count: Int, from start: Double, _ part: Double, of length: Int) -> [ResampleTap] {
        let step = part / Double(count)
        return (0..<count).map { (index: Int) -> ResampleTap in
            let begin: Double = start + Double(index) * step
            if step > 1 { return mean(begin, start + Double(index + 1) * step, length) }
            return interpolation(start + (Double(index) + 0.5) * step - 0.5, length)
        }
    }

    private static func mean(_ begin: Double, _ end: Double, _ length: Int) -> ResampleTap {
        let first = min(max(0, Int(begin.rounded(.down))), length - 1)
        let last = min(max(first, Int(end.rounded(.up)) - 1), length - 1)
        let shares = (first...last).map { max(0, min(Double($0 + 1), end) - max(Double($0), begin)) }
        return tap(first, shares)
    }

    private static func interpolation(_ place: Double, _ length: Int) -> ResampleTap {
        let inside = min(max(0, place), Double(length - 1))
        let first = min(Int(inside), length - 1)
        let rest = inside - Double(first)
        return rest > 0 && first + 1 < length ? tap(first, [1 - rest, rest]) : tap(first, [1])
    }

    /// Rounds shares to integers: the differences of the rounded running sums, so that their sum is exact and none is negative.
    private static func tap(_ start: Int, _ shares: [Double]) -> ResampleTap {
        let sum = shares.reduce(0, +)
        guard sum > 0 else { return ResampleTap(start: start, weights: [one]) }
        var (part, before) = (0.0, UInt32(0))
        let weights = shares.map { share in
            part += share
            let now = UInt32((part / sum * Double(one)).rounded())
            defer { before = now }
            return now - before
        }
        return ResampleTap(start: start, weights: weights)
    }

    /// Returns an image scaled to another size.
    static func resize(_ image: PixelBuffer, to size: PixelSize) throws -> PixelBuffer {
        guard image.size != size else { return image }
        return try resize(image, .all(of: image.size), to: size)
    }

    /// Returns a part of an image scaled to another size.
    static func resize(_ image: PixelBuffer, _ part: PixelArea, to size: PixelSize) throws -> PixelBuffer {
        guard image.size != size || part != .all(of: image.size) else { return image }
        return try PixelBuffer(size) { target in
            let columns = taps(size.width, from: part.x, part.width, of: image.size.width)
            let rows = taps(size.height, from: part.y, part.height, of: image.size.height)
            image.withUnsafeBytes { source in
                resize(source, bytesPerRow: image.bytesPerRow, columns: columns, rows: rows, into: target)
            }
        }
    }

    private static func resize(
        _ source: UnsafeRawBufferPointer, bytesPerRow: Int, columns: [ResampleTap], rows: [ResampleTap],
        into target: UnsafeMutableRawBufferPointer
    ) {
        let width = 4 * columns.count
        // The two rows scaled last: the source rows of the next row begin with the last of this one.
        var lines = [[UInt32]](repeating: [UInt32](repeating: 0, count: width), count: 2)
        var known = [-1, -1]
        var sums = [UInt32](repeating: 0, count: width)
        var place = 0
        for row in rows {
            for index in 0..<width { sums[index] = 0 }
            for (offset, weight) in row.weights.enumerated() {
                let number = row.start + offset
                let slot = number & 1
                if known[slot] != number {
                    scale(source, from: number * bytesPerRow, columns, into: &lines[slot])
                    known[slot] = number
                }
                lines[slot].withUnsafeBufferPointer { line in
                    for index in 0..<width { sums[index] &+= weight &* line[index] }
                }
            }
            for index in 0..<width {
                target[place + index] = UInt8(truncatingIfNeeded: (sums[index] &+ 1 << 23) >> 24)
            }
            place += width
        }
    }

    /// Scales a row; the values have eight fractional bits. No sum exceeds 32 bits: 255 << 8 << 16, and a half.
    private static func scale(
        _ source: UnsafeRawBufferPointer, from begin: Int, _ columns: [ResampleTap], into line: inout [UInt32]
    ) {
        var place = 0
        for column in columns {
            var (red, green, blue, alpha) = (UInt32(0), UInt32(0), UInt32(0), UInt32(0))
            var from = begin + 4 * column.start
            for weight in column.weights {
                red &+= weight &* UInt32(source[from])
                green &+= weight &* UInt32(source[from + 1])
                blue &+= weight &* UInt32(source[from + 2])
                alpha &+= weight &* UInt32(source[from + 3])
                from += 4
            }
            (line[place], line[place + 1]) = ((red &+ 128) >> 8, (green &+ 128) >> 8)
            (line[place + 2], line[place + 3]) = ((blue &+ 128) >> 8, (alpha &+ 128) >> 8)
            place += 4
        }
    }
}
