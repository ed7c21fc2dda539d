public import Sterna
public import SternaCore

/// A request for an image: the request of its file, the size in which it is shown, and a filter.
public struct ImageRequest: Sendable {
    /// The request of the file.
    public var draft: RequestDraft

    /// The size in which the image is shown, to which it is reduced while it is decoded. Nil, the default, decodes the full size.
    public var target: ImageTarget?

    /// The pixels per point; nil, the default, for the scale of the downloader's ``ImageDownloaderOptions/decoding``.
    public var scale: Double?

    /// The filter of the decoded image; nil by default.
    public var filter: (any ImageFilter)?

    /// Creates a request for the image at a URL, absolute or relative to the session's base URL.
    public init(
        _ reference: some URLConvertible, target: ImageTarget? = nil, scale: Double? = nil,
        filter: (any ImageFilter)? = nil, _ configure: (inout RequestSettings) -> Void = { _ in }
    ) {
        self.init(RequestDraft(.get, reference, configure), target: target, scale: scale, filter: filter)
    }

    /// Creates a request for the image that a draft's request fetches. Requests with a body, with other methods than GET, and with
    /// credentials or a challenge handler of their own do not share a transfer, and their images are not cached in memory.
    public init(
        _ draft: RequestDraft, target: ImageTarget? = nil, scale: Double? = nil, filter: (any ImageFilter)? = nil
    ) {
        (self.draft, self.target, self.scale, self.filter) = (draft, target, scale, filter)
    }

    /// The priority among waiting images, which is the draft's.
    public var priority: Request.Priority {
        get { draft.settings.priority }
        set { draft.settings.priority = newValue }
    }

    /// Identifies the processing of the file: target, scale and filter; nil if none is set. Together with the request it makes up
    /// the ``ImageCacheKey``.
    public var identifier: String? {
        var parts: [String] = []
        if let target { parts.append("\(target.mode.rawValue)-\(target.size.width)x\(target.size.height)") }
        if let scale { parts.append("@\(ImageSize.text(scale))x") }
        if let filter { parts.append(filter.identifier) }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}
