import Sterna
import SternaImages
import SternaTesting

/// A server with images for the examples.
enum ImageSite {
    static func with(isolation: isolated (any Actor)? = #isolation, _ body: (Session) async throws -> Void) async throws
    {
        try await TestServer.withServer { server in
            server.route("GET", "/photos/{name}") { _ in
                .bytes(Samples.jpeg(400, 300) { x, _ in [UInt8(x % 200), 9, 9] }, mediaType: "image/jpeg")
            }
            server.route("GET", "/waves.gif") { _ in
                let frames = (0..<3).map { GIFSample.Frame(width: 1, height: 1, delay: 2, indexes: [UInt8($0)]) }
                return .bytes(GIFSample(width: 1, height: 1, frames: frames).file, mediaType: "image/gif")
            }
            try await body(try Session(baseURL: server.url))
        }
    }
}

/// What a toolkit's picture would be.
@MainActor final class ExampleView {
    private(set) var shown: [String] = []

    func show(_ image: DecodedImage, fading: Bool) { shown.append("\(image.pixelSize)\(fading ? " fading" : "")") }

    func show(_ pixels: PixelBuffer) { shown.append("\(pixels.size)") }

    func show(_ text: String) { shown.append(text) }

    func clear() { shown.append("") }
}
