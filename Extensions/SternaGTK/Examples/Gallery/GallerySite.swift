import PictureSite
import SternaTesting
import Synchronization

/// The gallery's server: an index, 500 pictures, and an archive to download.
final class GallerySite: Sendable {
    static let count = 500

    let pictures: PictureSite
    private let indexFailure = Mutex<Int?>(nil)

    init() async throws {
        pictures = try await PictureSite(width: 160, height: 120)
        pictures.server.route("GET", "/index") { [weak self] _ in
            if let status = self?.indexFailure.withLock({ $0 }) {
                throw ServerRouteError(status: status, message: "the index is being rebuilt")
            }
            let items = (0..<Self.count).map { #"{"url":"pictures/\#($0).png","title":"Picture \#($0)"}"# }
            return .json("[\(items.joined(separator: ","))]")
        }
        pictures.server.route("GET", "/archive") { _ in
            ServerResponse(
                headers: ["Content-Type": "application/octet-stream"],
                body: .stream(length: 64 << 18) { writer in
                    for _ in 0..<64 { try await writer.write([UInt8](repeating: 7, count: 1 << 18)) }
                })
        }
    }

    /// Answers requests of the index with a status from now on; nil for the index.
    func failIndex(with status: Int?) { indexFailure.withLock { $0 = status } }
}
