import Sterna
import SternaCore
import SternaImages
import SternaTesting

@testable import SternaTestSupport

/// A server with images by number, and a downloader for it, on a clock that stands still.
struct ImageScene: Sendable {
    let server: TestServer
    let session: Session
    let decoder: TestDecoder
    let time: TestClock
    /// The test opens it to let `/held/{number}` respond.
    let gate = Gate()

    static func with(
        _ options: TestServer.Options = .init(recordedRequests: 20_000), decoder: TestDecoder = TestDecoder(),
        _ configure: @Sendable (inout SessionSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation,
        _ body: (ImageScene) async throws -> Void
    ) async throws {
        try await TestServer.withServer(options) { server in
            let time = TestClock()
            var engineOptions = EngineOptions()
            engineOptions.clock = time.clock
            let engine = Engine(options: engineOptions)
            let session = try Session(baseURL: server.url) { settings in
                settings.network.engine = engine
                configure(&settings)
            }
            let scene = ImageScene(server: server, session: session, decoder: decoder, time: time)
            let image: @Sendable (ServerRequest) -> ServerResponse = { request in
                let number = request.parameters["number"].flatMap { Int($0) } ?? 0
                return TestImages.response(
                    TestImages.file(8, 4, TestImages.color(number)), headers: ["Cache-Control": "max-age=600"])
            }
            server.route("GET", "/image/{number}") { image($0) }
            server.route("GET", "/held/{number}") { [gate = scene.gate] request in
                await gate.wait()
                return image(request)
            }
            try await body(scene)
            scene.gate.open()
            await engine.shutDown()
        }
    }

    func downloader(
        cache: (any ImageCache)? = AutoPurgingImageCache(pressure: nil),
        _ configure: (inout ImageDownloaderOptions) -> Void = { _ in }
    ) -> ImageDownloader {
        var options = ImageDownloaderOptions()
        configure(&options)
        return ImageDownloader(session: session, decoder: decoder, imageCache: cache, options: options)
    }

    /// The targets of the requests so far.
    var targets: [String] { server.requests().map(\.target) }
}

extension DecodedImage {
    /// The colour of the first pixel.
    var color: Pixel? { pixels.pixel(x: 0, y: 0) }
}
