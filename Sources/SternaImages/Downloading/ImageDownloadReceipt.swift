import Sterna
public import SternaCore
public import SternaPlatform
import Synchronization

/// A request for an image at an ``ImageDownloader``. Several may share a transfer: cancelling one does not affect the others.
///
/// It completes once, with the image or an error; cancelling completes it with `cancelled`.
public final class ImageDownloadReceipt: Sendable, Identifiable {
    /// The identifier, which the caller may choose.
    public var id: UUID {
        chosenID.withLock { id in
            let chosen = id ?? UUID()
            id = chosen
            return chosen
        }
    }

    /// The request.
    public let request: ImageRequest

    /// Whether the image was in memory, so that ``result`` was available at once.
    public var isFromMemory: Bool { known != nil }

    let number: Int
    private let downloader: ImageDownloader
    private let known: DecodedImage?

    // Not created for images in memory, since views of a list request many of those.
    private let chosenID: Mutex<UUID?>
    private let channel: UpdateChannel<Result<DecodedImage, SternaError>?>?
    private let answered: (@Sendable (Result<DecodedImage, SternaError>) -> Void)?
    let progressed: (@Sendable (TransferProgress) -> Void)?

    init(
        _ id: UUID?, number: Int, _ request: ImageRequest, _ downloader: ImageDownloader, known: DecodedImage?,
        progressed: (@Sendable (TransferProgress) -> Void)?,
        answered: (@Sendable (Result<DecodedImage, SternaError>) -> Void)?
    ) {
        (self.number, self.request, self.downloader, self.known) = (number, request, downloader, known)
        chosenID = Mutex(id)
        channel = known == nil ? UpdateChannel(nil) : nil
        self.progressed = progressed
        self.answered = answered
    }

    /// The image or the error; nil while the request is running.
    public var result: Result<DecodedImage, SternaError>? { known.map { .success($0) } ?? channel?.current }

    /// Waits for the image. Throws the error of the transfer or the decoder, and `cancelled`. Cancelling the Swift task ends only
    /// the wait, not the request.
    public var image: DecodedImage {
        get async throws {
            if let known { return known }
            if let channel {
                for await case let result? in Updates(channel, startsAtOnce: true) { return try result.get() }
            }
            throw SternaError(
                .cancelled, phase: .wait,
                "The Swift task that waits for an image was cancelled; the image is still being fetched.")
        }
    }

    /// Cancels only this request, which completes with an error of kind `cancelled`. Has no effect once it is complete.
    public func cancel() { downloader.cancel(self) }

    /// Completes the request. The downloader calls it once.
    func answer(_ result: Result<DecodedImage, SternaError>) {
        channel?.report(result)
        answered?(result)
    }
}
