public import Sterna
public import SternaCore

/// A place that shows one image after another, such as a cell that is used again: UIImageView+AFNetworking without a view.
///
///     let slot = ImageSlot(images) { content in view.show(content) }
///     slot.set("photos/1.jpg", target: .fill(width: 300, height: 300))
///
/// It shows the image that was set last, whatever comes late. Setting another one, or releasing the slot, cancels the request.
@MainActor
public final class ImageSlot {
    /// What there is to show.
    public enum Content: Sendable {
        /// No image yet: the placeholder, or nothing.
        case loading
        /// The image. It was in memory, and comes before ``ImageSlot/set(_:)`` returns, or it has been fetched: fade it in.
        case image(DecodedImage, isFromMemory: Bool)
        /// The image could not be fetched or decoded.
        case failed(SternaError)
        /// Nothing was asked for.
        case empty
    }

    private let downloader: ImageDownloader
    private let show: @MainActor (Content) -> Void
    private var receipt: ImageDownloadReceipt?
    private var generation = 0

    /// What is shown.
    public private(set) var content = Content.empty

    /// What was asked for last; nil after ``clear()``.
    public private(set) var request: ImageRequest?

    /// Makes an empty slot.
    ///
    /// - Parameter show: shows what there is, whenever it changes.
    public init(_ downloader: ImageDownloader, show: @escaping @MainActor (Content) -> Void) {
        (self.downloader, self.show) = (downloader, show)
    }

    deinit { receipt?.cancel() }

    /// Whether an image is being fetched.
    public var isLoading: Bool { receipt != nil }

    /// Shows the image at a URL.
    public func set(
        _ reference: some URLConvertible, target: ImageTarget? = nil, filter: (any ImageFilter)? = nil,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) {
        let draft = RequestDraft(.get, reference).configured(in: downloader.session, configure)
        set(ImageRequest(draft, target: target, filter: filter))
    }

    /// Shows an image: one in memory at once, without an interval in which nothing is there.
    public func set(_ request: ImageRequest) {
        generation += 1
        let (number, earlier) = (generation, receipt)
        self.request = request
        let receipt = downloader.begin(
            request,
            answered: { [weak self] result in
                Task { @MainActor in self?.received(result, number) }
            })
        // Cancelled only now, so that a transfer goes on which both want.
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

    /// Cancels the request. What is shown stays.
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
