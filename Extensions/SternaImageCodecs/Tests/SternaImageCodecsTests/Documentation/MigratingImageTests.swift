import Dispatch
import NIOCore
import Sterna
import SternaImageCodecs
import SternaImages
import SternaPlatform
import Synchronization
import Testing

/// The rows of docs/Migrating about images: AFNetworking's UIKit part, and AlamofireImage.
@MainActor @Suite("Coming from AFNetworking and AlamofireImage: images", .timeLimit(.minutes(5)))
struct MigratingImageTests {
    @Test("Downloaders and receipts")
    func downloaders() async throws {
        try await ImageSite.with { base in
            let api = base.with { $0.cache.store = .memory(bytes: 20 << 20) }
            let answers = Mutex(0)
            let use: @Sendable (Result<DecodedImage, SternaError>) -> Void = { _ in answers.withLock { $0 += 1 } }
            let show: @Sendable (TransferProgress) -> Void = { _ in }
            var options = ImageDownloaderOptions()
            options.downloadPrioritization = .lifo
            options.decoding.scale = 2
            options.callbacks = .queue(.global())
            let cache = AutoPurgingImageCache(pressure: .system)
            do {
                let images = ImageDownloader(session: api, decoder: ImageCodecs())
                #expect(images.imageCache != nil && images.session.baseURL == api.baseURL)
                let value1 = try await images.image("photos/1.jpg")
                #expect(value1.scale == 1)
            }
            let images = ImageDownloader(session: api, decoder: ImageCodecs(), imageCache: cache, options: options)
            let (request, id) = (ImageRequest("photos/1.jpg"), UUID())
            do {
                let receipt = images.download(request) { result in use(result) }
                let value2 = try await receipt.image
                #expect(value2.scale == 2)
            }
            do {
                let receipt = images.download(request, receiptID: id) { result in use(result) }
                images.cancel(receipt)
                #expect(receipt.id == id && receipt.isFromMemory)
            }
            let receipt = images.download(
                ImageRequest("photos/1.jpg", filter: CircleFilter()), progress: show
            ) { result in use(result) }
            let value3 = try await receipt.image
            #expect(value3.pixelSize.width == 300)
            while answers.withLock({ $0 }) < 3 { await Task.yield() }
            #expect(ImageDownloader.shared.imageCache != nil)
            #expect(DownloadPrioritization.fifo != DownloadPrioritization.lifo)
            do {
                let images = ImageDownloader.shared
                #expect(images.activeDownloads == 0)
            }
            let user = base.with { $0.auth.header = .basic("ada", "secret") }
            #expect(user.baseURL == api.baseURL)
        }
    }

    @Test("The memory")
    func memory() async throws {
        try await ImageSite.with { api in
            let image = DecodedImage(try PixelBuffer(PixelSize(width: 1, height: 1)))
            let built = try api.request(for: RequestDraft(.get, "photos/1.jpg"))
            do {
                let cache = AutoPurgingImageCache { image, request, response in response.status == .ok }
                #expect(cache.memoryCapacity == 100 << 20)
            }
            let cache = AutoPurgingImageCache(memoryCapacity: 100 << 20, preferredMemoryUsageAfterPurge: 60 << 20)
            let kept: any ImageCache = cache
            cache.add(image, withIdentifier: "portrait")
            #expect(cache.image(withIdentifier: "portrait") != nil)
            cache.removeImage(withIdentifier: "portrait")
            cache.add(image, for: ImageCacheKey(built, identifier: "circle"))
            #expect(cache.image(for: ImageCacheKey(built, identifier: "circle")) != nil)
            cache.removeImage(for: ImageCacheKey(built, identifier: "circle"))
            kept.add(image, for: ImageCacheKey(built))
            cache.removeImages(of: built)
            cache.removeAllImages()
            #expect(cache.memoryUsage == 0)
            #expect(cache.memoryCapacity > cache.preferredMemoryUsageAfterPurge)
        }
    }

    @Test("Views")
    func views() async throws {
        try await ImageSite.with { api in
            let images = ImageDownloader(session: api, decoder: ImageCodecs())
            var shown = 0
            let show: (ImageSlot.Content) -> Void = { _ in shown += 1 }
            let slot = ImageSlot(images) { content in show(content) }
            slot.set("photos/1.jpg")
            slot.set("photos/1.jpg", filter: CircleFilter())
            while slot.isLoading { await Task.yield() }
            slot.cancel()
            #expect(shown == 3)
        }
    }

    @Test("Serializers")
    func serializers() async throws {
        try await ImageSite.with { base in
            let api = base.with { $0.responseSerializer = ImageResponseSerializer(decoder: ImageCodecs()) }
            let reply = try await api.get("photos/1.jpg")
            let decoded = try await reply.value(by: ImageResponseSerializer(decoder: ImageCodecs())).image()
            #expect(decoded.pixelSize == PixelSize(width: 400, height: 300))
            var serializer = ImageResponseSerializer(decoder: ImageCodecs())
            serializer.imageScale = 2
            serializer.automaticallyInflatesResponseImage = false
            let value4 = try await reply.value(by: serializer).image()
            #expect(value4.scale == 2)
            let data = try reply.data()
            do {
                let decoded = try ImageCodecs().decode(Bytes(copying: data), options: ImageDecodingOptions())
                #expect(decoded.format == .jpeg)
            }
        }
    }

    @Test("Filters")
    func filters() throws {
        let image = DecodedImage(try PixelBuffer(PixelSize(width: 40, height: 20)))
        let size = ImageSize(width: 8, height: 8)
        let filters: [any ImageFilter] = [
            ScaledToSizeFilter(size: size), AspectScaledToFitSizeFilter(size: size),
            AspectScaledToFillSizeFilter(size: size), RoundedCornersFilter(radius: 8, dividesRadiusByImageScale: false),
            CircleFilter(), BlurFilter(blurRadius: 10),
            CompositeImageFilter([ScaledToSizeFilter(size: size), CircleFilter()]),
            DynamicImageFilter("mine") { image in image },
        ]
        #expect(try filters.map { try $0.filter(image).pixelSize.height } == [8, 8, 8, 20, 20, 20, 8, 20])
        let circle = try CircleFilter().filter(image)
        #expect(circle.pixelSize.width == 20 && CircleFilter().identifier == "CircleFilter")
    }
}
