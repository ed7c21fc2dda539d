import SternaCore
import SternaImages
import Testing

@testable import SternaTestSupport

@Suite("Limits of images") struct ImageLimitTests {
    private func kind(_ check: () throws -> Void) -> SternaError.Kind? {
        do {
            try check()
            return nil
        } catch {
            return (error as? SternaError)?.kind
        }
    }

    @Test("Bytes, pixels, frames and memory are accepted up to their limits")
    func limits() {
        var limits = ImageLimits()
        (limits.bytes, limits.pixels, limits.frames, limits.memory) = (10, 20, 3, 100)
        expectNil(kind { try limits.check(bytes: 10) })
        expectEqual(kind { try limits.check(bytes: 11) }, .limitExceeded)
        expectNil(kind { try limits.check(size: PixelSize(width: 5, height: 4)) })
        expectEqual(kind { try limits.check(size: PixelSize(width: 7, height: 3)) }, .limitExceeded)
        expectEqual(kind { try limits.check(size: PixelSize(width: .max, height: .max)) }, .limitExceeded)
        expectEqual(kind { try limits.check(size: PixelSize(width: 0, height: 3)) }, .decodingFailed)
        expectEqual(kind { try limits.check(size: PixelSize(width: 2, height: -1)) }, .decodingFailed)
        expectNil(kind { try limits.check(frames: 3) })
        expectEqual(kind { try limits.check(frames: 4) }, .limitExceeded)
        expectNil(kind { try limits.check(memory: 60, 40) })
        expectEqual(kind { try limits.check(memory: 60, 41) }, .limitExceeded)
        expectEqual(kind { try limits.check(memory: 1, .max) }, .limitExceeded)
        expectEqual(kind { try limits.check(memory: nil) }, .limitExceeded)
    }

    @Test("The error names the limit, the amount, and what to do")
    func message() throws {
        let error = try #require(throws: SternaError.self) {
            try ImageLimits().check(size: PixelSize(width: 100_000, height: 100_000))
        }
        expectEqual(
            error.detail,
            "The image has 100000 × 100000 pixels; the limit is 100000000 pixels. Raise it in ImageLimits if you trust the server."
        )
    }
}

@Suite("The decoded size of an image") struct ImageTargetTests {
    @Test(
        "The size is never larger than the image, has at least one pixel, and covers a target to fill",
        arguments: [
            ((4_000, 3_000), ImageTarget.fit(width: 300, height: 300), (300, 225)),
            ((4_000, 3_000), .fill(width: 300, height: 300), (400, 300)),
            ((3_000, 4_000), .fill(width: 300, height: 300), (300, 400)),
            ((100, 50), .fill(width: 300, height: 300), (100, 50)),
            ((100, 50), .fit(width: 100, height: 300), (100, 50)),
            ((1_000, 1), .fit(width: 10, height: 10), (10, 1)), ((1_000, 999), .fit(width: 10, height: 10), (10, 10)),
            ((333, 100), .fill(width: 100, height: 33), (110, 33)), ((100, 50), .fit(width: 0, height: 9), (100, 50)),
            ((0, 50), .fit(width: 5, height: 9), (0, 50)), ((1_000, 500), .fill(width: 500, height: 1), (500, 250)),
        ])
    func sizes(_ source: (Int, Int), _ target: ImageTarget, _ decoded: (Int, Int)) {
        let size = target.decodedSize(of: PixelSize(width: source.0, height: source.1))
        expectEqual(size, PixelSize(width: decoded.0, height: decoded.1))
    }

    @Test(
        "JPEG is decoded at the fewest eighths that cover the target",
        arguments: [
            ((4_000, 3_000), (400, 300), 1), ((4_000, 3_000), (500, 375), 1), ((4_000, 3_000), (501, 376), 2),
            ((100, 100), (100, 100), 8), ((100, 100), (88, 88), 7), ((9, 9), (2, 2), 1), ((9, 9), (3, 3), 2),
            ((1, 1), (1, 1), 1),
            ((10, 10), (50, 50), 8), ((.max, .max), (1, 1), 1),
        ])
    func eighths(_ source: (Int, Int), _ decoded: (Int, Int), _ eighths: Int) {
        let found = ImageTarget.eighths(
            of: PixelSize(width: source.0, height: source.1), covering: PixelSize(width: decoded.0, height: decoded.1))
        expectEqual(found, eighths)
    }
}

@Suite("A list of decoders") struct ImageDecoderListTests {
    @Test("The first decoder that accepts a file decodes it; the error names the actual format")
    func choice() throws {
        let (first, second) = (TestDecoder(), TestDecoder())
        let list = ImageDecoderList([first, second])
        let image = try list.decode(
            Bytes(copying: TestImages.file(2, 1, Pixel(1, 2, 3))), options: ImageDecodingOptions())
        #expect(
            image.pixels.pixels == [Pixel(1, 2, 3), Pixel(1, 2, 3)] && first.decodedCount == 1
                && second.decodedCount == 0)
        #expect(list.formats == [TestImages.format] && list.accepts(firstBytes: Array("SIMG".utf8)))
        for (file, what) in [
            ("", "The file is empty."), ("<html>", "The file is not an image of a known format."),
            ("GIF89a", "The file is an image of the format gif, for which there is no decoder."),
        ] {
            let error = try #require(throws: SternaError.self) {
                try list.decode(Bytes(text: file), options: ImageDecodingOptions())
            }
            #expect(error.kind == .decodingFailed && error.detail == "\(what) Supported formats: simg.")
        }
    }

    @Test("The limit on bytes is checked before a decoder is tried")
    func bytes() throws {
        let decoder = TestDecoder()
        var options = ImageDecodingOptions()
        options.limits.bytes = 11
        let error = try #require(throws: SternaError.self) {
            try ImageDecoderList([decoder]).decode(
                Bytes(copying: TestImages.file(2, 1, Pixel(1, 2, 3))), options: options)
        }
        #expect(error.kind == .limitExceeded && decoder.decodedCount == 0)
    }
}
