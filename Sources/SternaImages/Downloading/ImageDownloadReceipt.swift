import Sterna
public import SternaCore
public import SternaPlatform
import Synchronization

/// One request for an image of an ``ImageDownloader``. Several may share a transfer: cancelling one leaves the others.
///
/// It is answered once: by the image, by an error, or by `cancelled`.
public final class ImageDownloadReceipt: Sendable, Identifiable {
    /// The receipt's number; the caller may choose it.
    public var id: UUID {
        chosenID.withLock { id in
            let chosen = id ?? UUID()
            id = chosen
            return chosen
        }
    }

    /// What was asked for.
    public let request: ImageRequest

    /// Whether the image was in memory, so that the answer was there at once.
    public var isFromMemory: Bool { known != nil }

    let number: Int
    private let downloader: ImageDownloader
    private let known: DecodedImage?

    // What an image in memory has no use for is not made, since views of a list set many of those.
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

    /// The answer; nil before it is there.
    public var result: Result<DecodedImage, SternaError>? { known.map { .success($0) } ?? channel?.current }

    /// Waits for the image; throws the error of the transfer or of the decoder, or `cancelled`. Cancelling the Swift task that waits ends
    /// its wait alone.
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

    /// Cancels this request alone; it is answered by an error of kind `cancelled`. Has no effect once it is answered.
    public func cancel() { downloader.cancel(self) }

    /// Answers. The downloader calls it once.
    func answer(_ result: Result<DecodedImage, SternaError>) {
        channel?.report(result)
        answered?(result)
    }
}
