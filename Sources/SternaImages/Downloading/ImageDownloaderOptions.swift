public import Sterna
import SternaCore

/// The order in which waiting images of equal priority are fetched.
public enum DownloadPrioritization: String, Sendable, Hashable, Codable {
    /// First in, first out; the default.
    case fifo
    /// Last in, first out.
    case lifo
}

/// Decides whether a running transfer finishes after its last receipt was cancelled.
///
/// An image that is scrolled out of sight is often scrolled back. Finishing a small transfer costs less than a closed connection
/// and a second request.
public struct AbandonedTransfers: Sendable, Hashable {
    /// How long the transfer may continue; zero or less cancels it at once.
    public var grace: Duration

    /// The transfer is cancelled once it is known that more than this number of bytes remain. For an unknown length the received
    /// bytes count.
    public var bytes: Int64

    /// Creates a rule from a time and a number of remaining bytes.
    public init(grace: Duration, bytes: Int64) { (self.grace, self.bytes) = (grace, bytes) }

    /// One second and 256 KiB; the default. Transfers whose images would not be cached are cancelled at once.
    public static let finishSmall = AbandonedTransfers(grace: .seconds(1), bytes: 256 << 10)

    /// Transfers are cancelled at once, as by AFImageDownloader.
    public static let cancel = AbandonedTransfers(grace: .zero, bytes: 0)

    /// Returns whether a transfer may continue.
    func goesOn(_ progress: TransferProgress?) -> Bool {
        guard grace > .zero else { return false }
        guard let progress else { return true }
        // If the length is unknown, the received bytes tell whether it is small.
        return (progress.total.map { $0 - progress.completed } ?? progress.completed) <= bytes
    }
}

/// The options of an ``ImageDownloader``.
public struct ImageDownloaderOptions: Sendable {
    /// The order in which waiting images of equal priority are fetched; ``DownloadPrioritization/fifo`` by default.
    public var downloadPrioritization = DownloadPrioritization.fifo

    /// The number of images that are fetched and decoded at the same time; 4 by default, at least 1.
    public var maximumActiveDownloads = 4

    /// How images are decoded: limits, scale, animations. Each ``ImageRequest`` has its own target.
    public var decoding = ImageDecodingOptions()

    /// Whether running transfers finish after their receipts were cancelled; ``AbandonedTransfers/finishSmall`` by default.
    public var abandonedTransfers = AbandonedTransfers.finishSmall

    /// The validation of responses, unless a request has its own serializer; by default a status of 200 to 299, and media types of
    /// images.
    public var validation = ImageResponseSerializer.standardValidation

    /// Where completion and progress closures are called; the main queue by default.
    public var callbacks = CallbackTarget.main

    /// Creates the default options.
    public init() {}
}
