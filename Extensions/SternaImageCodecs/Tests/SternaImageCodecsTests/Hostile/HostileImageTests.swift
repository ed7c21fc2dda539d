import NIOCore
import Sterna
import SternaImageCodecs
import SternaImages
import SternaPlatform
import SternaTesting
import Testing

@Suite("Hostile images", .timeLimit(.minutes(3))) struct HostileImageTests {
    /// Files that promise huge images in at most a kilobyte.
    static var huge: [[UInt8]] {
        var png = PNGSample(width: 100_000, height: 100_000, rows: [[1, 2, 3]])
        png.isInterlaced = true
        // The dimensions of a small image are replaced.
        var jpeg = Samples.jpeg(8, 8) { _, _ in [1, 2, 3] }
        for place in jpeg.indices.dropLast(9) where jpeg[place] == 0xFF && jpeg[place + 1] == 0xC0 {
            jpeg.replaceSubrange(place + 5..<place + 9, with: [0xFF, 0xDC, 0xFF, 0xDC])
        }
        var progressive = Samples.jpeg(8, 8, progressive: true) { _, _ in [1, 2, 3] }
        for place in progressive.indices.dropLast(9) where progressive[place] == 0xFF && progressive[place + 1] == 0xC2
        {
            progressive.replaceSubrange(place + 5..<place + 9, with: [0x27, 0x10, 0x27, 0x10])
        }
        let webp = WebPSample.animation([], 1 << 24, 1 << 7, delay: 1, loops: 0)
        let gif = GIFSample(width: 65_535, height: 65_535, frames: [.init(width: 1, height: 1, indexes: [0])])
        let frame = GIFSample(width: 1, height: 1, frames: [.init(width: 65_535, height: 65_535, indexes: [0])])
        return [
            png.file, PNGSample(width: 100_000, height: 100_000, depth: 16, rows: []).file, jpeg, progressive, webp,
            gif.file,
            frame.file,
        ]
    }

    @Test("Huge images in a kilobyte are refused, in little memory and time")
    func bounded() async {
        for file in Self.huge { #expect(!file.isEmpty && file.count <= 1_024) }
        // In a process of its own, whose memory nothing else uses.
        await #expect(processExitsWith: .success) {
            let files = HostileImageTests.huge
            let before = HostileImageTests.mostMemory()
            let clock = ContinuousClock()
            let time = clock.measure {
                for file in files {
                    for target in [nil, ImageTarget.fit(width: 10, height: 10)] {
                        for allowsPartial in [false, true] {
                            var options = ImageDecodingOptions()
                            (options.target, options.allowsPartialImages) = (target, allowsPartial)
                            let result = Result { try ImageCodecs().decode(Bytes(bytes: file), options: options) }
                            #expect(throws: SternaError.self) { try result.get() }
                        }
                    }
                }
            }
            // The progressive image of 10,000 × 10,000 is within the limit on pixels; its coefficients are not within that on memory.
            let used = HostileImageTests.mostMemory() - before
            #expect(used < 64 << 10, "\(used) KiB")
            #expect(time < .seconds(10), "\(time)")
        }
    }

    /// The most memory that this process has used, in KiB.
    static func mostMemory() -> Int {
        guard let text = try? String(decoding: Data(contentsOf: URL(filePath: "/proc/self/status")), as: UTF8.self),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return 0 }
        return Int(line.filter(\.isNumber)) ?? 0
    }

    @Test("The bytes tell the format, not the media type; what is no image is refused")
    func mislabelled() async throws {
        let png = PNGSample.rgba(1, 1) { _, _ in [1, 2, 3, 255] }.file
        let mock = MockTransport { request in
            let body = request.url.path == "/png" ? png : Array("<html>".utf8)
            return .bytes(Bytes(bytes: body), mediaType: "image/jpeg")
        }
        let session = try Session(baseURL: "https://example.com") { $0.network.transport = mock }
        let images = ImageDownloader(session: session, decoder: ImageCodecs())
        #expect(try await images.image("png").format == .png)
        let error = await #expect(throws: SternaError.self) { try await images.image("page") }
        #expect(error?.kind == .decodingFailed)
        #expect(throws: SternaError.self) { try Samples.decode(png, by: JPEGDecoder()) }
        #expect(throws: SternaError.self) { try Samples.decode(png, by: WebPDecoder()) }
        #expect(throws: SternaError.self) { try Samples.decode(png, by: GIFDecoder()) }
    }

    @Test("Several threads decode at the same time")
    func concurrent() async throws {
        let files = [
            PNGSample.rgba(9, 9) { x, y in [UInt8(x), UInt8(y), 7, 255] }.file,
            Samples.jpeg(20, 20) { x, y in [UInt8(x), UInt8(y), 9] },
            Samples.webp(9, 9) { x, y in [UInt8(x), UInt8(y), 7, 255] },
            GIFSample(width: 2, height: 1, frames: [.init(width: 2, height: 1, indexes: [1, 2])]).file,
        ]
        let expected = try files.map { try Samples.decode($0).pixels }
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    let image = try Samples.decode(files[number % 4])
                    #expect(image.pixels == expected[number % 4])
                }
            }
            try await group.waitForAll()
        }
    }
}
