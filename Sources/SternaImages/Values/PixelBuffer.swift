import SternaCore
import SternaPlatform

/// The memory of pixels, released with the object.
// Invariant: the bytes are written before the object is shared, in `PixelBuffer.init`, and only read afterwards.
public final class PixelMemory: @unchecked Sendable {
    private let base: UnsafeMutableRawPointer
    private let count: Int

    /// Returns nil if the system has no memory left.
    fileprivate init?(count: Int) {
        guard count > 0, let base = calloc(count, 1) else { return nil }
        (self.base, self.count) = (base, count)
    }

    deinit { free(base) }

    /// The bytes, valid while the object lives. For toolkits that take a pointer and can keep the object as long.
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    fileprivate var mutableBytes: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: base, count: count)
    }
}

/// Pixels in sRGB: red, green, blue and alpha, a byte each, with colours premultiplied by alpha. Rows follow each other from the
/// top without gaps. A value whose copies share their memory.
public struct PixelBuffer: Sendable {
    /// The width and height in pixels, at least 1 each.
    public let size: PixelSize

    /// The memory of the pixels.
    public let memory: PixelMemory

    /// Creates pixels that a closure writes. They are transparent before. If the closure throws, its error is passed on.
    ///
    /// Throws `limitExceeded` for a size without pixels, or if memory cannot be allocated.
    public init(
        _ size: PixelSize, write: (UnsafeMutableRawBufferPointer) throws -> Void = { _ in }
    ) throws {
        guard let count = size.byteCount, let memory = PixelMemory(count: count) else {
            throw SternaError(
                .limitExceeded, phase: .decode, "There is no memory for an image of \(size) pixels; show it smaller.")
        }
        try write(memory.mutableBytes)
        (self.size, self.memory) = (size, memory)
    }

    /// Creates pixels from rows from the top. Throws `invalidRequest` if their number does not match the size.
    public init(_ size: PixelSize, _ pixels: some Collection<Pixel>) throws {
        guard pixels.count == size.area else {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "\(pixels.count) pixels are no image of \(size); pass one for each place.")
        }
        try self.init(size) { bytes in
            var place = 0
            for pixel in pixels {
                (bytes[place], bytes[place + 1], bytes[place + 2], bytes[place + 3]) =
                    (pixel.red, pixel.green, pixel.blue, pixel.alpha)
                place += 4
            }
        }
    }

    /// The length of a row in bytes.
    public var bytesPerRow: Int { 4 * size.width }

    /// The length of all rows in bytes.
    public var byteCount: Int { memory.bytes.count }

    /// Calls a closure with the bytes, which are valid until it returns.
    public func withUnsafeBytes<R>(_ read: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try withExtendedLifetime(memory) { try read(memory.bytes) }
    }

    /// Returns the pixel at a position, counted from 0 at the upper left; nil outside of the image.
    public func pixel(x: Int, y: Int) -> Pixel? {
        guard (0..<size.width).contains(x), (0..<size.height).contains(y) else { return nil }
        let place = 4 * (y * size.width + x)
        return withUnsafeBytes { Pixel($0[place], $0[place + 1], $0[place + 2], $0[place + 3]) }
    }

    /// All pixels, row by row from the top; for tests and small images.
    public var pixels: [Pixel] {
        withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 4).map {
                Pixel(bytes[$0], bytes[$0 + 1], bytes[$0 + 2], bytes[$0 + 3])
            }
        }
    }
}

extension PixelBuffer: Hashable {
    /// Returns whether both have the same size and pixels.
    public static func == (one: PixelBuffer, other: PixelBuffer) -> Bool {
        guard one.size == other.size else { return false }
        if one.memory === other.memory { return true }
        return one.withUnsafeBytes { first in
            other.withUnsafeBytes { second in
                guard let left = first.baseAddress, let right = second.baseAddress else { return false }
                return memcmp(left, right, first.count) == 0
            }
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(size)
        withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0.prefix(256))) }
    }
}

extension PixelBuffer: CustomReflectable, CustomStringConvertible {
    public var customMirror: Mirror { Mirror(self, children: ["size": size], displayStyle: .struct) }

    public var description: String { "\(size) pixels" }
}
