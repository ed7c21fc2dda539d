import CodecMutations
import NIOCore
import Sterna
import SternaImages
import Testing

@testable import SternaImageCodecs

/// Decodes a mutated file in several ways.
private func decode(_ bytes: [UInt8], by decoder: any ImageDecoding) throws -> MutationOutcome {
    var options = ImageDecodingOptions()
    options.limits.pixels = 1 << 18
    options.limits.memory = 8 << 20
    options.limits.frames = 20
    var outcome = MutationOutcome.refused
    for (target, allowsPartial) in [(nil, false), (ImageTarget.fit(width: 5, height: 5), true)] {
        (options.target, options.allowsPartialImages) = (target, allowsPartial)
        do {
            let image = try decoder.decode(Bytes(bytes: bytes), options: options)
            guard image.pixels.pixels.allSatisfy({ max($0.red, $0.green, $0.blue) <= $0.alpha }) else {
                throw MutationFailure("A colour is above its alpha.")
            }
            if let target, image.pixelSize.width > 5 || image.pixelSize.height > 5 {
                throw MutationFailure("\(image.pixelSize) for \(target)")
            }
            if let animation = image.animation {
                for index in [1, animation.frameCount - 1, 0] {
                    guard let frame = try? animation.pixels(of: index) else { continue }
                    guard frame.size == image.pixelSize else { throw MutationFailure("A frame of another size.") }
                }
            }
            outcome = .accepted
        } catch let error as SternaError {
            guard [.decodingFailed, .limitExceeded].contains(error.kind) else { throw error }
        }
    }
    return outcome
}

@Suite("Mutations: PNG") struct PNGMutationTests {
    static let reader: MutatedReader = {
        var interlaced = PNGSample(
            width: 4, height: 4, colorType: 0, isInterlaced: true, rows: [[0], [2], [20, 22], [1, 3], [21, 23]])
        interlaced.rows += [[10, 11, 12, 13], [30, 31, 32, 33]]
        var colored = PNGSample.rgba(3, 2) { x, y in [UInt8(x), UInt8(y), 7, 128] }
        colored.chunks = [
            ("iCCP", Array("x\0\0".utf8) + PNGSample.stored(Samples.swappedProfile)), ("eXIf", Samples.exif(6)),
        ]
        let palette = PNGSample(
            width: 4, height: 1, depth: 2, colorType: 3,
            chunks: [("PLTE", [9, 8, 7, 1, 2, 3, 255, 255, 255]), ("tRNS", [255, 0])],
            rows: [[0b00_01_10_00]])
        return MutatedReader(
            "PNG", seeds: [interlaced.file, colored.file, palette.file],
            tokens: ["IHDR", "PLTE", "IDAT", "IEND", "tRNS", "iCCP", "eXIf", "sRGB", "gAMA", "zTXt"].map {
                Array($0.utf8)
            }
        ) { try decode($0, by: PNGDecoder()) }
    }()

    @Test("No mutated file ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await PNGMutationTests.reader.run() }
        }
        #expect(report.failure == nil, "\(report)")
    }
}

@Suite("Mutations: JPEG") struct JPEGMutationTests {
    static let reader = MutatedReader(
        "JPEG",
        seeds: [
            Samples.jpeg(17, 9) { x, y in [UInt8(15 * x), UInt8(20 * y), 0] },
            Samples.jpeg(16, 16, progressive: true, exif: Samples.exif(5)) { x, y in [UInt8(15 * x), UInt8(15 * y), 9]
            },
            Samples.jpeg(9, 8, components: 4, profile: Samples.swappedProfile) { _, _ in [1, 2, 3, 4] },
            Samples.jpeg(8, 8, components: 1) { x, _ in [UInt8(x)] },
        ],
        tokens: [
            [0xFF, 0xD8], [0xFF, 0xD9], [0xFF, 0xC0], [0xFF, 0xC2], [0xFF, 0xC4], [0xFF, 0xDA], [0xFF, 0xDB],
            [0xFF, 0xDD],
            [0xFF, 0xD0], [0xFF, 0xE1], [0xFF, 0xE2], [0xFF, 0xEE], [0xFF, 0], Array("ICC_PROFILE\0".utf8),
            Array("Adobe".utf8),
        ]
    ) { try decode($0, by: JPEGDecoder()) }

    @Test("No mutated file ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await JPEGMutationTests.reader.run() }
        }
        #expect(report.failure == nil, "\(report)")
    }
}

@Suite("Mutations: WebP") struct WebPMutationTests {
    static let reader: MutatedReader = {
        let lossless = Samples.webp(9, 7) { x, y in [UInt8(20 * x), UInt8(30 * y), 0, UInt8(255 - x)] }
        let lossy = Samples.webp(17, 9, quality: 50) { x, y in [UInt8(10 * x), UInt8(20 * y), 0, UInt8(255 - y)] }
        let frame = Samples.webp(4, 4) { _, _ in [1, 2, 3, 255] }
        return MutatedReader(
            "WebP",
            seeds: [
                lossless, lossy, WebPSample.animation([frame, frame, frame], 4, 4, delay: 9, loops: 0),
                WebPSample.extended(lossless, 9, 7, profile: Samples.swappedProfile, exif: Samples.exif(7)),
            ],
            tokens: ["RIFF", "WEBP", "VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP", "EXIF"].map {
                Array($0.utf8)
            }
        ) { try decode($0, by: WebPDecoder()) }
    }()

    @Test("No mutated file ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await WebPMutationTests.reader.run() }
        }
        #expect(report.failure == nil, "\(report)")
    }
}

@Suite("Mutations: GIF") struct GIFMutationTests {
    static let reader = MutatedReader(
        "GIF",
        seeds: [
            GIFSample(
                width: 3, height: 2, frames: [.init(width: 3, height: 2, transparent: 2, indexes: [0, 1, 2, 3, 0, 1])]
            ).file,
            GIFSample(
                width: 4, height: 4, loops: 0,
                frames: [
                    .init(width: 4, height: 4, delay: 3, disposal: 3, indexes: [UInt8](repeating: 1, count: 16)),
                    .init(
                        left: 1, top: 1, width: 2, height: 3, disposal: 2, isInterlaced: true,
                        indexes: [0, 1, 2, 3, 0, 1]),
                    .init(width: 1, height: 1, indexes: [3]),
                ]
            ).file,
        ],
        tokens: [
            Array("GIF89a".utf8), Array("NETSCAPE2.0".utf8), [0x21, 0xF9, 4], [0x21, 0xFF, 11], [0x2C], [0x3B],
            [0xFF, 0xFF], [0],
        ]
    ) { try decode($0, by: GIFDecoder()) }

    @Test("No mutated file ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await GIFMutationTests.reader.run() }
        }
        #expect(report.failure == nil, "\(report)")
    }
}

@Suite("Mutations: EXIF") struct ExifMutationTests {
    static let reader = MutatedReader(
        "EXIF", seeds: [Samples.exif(6), Samples.exif(3, bigEndian: false), Array("Exif\0\0".utf8) + Samples.exif(1)],
        tokens: [
            [0x4D, 0x4D, 0, 0x2A], [0x49, 0x49, 0x2A, 0], [0x01, 0x12], [0x12, 0x01], [0xFF, 0xFF, 0xFF, 0xFF],
        ]
    ) { bytes in
        _ = ExifOrientation.read(bytes)
        return .accepted
    }

    @Test("No mutated data ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await ExifMutationTests.reader.run() }
        }
        #expect(report.failure == nil, "\(report)")
    }
}
