import Sterna
import SternaCore
import SternaTesting
import Testing

@testable import SternaImages
@testable import SternaTestSupport

@Suite("Abandoned transfers", .timeLimit(.minutes(3))) struct AbandonedTransferTests {
    @Test("A small abandoned transfer finishes, and its image is cached: the next request needs no transfer")
    func finishes() async throws {
        try await ImageScene.with { scene in
            let cache = AutoPurgingImageCache(pressure: nil)
            let images = scene.downloader(cache: cache)
            let request = ImageRequest("held/1", filter: CircleFilter())
            let receipt = images.download(request)
            try await scene.server.waitForRequests(1)
            receipt.cancel()
            // A new receiver joins the abandoned transfer.
            let again = images.download(request)
            again.cancel()
            expectEqual(images.activeDownloads, 1)
            scene.gate.open()
            let next = images.download(request)
            try await expectEqual(next.image.pixelSize, PixelSize(width: 4, height: 4))
            #expect(scene.server.requestCount == 1 && cache.count == 1 && scene.decoder.decodedCount == 1)
        }
    }

    @Test("An abandoned transfer is cancelled after its grace, and the next transfer begins")
    func grace() async throws {
        try await ImageScene.with { scene in
            let images = scene.downloader { $0.maximumActiveDownloads = 1 }
            let receipt = images.download(ImageRequest("held/1"))
            try await scene.server.waitForRequests(1)
            let waiting = images.download(ImageRequest("image/2"))
            receipt.cancel()
            await scene.time.advance(by: .milliseconds(999))
            #expect(scene.server.requestCount == 1 && images.activeDownloads == 1)
            await scene.time.advance(by: .milliseconds(2))
            try await expectEqual(waiting.image.color, TestImages.color(2))
            // The request has a transfer of its own now.
            let again = images.download(ImageRequest("held/1"))
            try await scene.server.waitForRequests(3)
            scene.gate.open()
            _ = try await again.image
            expectEqual(scene.targets, ["/held/1", "/image/2", "/held/1"])
        }
    }

    @Test("A large abandoned transfer is cancelled as soon as its length is known")
    func large() async throws {
        try await ImageScene.with { scene in
            let ended = ImageLog<Bool>()
            scene.server.route("GET", "/large") { [gate = scene.gate] _ in
                ServerResponse(
                    headers: ["Content-Type": "image/png"],
                    body: .stream(length: 1 << 20) { writer in
                        await gate.wait()
                        do {
                            for _ in 0..<1 << 10 { try await writer.write([UInt8](repeating: 1, count: 1 << 10)) }
                            ended.add(true)
                        } catch {
                            ended.add(false)
                            throw error
                        }
                    })
            }
            let images = scene.downloader { $0.maximumActiveDownloads = 1 }
            let receipt = images.download(ImageRequest("large"))
            try await scene.server.waitForRequests(1)
            receipt.cancel()
            scene.gate.open()
            try await expectEqual(images.image("image/2").color, TestImages.color(2))
            await ended.wait(for: 1)
            expectEqual(scene.server.requestCount, 2)
        }
    }

    @Test("Without a memory cache, or by the options, an abandoned transfer is cancelled at once")
    func atOnce() async throws {
        try await ImageScene.with { scene in
            let both = [scene.downloader(cache: nil), scene.downloader { $0.abandonedTransfers = .cancel }]
            for (index, images) in both.enumerated() {
                let receipt = images.download(ImageRequest("held/1"))
                try await scene.server.waitForRequests(index + 1)
                receipt.cancel()
                try await scene.server.waitForOpenConnections(0)
            }
        }
    }
}
