import NIOCore
import SternaCore
import SternaImages
import SternaTesting
import Synchronization

/// Images in a format of the tests' own: `SIMG`, width and height in two bytes each, and the colour of all pixels.
enum TestImages {
    static let format = ImageFormat(rawValue: "simg")

    static func file(_ width: Int, _ height: Int, _ color: Pixel) -> [UInt8] {
        Array("SIMG".utf8) + [
            UInt8(width >> 8), UInt8(width & 255), UInt8(height >> 8), UInt8(height & 255), color.red, color.green,
            color.blue, color.alpha,
        ]
    }

    /// A colour that stands for a number.
    static func color(_ number: Int) -> Pixel { Pixel(UInt8(number >> 8 & 255), UInt8(number & 255), 7) }

    static func image(_ width: Int, _ height: Int, _ color: Pixel = Pixel(9, 9, 9)) throws -> DecodedImage {
        let size = PixelSize(width: width, height: height)
        return DecodedImage(try PixelBuffer(size, repeatElement(color, count: width * height)))
    }

    static func response(_ file: [UInt8], headers: ServerHeaders = [:]) -> ServerResponse {
        .bytes(file, mediaType: "image/png", headers: headers)
    }
}

/// Decodes the tests' own format, and counts the decoded files.
final class TestDecoder: ImageDecoding {
    private let count = Mutex(0)
    private let held: (@Sendable () -> Void)?

    /// - Parameter held: called before a file is decoded, on the thread that decodes it.
    init(held: (@Sendable () -> Void)? = nil) { self.held = held }

    var decodedCount: Int { count.withLock { $0 } }

    let formats: Set<ImageFormat> = [TestImages.format]

    func accepts(firstBytes: [UInt8]) -> Bool { firstBytes.starts(with: "SIMG".utf8) }

    func decode(_ file: Bytes, options: ImageDecodingOptions) throws -> DecodedImage {
        held?()
        count.withLock { $0 += 1 }
        let bytes = file.array
        guard bytes.count == 12, accepts(firstBytes: bytes) else {
            throw SternaError(.decodingFailed, phase: .decode, "No SIMG.")
        }
        let source = PixelSize(
            width: Int(bytes[4]) << 8 | Int(bytes[5]), height: Int(bytes[6]) << 8 | Int(bytes[7]))
        try options.limits.check(size: source)
        let size = options.target?.decodedSize(of: source) ?? source
        try options.limits.check(memory: size.byteCount)
        let color = Pixel(bytes[8], bytes[9], bytes[10], bytes[11])
        let pixels = try PixelBuffer(size, repeatElement(color, count: size.area ?? 0))
        return DecodedImage(pixels, scale: options.scale, format: TestImages.format, sourceSize: source)
    }
}

/// Collects values, and waits for them.
final class ImageLog<Entry: Sendable>: Sendable {
    private let entries = Mutex<[Entry]>([])
    private let (stream, signal) = AsyncStream<Void>.makeStream()

    var all: [Entry] { entries.withLock { $0 } }

    func add(_ entry: Entry) {
        entries.withLock { $0.append(entry) }
        signal.yield()
    }

    /// Waits for a number of values; one reader at a time.
    func wait(for count: Int) async {
        var signals = stream.makeAsyncIterator()
        while all.count < count { await signals.next() }
    }
}
