public import Sterna
public import SternaCore

/// An image that is asked for: the request of its file, the size in which it is shown, and a filter.
public struct ImageRequest: Sendable {
    /// The request of the file.
    public var draft: RequestDraft

    /// The size in which the image is shown, so that it is decoded no larger; nil, the default, decodes it as large as it is.
    public var target: ImageTarget?

    /// The pixels of a point; nil, the default, keeps that of the downloader's ``ImageDownloaderOptions/decoding``.
    public var scale: Double?

    /// What is made of the decoded image; nothing by default.
    public var filter: (any ImageFilter)?

    /// Asks for the image at a URL, relative to the session's base URL or absolute.
    public init(
        _ reference: some URLConvertible, target: ImageTarget? = nil, scale: Double? = nil,
        filter: (any ImageFilter)? = nil, _ configure: (inout RequestSettings) -> Void = { _ in }
    ) {
        self.init(RequestDraft(.get, reference, configure), target: target, scale: scale, filter: filter)
    }

    /// Asks for the image that a draft's request fetches. Requests with a body, and of other methods than GET, have a transfer of their own,
    /// and their images are not kept in memory.
    public init(
        _ draft: RequestDraft, target: ImageTarget? = nil, scale: Double? = nil, filter: (any ImageFilter)? = nil
    ) {
        (self.draft, self.target, self.scale, self.filter) = (draft, target, scale, filter)
    }

    /// The priority among the images that wait for their transfer; that of the draft.
    public var priority: Request.Priority {
        get { draft.settings.priority }
        set { draft.settings.priority = newValue }
    }

    /// What tells the image from others of the same file: target, scale and filter; nil if there are none. With the request it makes the
    /// ``ImageCacheKey``.
    public var identifier: String? {
        var parts: [String] = []
        if let target { parts.append("\(target.mode.rawValue)-\(target.size.width)x\(target.size.height)") }
        if let scale { parts.append("@\(ImageSize.text(scale))x") }
        if let filter { parts.append(filter.identifier) }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}
