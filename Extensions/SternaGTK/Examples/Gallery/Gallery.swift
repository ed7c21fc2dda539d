import PictureSite
import Sterna
import SternaGTK
import SternaImageCodecs
import SternaImages
import SternaPlatform
import SternaTesting

/// A scrolling gallery of 500 pictures, from a server inside the program.
///
///     Gallery                              # the gallery
///     Gallery --check [FOLDER]             # operates itself, looks at the pixels, and prints figures; screenshots go into FOLDER
@main @MainActor struct Gallery {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            try MainLoop.start()
            var status: Int32 = 1
            Task {
                do { status = try await run(arguments) } catch { print("The gallery ended: \(error)") }
                MainLoop.quit()
            }
            try MainLoop.run()
            exit(status)
        } catch {
            print(error.message)
            exit(1)
        }
    }

    /// The bytes of decoded images that stay in memory.
    static let memory = 16 << 20

    static func run(_ arguments: [String]) async throws -> Int32 {
        let site = try await GallerySite()
        let api = try Session(baseURL: site.pictures.server.url)
        let cache = AutoPurgingImageCache(memoryCapacity: memory, preferredMemoryUsageAfterPurge: memory * 3 / 4)
        var options = ImageDownloaderOptions()
        // What is seen comes before what was scrolled past.
        options.downloadPrioritization = .lifo
        let images = ImageDownloader(session: api, decoder: ImageCodecs(), imageCache: cache, options: options)
        let window = GalleryWindow(api, images)
        if arguments.first == "--check" {
            let check = GalleryCheck(site, images, window, folder: arguments.dropFirst().first)
            let status = try await check.run()
            try await site.pictures.stop()
            return status
        }
        window.load()
        await window.closed()
        try await site.pictures.stop()
        return 0
    }
}
