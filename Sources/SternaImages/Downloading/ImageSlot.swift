public import Sterna
public import SternaCore

/// The image of a view that shows one image after another, such as a reused cell; like UIImageView+AFNetworking, but for any view.
///
///     let slot = ImageSlot(images) { content in view.show(content) }
///     slot.set("photos/1.jpg", target: .fill(width: 300, height: 300))
///
/// It shows only the image that was set last, and discards images that arrive late. Setting another image, or releasing the slot,
/// cancels the request.
@MainActor
public final class ImageSlot {
    /// The content to show.
    public enum Content: Sendable {
        /// No image yet: the placeholder, or nothing.
        case loading
        /// The image. If it was in memory, it is shown before ``ImageSlot/set(_:)`` returns; otherwise it was fetched, and may be
        /// faded in.
        case image(DecodedImage, isFromMemory: Bool)
        /// The image could not be fetched or decoded.
        case failed(SternaError)
        /// No image was requested.
        case empty
    }

    private let downloader: ImageDownloader
    private let show: @MainActor (Content) -> Void
    private var receipt: ImageDownloadReceipt?
    private var generation = 0

    /// The content that is shown.
    public private(set) var content = Content.empty

    /// The last request; nil before the first one, and after ``clear()``.
    public private(set) var request: ImageRequest?

    /// Creates an empty slot.
    ///
    /// - Parameter show: called on the main actor with the content whenever it changes.
    public init(_ downloader: ImageDownloader, show: @escaping @MainActor (Content) -> Void) {
        (self.downloader, self.show) = (downloader, show)
    }

    deinit { receipt?.cancel() }

    /// Whether an image is being fetched.
    public var isLoading: Bool { receipt != nil }

    /// Shows the image at a URL, absolute or relative to the base URL of the downloader's session. Cancels the previous request.
    public func set(
        _ reference: some URLConvertible, target: ImageTarget? = nil, filter: (any ImageFilter)? = nil,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) {
        let draft = RequestDraft(.get, reference).configured(in: downloader.session, configure)
        set(ImageRequest(draft, target: target, filter: filter))
    }

    /// Shows an image. One in memory is shown at once, without a placeholder. Cancels the previous request.
    public func set(_ request: ImageRequest) {
        generation += 1
        let (number, earlier) = (generation, receipt)
        self.request = request
        let receipt = downloader.begin(
            request,
            answered: { [weak self] result in
                Task { @MainActor in self?.received(result, number) }
            })
        // Cancelled only now, so that a transfer that both requests share continues.
        earlier?.cancel()
        if receipt.isFromMemory, case .success(let image)? = receipt.result {
            self.receipt = nil
            become(.image(image, isFromMemory: true))
        } else {
            self.receipt = receipt
            become(.loading)
        }
    }

    /// Cancels the request, and shows nothing.
    public func clear() {
        cancel()
        request = nil
        become(.empty)
    }

    /// Cancels the request, and keeps the content.
    public func cancel() {
        generation += 1
        receipt?.cancel()
        receipt = nil
    }

    private func received(_ result: Result<DecodedImage, SternaError>, _ number: Int) {
        guard number == generation else { return }
        receipt = nil
        switch result {
        case .success(let image): become(.image(image, isFromMemory: false))
        case .failure(let error): become(.failed(error))
        }
    }

    private func become(_ content: Content) {
        self.content = content
        show(content)
    }
}
