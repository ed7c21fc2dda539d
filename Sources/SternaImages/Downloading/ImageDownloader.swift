import NIOCore
public import Sterna
public import SternaCore
public import SternaPlatform
import Synchronization

/// Fetches images, decodes them, and keeps them in memory: AFImageDownloader.
///
///     let images = ImageDownloader(session: api, decoder: codecs)
///     let image = try await images.image("photos/1.jpg", target: .fill(width: 300, height: 300))
///
/// Equal requests share a transfer, also where they want the image in several sizes or filtered. Images in memory answer at once, unless
/// the cache policy of the request asks for the server. Files are kept on disk where the session has a cache.
public final class ImageDownloader: Sendable {
    /// The session that fetches the files: the given one, which asks for images.
    public let session: Session

    /// Decodes the files.
    public let decoder: any ImageDecoding

    /// The decoded images; nil for none.
    public let imageCache: (any ImageCache)?

    public let options: ImageDownloaderOptions

    private let transfers: ImageTransfers
    private let mailbox: TaskMailbox
    private let lastNumber = Atomic(0)

    /// Makes a downloader.
    ///
    /// - Parameters:
    ///   - session: the session that fetches the files; its cache is the one on disk.
    ///   - decoder: decodes the files, `ImageCodecs()` of `SternaImageCodecs` for instance.
    ///   - imageCache: keeps the decoded images; nil keeps none.
    public init(
        session: Session = .shared, decoder: any ImageDecoding,
        imageCache: (any ImageCache)? = AutoPurgingImageCache(),
        options: ImageDownloaderOptions = ImageDownloaderOptions()
    ) {
        let accept = Self.accept(decoder.formats)
        self.session = session.with { settings in
            if settings.headers["Accept"] == nil { settings.headers["Accept"] = accept }
            settings.collectedBytes = min(settings.collectedBytes, options.decoding.limits.bytes)
            settings.startsTasks = true
        }
        (self.decoder, self.imageCache, self.options) = (decoder, imageCache, options)
        transfers = ImageTransfers(self.session, decoder, imageCache, options)
        mailbox = TaskMailbox(options.callbacks)
    }

    private static func accept(_ formats: Set<ImageFormat>) -> String {
        (formats.map(\.mediaType).sorted() + ["image/*;q=0.5"]).joined(separator: ", ")
    }

    // MARK: Asking

    /// Asks for an image; the receipt has it once it is there.
    ///
    /// - Parameter receiptID: the receipt's number.
    public func download(_ request: ImageRequest, receiptID: UUID = UUID()) -> ImageDownloadReceipt {
        begin(request, id: receiptID)
    }

    /// Asks for an image. The completion, and the progress of the file, are called where ``ImageDownloaderOptions/callbacks`` says.
    ///
    /// - Parameter receiptID: the receipt's number.
    @discardableResult
    public func download(
        _ request: ImageRequest, receiptID: UUID = UUID(), progress: (@Sendable (TransferProgress) -> Void)? = nil,
        completion: @escaping @Sendable (Result<DecodedImage, SternaError>) -> Void
    ) -> ImageDownloadReceipt {
        let receipt = begin(
            request, id: receiptID,
            progressed: { [mailbox] step in
                if let progress { mailbox.post { progress(step) } }
            },
            answered: { [mailbox] result in mailbox.post { completion(result) } })
        if receipt.isFromMemory, let result = receipt.result { mailbox.post { completion(result) } }
        return receipt
    }

    /// Waits for an image; cancelling the Swift task cancels the request. Throws the error of the transfer or of the decoder.
    public func image(_ request: ImageRequest) async throws -> DecodedImage {
        let receipt = begin(request)
        return try await withTaskCancellationHandler {
            try await receipt.image
        } onCancel: {
            receipt.cancel()
        }
    }

    /// Waits for the image at a URL, relative to the session's base URL or absolute.
    public func image(
        _ reference: some URLConvertible, target: ImageTarget? = nil, scale: Double? = nil,
        filter: (any ImageFilter)? = nil, _ configure: (inout RequestSettings) -> Void = { _ in }
    ) async throws -> DecodedImage {
        let draft = RequestDraft(.get, reference).configured(in: session, configure)
        return try await image(ImageRequest(draft, target: target, scale: scale, filter: filter))
    }

    /// Returns the image in memory that would answer a request at once; nil if none would.
    public func cachedImage(for request: ImageRequest) -> DecodedImage? {
        guard let imageCache, let built = try? session.request(for: request.draft) else { return nil }
        let source = ImageSource(built, request)
        return source.isReadFromMemory ? imageCache.image(for: source.key) : nil
    }

    /// Cancels a request; it is answered by an error of kind `cancelled`. Others that share its transfer go on.
    public func cancel(_ receipt: ImageDownloadReceipt) {
        guard transfers.cancel(receipt.number) else { return }
        receipt.answer(
            .failure(SternaError(.cancelled, phase: .wait, "The request for the image was cancelled.")))
    }

    /// The number of transfers under way, up to the end of decoding.
    public var activeDownloads: Int { transfers.activeCount }

    /// Asks for an image. What is passed is called on any thread, not for an image in memory.
    func begin(
        _ request: ImageRequest, id: UUID? = nil, progressed: (@Sendable (TransferProgress) -> Void)? = nil,
        answered: (@Sendable (Result<DecodedImage, SternaError>) -> Void)? = nil
    ) -> ImageDownloadReceipt {
        let number = lastNumber.add(1, ordering: .relaxed).newValue
        func receipt(_ known: DecodedImage? = nil) -> ImageDownloadReceipt {
            ImageDownloadReceipt(
                id, number: number, request, self, known: known, progressed: progressed, answered: answered)
        }
        let built: Request
        do {
            built = try session.request(for: request.draft)
        } catch {
            let failed = receipt()
            failed.answer(.failure(.wrap(error, as: .invalidRequest, phase: .prepare, "\(error)")))
            return failed
        }
        let source = ImageSource(built, request)
        if source.isReadFromMemory, let image = imageCache?.image(for: source.key) { return receipt(image) }
        let waiting = receipt()
        transfers.add(ImageReceiver(receipt: waiting, source: source))
        return waiting
    }
}
