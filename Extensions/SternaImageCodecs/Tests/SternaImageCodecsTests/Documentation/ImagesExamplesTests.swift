import Dispatch
import Sterna
import SternaImageCodecs
import SternaImages
import Synchronization
import Testing

/// The examples of docs/Images.md, so that they compile and do what it says.
@MainActor @Suite("Examples: images", .timeLimit(.minutes(5)))
struct ImagesExamplesTests {
    @Test("An image")
    func image() async throws {
        try await ImageSite.with { api in

            let images = ImageDownloader(session: api, decoder: ImageCodecs())
            let image = try await images.image("photos/1.jpg", target: .fill(width: 300, height: 300))
            print(image.pixelSize, image.format as Any)

            #expect(image.pixelSize == PixelSize(width: 400, height: 300) && image.format == .jpeg)
        }
    }

    @Test("A slot")
    func slot() async throws {
        try await ImageSite.with { api in
            let images = ImageDownloader(session: api, decoder: ImageCodecs())
            let (view, placeholder) = (ExampleView(), "…")

            let slot = ImageSlot(images) { content in
                switch content {
                case .loading: view.show(placeholder)
                case .image(let image, let isFromMemory): view.show(image, fading: !isFromMemory)
                case .failed(let error): view.show(error.message)
                case .empty: view.clear()
                }
            }
            slot.set("photos/1.jpg", target: .fill(width: 300, height: 300))

            while slot.isLoading { await Task.yield() }
            #expect(view.shown == ["…", "400 × 300 fading"])
        }
    }

    @Test("Receipts and options")
    func receipts() async throws {
        try await ImageSite.with { api in

            var options = ImageDownloaderOptions()
            options.downloadPrioritization = .lifo
            options.maximumActiveDownloads = 6
            options.abandonedTransfers = .cancel
            options.decoding.limits.pixels = 20_000_000
            let images = ImageDownloader(session: api, decoder: ImageCodecs(), options: options)

            let show: @Sendable (DecodedImage) -> Void = { _ in }

            let receipt = images.download(ImageRequest("photos/1.jpg", filter: CircleFilter())) { result in
                if case .success(let image) = result { show(image) }
            }
            receipt.cancel()

            await #expect(throws: SternaError.self) { try await receipt.image }
        }
    }

    @Test("The memory")
    func memory() async throws {
        try await ImageSite.with { api in

            let cache = AutoPurgingImageCache(memoryCapacity: 200 << 20, preferredMemoryUsageAfterPurge: 120 << 20) {
                image, request, response in
                image.cost < 10 << 20
            }
            let images = ImageDownloader(session: api, decoder: ImageCodecs(), imageCache: cache)

            _ = try await images.image("photos/1.jpg")
            #expect(cache.count == 1)

            cache.removeImages(of: try images.session.request(for: RequestDraft(.get, "photos/1.jpg")))

            #expect(cache.count == 0)
        }
    }

    @Test("Filters")
    func filters() async throws {
        try await ImageSite.with { api in
            let images = ImageDownloader(session: api, decoder: ImageCodecs())

            let round = CompositeImageFilter([
                AspectScaledToFillSizeFilter(size: ImageSize(width: 96, height: 96)), CircleFilter(),
            ])
            let portrait = try await images.image("photos/1.jpg", scale: 2, filter: round)

            #expect(portrait.pixelSize == PixelSize(width: 192, height: 192) && portrait.size.width == 96)
        }
    }

    @Test("Animations")
    func animations() async throws {
        try await ImageSite.with { api in
            let images = ImageDownloader(session: api, decoder: ImageCodecs())
            let view = ExampleView()

            let film = try await images.image("waves.gif")
            if let animation = film.animation {
                for index in 0..<animation.frameCount {
                    view.show(try await animation.frame(index))
                    try await Task.sleep(for: animation.delay(of: index))
                }
            }

            #expect(view.shown.count == 3)
        }
    }

    @Test("Responses")
    func responses() async throws {
        try await ImageSite.with { api in

            let serializer = ImageResponseSerializer(decoder: ImageCodecs(), imageScale: 2)
            let reply = try await api.get("photos/1.jpg") { $0.responseSerializer = serializer }
            let image = try await reply.value(by: serializer).image()

            #expect(image.size == ImageSize(width: 200, height: 150))
        }
    }
}
