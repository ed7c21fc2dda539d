import Dispatch
import NIOCore
import Sterna
import SternaCore
import SternaTesting
import Synchronization
import Testing

@testable import SternaImages
@testable import SternaTestSupport

@Suite("Image response serializer") struct ImageResponseSerializerTests {
    private func session(_ file: [UInt8], type: String = "image/png") throws -> Session {
        let mock = MockTransport { _ in .bytes(Bytes(bytes: file), mediaType: type) }
        return try Session(baseURL: "https://example.com") { $0.network.transport = mock }
    }

    @Test("An image is decoded once, with the response, at its scale")
    func inflated() async throws {
        let decoder = TestDecoder()
        let serializer = ImageResponseSerializer(decoder: decoder, imageScale: 2)
        let reply = try await session(TestImages.file(4, 2, Pixel(1, 2, 3))).get("a") {
            $0.responseSerializer = serializer
        }
        let response = try await reply.value(by: serializer)
        let image = try await response.image()
        #expect(response.isInflated && image.scale == 2 && image.size == ImageSize(width: 2, height: 1))
        #expect(try await response.image().color == Pixel(1, 2, 3) && decoder.decodedCount == 1)
        #expect(response.format == nil && serializer.imageScale == 2 && response.file.count == 12)
    }

    @Test("An image is not decoded on the caller's actor, however small the file is")
    @MainActor func elsewhere() async throws {
        let hasRun = DispatchSemaphore(value: 0)
        let isFree = Mutex(false)
        // While it decodes, the actor runs other work.
        let decoder = TestDecoder { isFree.withLock { $0 = hasRun.wait(timeout: .now() + 60) == .success } }
        let serializer = ImageResponseSerializer(decoder: decoder)
        let reply = try await session(TestImages.file(1, 1, Pixel(1, 2, 3))).get("a") {
            $0.responseSerializer = .imageData
        }
        Task { @MainActor in hasRun.signal() }
        _ = try await reply.value(by: serializer)
        #expect(isFree.withLock { $0 })
    }

    @Test("Without inflation an image is decoded on demand, each time; damage is found only then")
    func deferred() async throws {
        let decoder = TestDecoder()
        var serializer = ImageResponseSerializer(decoder: decoder, automaticallyInflatesResponseImage: false)
        serializer.options.target = .fit(width: 2, height: 2)
        let reply = try await session(TestImages.file(4, 2, Pixel(1, 2, 3))).get("a") {
            $0.responseSerializer = .imageData
        }
        let response = try await reply.value(by: serializer)
        #expect(!response.isInflated && decoder.decodedCount == 0)
        try await expectEqual(response.image().pixelSize, PixelSize(width: 2, height: 1))
        #expect(try await response.image().sourceSize == PixelSize(width: 4, height: 2) && decoder.decodedCount == 2)
        let damaged = try await session(Array("SIMG".utf8)).get("a") { $0.responseSerializer = .imageData }
        let lazy = try await damaged.value(by: serializer)
        #expect(throws: SternaError.self) { try lazy.image() }
        serializer.automaticallyInflatesResponseImage = true
        let error = #expect(throws: SternaError.self) { try damaged.value(by: serializer) }
        #expect(error?.kind == .decodingFailed && error?.response?.status == .ok)
    }

    @Test("Wrong media types, empty bodies and exceeded limits are errors")
    func errors() async throws {
        var serializer = ImageResponseSerializer(decoder: TestDecoder())
        serializer.options.limits.bytes = 10
        for (file, type, kind) in [
            (TestImages.file(1, 1, Pixel(0, 0, 0)), "text/html", .unacceptableMediaType),
            ([], "image/png", .decodingFailed),
            (TestImages.file(1, 1, Pixel(0, 0, 0)), "image/webp", .limitExceeded),
        ] as [([UInt8], String, SternaError.Kind)] {
            let reply = try await session(file, type: type).get("a") { $0.responseSerializer = .data }
            let error = #expect(throws: SternaError.self) { try reply.value(by: serializer) }
            expectEqual(error?.kind, kind)
        }
    }
}
