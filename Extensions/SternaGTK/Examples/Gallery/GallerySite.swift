import PictureSite
import SternaTesting
import Synchronization

/// The gallery's server: an index, 500 pictures, and an archive to download.
final class GallerySite: Sendable {
    static let count = 500

    let pictures: PictureSite
    private let index = Mutex((failure: Int?.none, count: 0))

    init() async throws {
        pictures = try await PictureSite(width: 160, height: 120)
        pictures.server.route("GET", "/index") { [weak self] _ in
            let failure = self?.index.withLock { index in
                index.count += 1
                return index.failure
            }
            if let status = failure ?? nil {
                throw ServerRouteError(status: status, message: "the index is being rebuilt")
            }
            let items = (0..<Self.count).map { #"{"url":"pictures/\#($0).png","title":"Picture \#($0)"}"# }
            return .text("[\(items.joined(separator: ","))]", mediaType: "application/json")
        }
        pictures.server.route("GET", "/archive") { _ in
            ServerResponse(
                headers: ["Content-Type": "application/octet-stream"],
                body: .stream(length: 64 << 18) { writer in
                    for _ in 0..<64 { try await writer.write([UInt8](repeating: 7, count: 1 << 18)) }
                })
        }
    }

    /// How often the index was asked for.
    var indexCount: Int { index.withLock { $0.count } }

    /// Answers requests of the index with a status from now on; nil for the index.
    func failIndex(with status: Int?) { index.withLock { $0.failure = status } }
}
