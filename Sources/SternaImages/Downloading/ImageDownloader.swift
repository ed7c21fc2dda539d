import NIOCore
public import Sterna
public import SternaCore
public import SternaPlatform
import Synchronization

/// Fetches images, decodes them and caches them in memory, like AFImageDownloader.
///
///     let images = ImageDownloader(session: api, decoder: codecs)
///     let image = try await images.image("photos/1.jpg", target: .fill(width: 300, height: 300))
///
/// Equal requests share a transfer, even if their target sizes or filters differ. An image in memory is returned at once, unless
/// the cache policy of the request requires the server. The session's cache, if it has one, keeps the files.
///
/// The downloader of a whole program, `ImageDownloader.shared`, is in `SternaImageCodecs`, whose decoder it has.
public final class ImageDownloader: Sendable {
    /// The session that fetches the files: a copy of the given one whose requests accept images, and whose responses are limited to
    /// ``ImageLimits/bytes``.
    public let session: Session

    /// The decoder of the files.
    public let decoder: any ImageDecoding

    /// The cache of decoded images; nil for none.
    public let imageCache: (any ImageCache)?

    /// The options.
    public let options: ImageDownloaderOptions

    private let transfers: ImageTransfers
    private let callbackQueue: UserCallbackQueue
    private let lastNumber = Atomic(0)

    /// Creates a downloader.
    ///
    /// - Parameters:
    ///   - session: the session that fetches the files, with its cache; ``Session/shared`` by default.
    ///   - decoder: the decoder of the files, for instance `ImageCodecs()` of `SternaImageCodecs`.
    ///   - imageCache: the cache of decoded images; by default an ``AutoPurgingImageCache`` of 100 MiB, nil for none.
    ///   - options: the order, limits, decoding and callbacks.
    public init(
        session: Session = .shared, decoder: any ImageDecoding,
        imageCache: (any ImageCache)? = AutoPurgingImageCache(),
        options: ImageDownloaderOptions = ImageDownloaderOptions()
    ) {
        let accept = Self.accept(decoder.formats)
        self.session = session.with { settings in
            if settings.headers["Accept"] == nil { settings.headers["Accept"] = accept }
            settings.limits.collectedBytes = min(settings.limits.collectedBytes, options.decoding.limits.bytes)
            settings.tasks.startsImmediately = true
        }
        (self.decoder, self.imageCache, self.options) = (decoder, imageCache, options)
        transfers = ImageTransfers(self.session, decoder, imageCache, options)
        callbackQueue = UserCallbackQueue(options.callbacks)
    }

    private static func accept(_ formats: Set<ImageFormat>) -> String {
        (formats.map(\.mediaType).sorted() + ["image/*;q=0.5"]).joined(separator: ", ")
    }

    // MARK: Requests

    /// Requests an image. The receipt has it once it is available.
    ///
    /// - Parameter receiptID: the receipt's identifier; random by default.
    public func download(_ request: ImageRequest, receiptID: UUID = UUID()) -> ImageDownloadReceipt {
        begin(request, id: receiptID)
    }

    /// Requests an image, and calls closures with the progress of the file and with the result.
    /// ``ImageDownloaderOptions/callbacks`` determines where they are called.
    ///
    /// - Parameter receiptID: the receipt's identifier; random by default.
    @discardableResult
    public func download(
        _ request: ImageRequest, receiptID: UUID = UUID(), progress: (@Sendable (TransferProgress) -> Void)? = nil,
        completion: @escaping @Sendable (Result<DecodedImage, SternaError>) -> Void
    ) -> ImageDownloadReceipt {
        let receipt = begin(
            request, id: receiptID,
            progressed: { [callbackQueue] step in
                if let progress { callbackQueue.post { progress(step) } }
            },
            answered: { [callbackQueue] result in callbackQueue.post { completion(result) } })
        if receipt.isFromMemory, let result = receipt.result { callbackQueue.post { completion(result) } }
        return receipt
    }

    /// Requests an image and waits for it. Cancelling the Swift task cancels the request. Throws the error of the transfer or the
    /// decoder, and `cancelled`.
    public func image(_ request: ImageRequest) async throws -> DecodedImage {
        let receipt = begin(request)
        return try await withTaskCancellationHandler {
            try await receipt.image
        } onCancel: {
            receipt.cancel()
        }
    }

    /// Requests the image at a URL, absolute or relative to the session's base URL, and waits for it.
    ///
    /// The arguments are those of ``ImageRequest/init(_:target:scale:filter:_:)``, the errors those of ``image(_:)``.
    public func image(
        _ reference: some URLConvertible, target: ImageTarget? = nil, scale: Double? = nil,
        filter: (any ImageFilter)? = nil, _ configure: (inout RequestSettings) -> Void = { _ in }
    ) async throws -> DecodedImage {
        let draft = RequestDraft(.get, reference).configured(in: session, configure)
        return try await image(ImageRequest(draft, target: target, scale: scale, filter: filter))
    }

    /// Returns the image in memory for a request; nil if it is not cached, or if the cache policy requires the server.
    public func cachedImage(for request: ImageRequest) -> DecodedImage? {
        guard let imageCache, let built = try? session.request(for: request.draft) else { return nil }
        let source = ImageSource(built, request)
        return source.isReadFromMemory ? imageCache.image(for: source.key) : nil
    }

    /// Cancels a request, which completes with an error of kind `cancelled`. Others that share its transfer continue.
    public func cancel(_ receipt: ImageDownloadReceipt) {
        guard transfers.cancel(receipt.number) else { return }
        receipt.answer(
            .failure(SternaError(.cancelled, phase: .wait, "The request for the image was cancelled.")))
    }

    /// The number of running transfers, which end when their images are decoded.
    public var activeDownloads: Int { transfers.activeCount }

    /// Requests an image. The closures are called on any thread, and not for an image in memory.
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
