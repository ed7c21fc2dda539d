public import Sterna
import SternaCore

/// The order in which waiting images are fetched, among those of equal priority.
public enum DownloadPrioritization: String, Sendable, Hashable, Codable {
    /// In the order in which they were asked for; the default.
    case fifo
    /// The image that was asked for last comes first.
    case lifo
}

/// What becomes of a transfer under way when its last receipt is cancelled.
///
/// A picture that is scrolled out of sight is often scrolled back. A small image that is nearly there costs less than a second request, and
/// a broken connection.
public struct AbandonedTransfers: Sendable, Hashable {
    /// How long the transfer may go on.
    public var grace: Duration

    /// The transfer is cancelled once it is known that more bytes than this are still to come.
    public var bytes: Int64

    public init(grace: Duration, bytes: Int64) { (self.grace, self.bytes) = (grace, bytes) }

    /// A second, and 256 KiB; the default. Without a cache in memory, all are cancelled at once, too.
    public static let finishSmall = AbandonedTransfers(grace: .seconds(1), bytes: 256 << 10)

    /// They are cancelled at once, as AFImageDownloader does.
    public static let cancel = AbandonedTransfers(grace: .zero, bytes: 0)

    /// Whether a transfer may go on.
    func goesOn(_ progress: TransferProgress?) -> Bool {
        guard grace > .zero else { return false }
        guard let progress else { return true }
        // Of a length that is not known, what has come tells whether it is small.
        return (progress.total.map { $0 - progress.completed } ?? progress.completed) <= bytes
    }
}

/// The options of an ``ImageDownloader``.
public struct ImageDownloaderOptions: Sendable {
    /// The order of waiting images of equal priority.
    public var downloadPrioritization = DownloadPrioritization.fifo

    /// The number of images that are fetched and decoded at the same time; 4 by default, at least 1.
    public var maximumActiveDownloads = 4

    /// How images are decoded: limits, scale, animations. The target is that of each ``ImageRequest``.
    public var decoding = ImageDecodingOptions()

    /// What becomes of transfers under way whose receipts are all cancelled.
    public var abandonedTransfers = AbandonedTransfers.finishSmall

    /// Which responses are accepted, unless a request has a serializer of its own; by default a status of 200 to 299, and media types of
    /// images.
    public var validation = ImageResponseSerializer.standardValidation

    /// Where completions and progress are called; the main queue by default.
    public var callbacks = CallbackTarget.main

    /// The default options.
    public init() {}
}
