import PictureSite
import Sterna
import SternaGTK
import SternaImageCodecs
import SternaImages
import SternaTesting

/// A server of pictures with a downloader, for one check.
@MainActor struct Pictures {
    let site: PictureSite
    let api: Session
    let images: ImageDownloader
    let cache: AutoPurgingImageCache

    static func with(
        memory: Int = 100 << 20, _ configure: (inout ImageDownloaderOptions) -> Void = { _ in },
        _ body: @MainActor (Pictures) async throws -> Void
    ) async throws {
        let site = try await PictureSite()
        let api = try Session(baseURL: site.server.url)
        let cache = AutoPurgingImageCache(
            memoryCapacity: memory, preferredMemoryUsageAfterPurge: memory / 2, pressure: nil)
        var options = ImageDownloaderOptions()
        configure(&options)
        let images = ImageDownloader(session: api, decoder: ImageCodecs(), imageCache: cache, options: options)
        do {
            try await body(Pictures(site: site, api: api, images: images, cache: cache))
        } catch {
            try? await site.stop()
            throw error
        }
        try await site.stop()
    }

    static func url(_ number: Int) -> String { "pictures/\(number).png" }
}

extension RemotePicture {
    /// The number of the picture that is set; nil if there is none.
    var number: Int? { image.flatMap { NumberedPicture.number(in: $0.pixels) } }
}
