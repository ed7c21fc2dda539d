import Dispatch
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaImages
@testable import SternaTestSupport

@Suite("Image downloader", .timeLimit(.minutes(3))) struct ImageDownloaderTests {
    @Test("An image is fetched once, then served from memory; the request accepts the decoder's formats")
    func memory() async throws {
        try await ImageScene.with { scene in
            let images = scene.downloader()
            let first = try await images.image("image/7")
            #expect(first.color == TestImages.color(7) && first.pixelSize == PixelSize(width: 8, height: 4))
            let receipt = images.download(ImageRequest("image/7"))
            #expect(receipt.isFromMemory && images.cachedImage(for: ImageRequest("image/7"))?.color == first.color)
            #expect(try await receipt.image.color == first.color && scene.targets == ["/image/7"])
            expectEqual(scene.server.requests()[0].headers["Accept"], "image/simg, image/*;q=0.5")
            #expect(scene.decoder.decodedCount == 1 && images.cachedImage(for: ImageRequest("image/8")) == nil)
        }
    }

    @Test("Equal requests share a transfer, with different sizes and filters; each is decoded once")
    func sharing() async throws {
        try await ImageScene.with { scene in
            let images = scene.downloader()
            let requests =
                (0..<5).map { _ in ImageRequest("held/3") } + [
                    ImageRequest("held/3", target: .fit(width: 4, height: 4)),
                    ImageRequest("held/3", filter: CircleFilter()), ImageRequest("held/3", filter: CircleFilter()),
                    ImageRequest("held/3", scale: 2),
                ]
            let receipts = requests.map { images.download($0) }
            try await scene.server.waitForRequests(1)
            scene.gate.open()
            var sizes: [PixelSize] = []
            for receipt in receipts { sizes.append(try await receipt.image.pixelSize) }
            let (whole, fit, circle) = (
                PixelSize(width: 8, height: 4), PixelSize(width: 4, height: 2), PixelSize(width: 4, height: 4)
            )
            expectEqual(sizes, [whole, whole, whole, whole, whole, fit, circle, circle, whole])
            try await expectEqual(receipts[8].image.scale, 2)
            #expect(scene.server.requestCount == 1 && scene.decoder.decodedCount == 4)
            #expect(images.download(requests[6]).isFromMemory && images.activeDownloads == 0)
        }
    }

    @Test("Cancelling a receipt does not affect the others; each completes once, even if it is cancelled twice")
    func cancelling() async throws {
        try await ImageScene.with { scene in
            let images = scene.downloader { $0.callbacks = .queue(.global()) }
            let log = ImageLog<String>()
            let receipts = (0..<3).map { index in
                images.download(ImageRequest("held/1")) { result in
                    switch result {
                    case .success: log.add("\(index) image")
                    case .failure(let error): log.add("\(index) \(error.kind)")
                    }
                }
            }
            try await scene.server.waitForRequests(1)
            receipts[1].cancel()
            images.cancel(receipts[1])
            await log.wait(for: 1)
            scene.gate.open()
            await log.wait(for: 3)
            receipts[0].cancel()
            #expect(log.all == ["1 cancelled", "0 image", "2 image"] && scene.server.requestCount == 1)
            let error = await #expect(throws: SternaError.self) { try await receipts[1].image }
            expectEqual(error?.kind, .cancelled)
        }
    }

    @Test("At most four transfers run, in order; a cancelled waiting one is never sent")
    func order() async throws {
        for order in [DownloadPrioritization.fifo, .lifo] {
            try await ImageScene.with { scene in
                let images = scene.downloader { $0.downloadPrioritization = order }
                let receipts = (0..<4).map { images.download(ImageRequest("held/\($0)")) }
                try await scene.server.waitForRequests(4)
                var waiting = (4..<8).map { images.download(ImageRequest("image/\($0)")) }
                waiting.append(images.download(ImageRequest("image/8") { $0.priority = .high }))
                waiting.remove(at: 1).cancel()
                #expect(scene.server.requestCount == 4 && images.activeDownloads == 4)
                for receipt in receipts.dropFirst() { receipt.cancel() }
                scene.gate.open()
                for receipt in waiting { _ = try await receipt.image }
                // Four at the same time reach the server in any order.
                let later = Set(scene.targets.filter { $0.hasPrefix("/image") })
                expectEqual(later, ["/image/4", "/image/6", "/image/7", "/image/8"])
            }
        }
    }

    @Test("With one at a time, the order is exact", arguments: [DownloadPrioritization.fifo, .lifo])
    func exactOrder(_ order: DownloadPrioritization) async throws {
        try await ImageScene.with { scene in
            let images = scene.downloader { options in
                (options.downloadPrioritization, options.maximumActiveDownloads) = (order, 1)
            }
            let first = images.download(ImageRequest("held/0"))
            try await scene.server.waitForRequests(1)
            let waiting = (1...6).map { number in
                images.download(ImageRequest("image/\(number)") { $0.priority = number == 3 ? .high : .normal })
            }
            scene.gate.open()
            for receipt in [first] + waiting { _ = try await receipt.image }
            let numbers = order == .fifo ? [3, 1, 2, 4, 5, 6] : [3, 6, 5, 4, 2, 1]
            expectEqual(scene.targets, ["/held/0"] + numbers.map { "/image/\($0)" })
        }
    }

    @Test("An image that was cached while its request waited completes it without a transfer")
    func late() async throws {
        try await ImageScene.with { scene in
            let cache = AutoPurgingImageCache(pressure: nil)
            let images = scene.downloader(cache: cache) { $0.maximumActiveDownloads = 1 }
            let first = images.download(ImageRequest("held/0"))
            try await scene.server.waitForRequests(1)
            let waiting = images.download(ImageRequest("image/1"))
            let request = try images.session.request(for: RequestDraft(.get, "image/1"))
            cache.add(try TestImages.image(3, 3), for: ImageCacheKey(request))
            scene.gate.open()
            _ = try await first.image
            try await expectEqual(waiting.image.pixelSize, PixelSize(width: 3, height: 3))
            expectEqual(scene.server.requestCount, 1)
        }
    }

    @Test("Policies that require the server bypass the memory cache and replace its image; ignored ones store nothing")
    func policies() async throws {
        try await ImageScene.with { settings in
            settings.cache.store = .memory()
        } _: { scene in
            let cache = AutoPurgingImageCache(pressure: nil)
            let images = scene.downloader(cache: cache)
            _ = try await images.image("image/1") { $0.cache.policy = .ignored }
            expectEqual(cache.count, 0)
            _ = try await images.image("image/1")
            for policy in [CachePolicy.reload, .revalidate, .ignored] {
                let receipt = images.download(ImageRequest("image/1") { $0.cache.policy = policy })
                #expect(!receipt.isFromMemory)
                _ = try await receipt.image
            }
            #expect(cache.count == 1 && scene.server.requestCount == 5)
            for policy in [CachePolicy.cachedElseLoad, .cachedOnly] {
                #expect(images.download(ImageRequest("image/1") { $0.cache.policy = policy }).isFromMemory)
            }
            let error = await #expect(throws: SternaError.self) {
                try await images.image("image/2") { $0.cache.policy = .cachedOnly }
            }
            #expect(error?.status == 504 && scene.server.requestCount == 5)
        }
    }

    @Test("The session's cache keeps the files: without memory, the second image needs no server")
    func disk() async throws {
        try await ImageScene.with { settings in
            settings.cache.store = .memory()
        } _: { scene in
            let images = scene.downloader(cache: nil)
            for _ in 0..<3 {
                let image = try await images.image("image/1")
                expectEqual(image.color, TestImages.color(1))
            }
            #expect(scene.server.requestCount == 1 && scene.decoder.decodedCount == 3)
        }
    }

    @Test("Requests with other fields or methods share nothing")
    func others() async throws {
        try await ImageScene.with { scene in
            scene.server.route("POST", "/image/{number}") { _ in
                TestImages.response(TestImages.file(1, 1, TestImages.color(5)))
            }
            let images = scene.downloader()
            let token = RequestDraft(.get, "image/1", headers: ["Authorization": "Bearer a"])
            let post = RequestDraft(.post, "image/1", parameters: ["a": 1])
            for _ in 0..<2 {
                for draft in [RequestDraft(.get, "image/1"), token, post] {
                    _ = try await images.image(ImageRequest(draft))
                }
            }
            expectEqual(scene.server.requestCount, 4)
        }
    }

    @Test("Images of requests with their own credentials are not shared")
    func credentials() async throws {
        try await ImageScene.with { scene in
            let images = scene.downloader()
            for user in ["ada", "bob", "ada"] {
                var draft = RequestDraft(.get, "image/1")
                draft.settings.auth.credential = Credential(user: user, password: "secret")
                _ = try await images.image(ImageRequest(draft))
            }
            expectEqual(scene.server.requestCount, 3)
            _ = try await images.image("image/1")
            expectEqual(scene.server.requestCount, 4)
        }
    }

    @Test("Errors reach all receivers and are not cached: statuses, media types, damaged files, filters, URLs")
    func errors() async throws {
        try await ImageScene.with { scene in
            scene.server.route("GET", "/damaged") { _ in TestImages.response(Array("SIMG?".utf8)) }
            scene.server.route("GET", "/page") { _ in .text("<html>", mediaType: "text/html") }
            scene.server.route("GET", "/large") { _ in TestImages.response([UInt8](repeating: 1, count: 2_000)) }
            let images = scene.downloader { $0.decoding.limits.bytes = 1_000 }
            let broken = DynamicImageFilter("broken") { _ in throw CancellationError() }
            for (request, kind) in [
                (ImageRequest("damaged"), .decodingFailed), (ImageRequest("page"), .unacceptableMediaType),
                (ImageRequest("status/404"), .unacceptableStatus), (ImageRequest("large"), .limitExceeded),
                (ImageRequest("image/1", filter: broken), .cancelled), (ImageRequest("http://["), .invalidURL),
            ] as [(ImageRequest, SternaError.Kind)] {
                for _ in 0..<2 {
                    let receipts = [images.download(request), images.download(request)]
                    for receipt in receipts {
                        let error = await #expect(throws: SternaError.self) { try await receipt.image }
                        #expect(error?.kind == kind && images.cachedImage(for: request) == nil)
                    }
                }
            }
            let error = await #expect(throws: SternaError.self) { try await images.image("damaged") }
            #expect(error?.url?.hasSuffix("/damaged") == true && error?.response?.status == .ok)
        }
    }

    @Test("Images that the cache refuses, and those with no-store, are fetched again")
    func refused() async throws {
        try await ImageScene.with { scene in
            scene.server.route("GET", "/secret") { _ in
                TestImages.response(TestImages.file(1, 1, Pixel(1, 1, 1)), headers: ["Cache-Control": "no-store"])
            }
            let images = scene.downloader(
                cache: AutoPurgingImageCache(pressure: nil) { _, request, _ in request.url.path != "/image/1" })
            for _ in 0..<2 {
                _ = try await images.image("image/1")
                _ = try await images.image("image/2")
            }
            expectEqual(scene.targets, ["/image/1", "/image/2", "/image/1"])
            let other = scene.downloader()
            for _ in 0..<2 { _ = try await other.image("secret") }
            expectEqual(scene.server.requestCount, 5)
        }
    }

    @Test("Cancelling the Swift task cancels the request; cancelling a wait for a receipt does not")
    func tasks() async throws {
        try await ImageScene.with { scene in
            let images = scene.downloader()
            let receipt = images.download(ImageRequest("held/1"))
            let owning = Task { try await images.image("held/2") }
            let waiting = Task { try await receipt.image }
            try await scene.server.waitForRequests(2)
            owning.cancel()
            waiting.cancel()
            for task in [owning, waiting] {
                let error = await #expect(throws: SternaError.self) { try await task.value }
                expectEqual(error?.kind, .cancelled)
            }
            expectNil(receipt.result)
            scene.gate.open()
            try await expectEqual(receipt.image.color, TestImages.color(1))
        }
    }

    @Test("Progress, completions and observers of the session's tasks")
    func observing() async throws {
        try await ImageScene.with { scene in
            let images = scene.downloader { $0.callbacks = .queue(.global()) }
            let (steps, ends) = (ImageLog<TransferProgress>(), ImageLog<Bool>())
            let id = UUID()
            let receipt = images.download(ImageRequest("image/1"), receiptID: id, progress: { steps.add($0) }) {
                result in
                ends.add((try? result.get()) != nil)
            }
            await ends.wait(for: 1)
            #expect(receipt.id == id && ends.all == [true] && steps.all.last?.completed == 12)
            images.download(ImageRequest("image/1")) { result in ends.add((try? result.get()) != nil) }
            await ends.wait(for: 2)
            #expect(ends.all == [true, true] && scene.server.requestCount == 1)
        }
    }
}
