import SternaCore

/// Processes a decoded image. A cache distinguishes filtered images by the identifiers of their filters.
///
/// Filters are pure: filters with equal identifiers must give equal results. They run on the threads that decode images.
public protocol ImageFilter: Sendable {
    /// Identifies the filter with its settings.
    var identifier: String { get }

    /// Returns the filtered image. Throws `limitExceeded` if memory for it cannot be allocated.
    func filter(_ image: DecodedImage) throws -> DecodedImage
}

extension DecodedImage {
    /// Returns the image with other pixels and without an animation, since a filter processes one frame.
    public func with(_ pixels: PixelBuffer) -> DecodedImage {
        var image = self
        image.pixels = pixels
        image.animation = nil
        return image
    }

    /// Returns the filtered image. Throws the errors of the filter.
    public func filtered(by filter: some ImageFilter) throws -> DecodedImage { try filter.filter(self) }
}

/// A filter by a closure.
public struct DynamicImageFilter: ImageFilter {
    /// Identifies the filter.
    public let identifier: String
    private let make: @Sendable (DecodedImage) throws -> DecodedImage

    /// Creates a filter.
    ///
    /// - Parameter identifier: identifies the filter with its settings, different from those of all other filters.
    public init(_ identifier: String, filter: @escaping @Sendable (DecodedImage) throws -> DecodedImage) {
        self.identifier = identifier
        make = filter
    }

    /// Returns the result of the closure. Throws its errors.
    public func filter(_ image: DecodedImage) throws -> DecodedImage { try make(image) }
}

/// A sequence of filters.
public struct CompositeImageFilter: ImageFilter {
    /// The filters, in the order in which they are applied.
    public let filters: [any ImageFilter]

    /// Creates a sequence of filters.
    public init(_ filters: [any ImageFilter]) { self.filters = filters }

    /// The identifiers of the filters, joined by underscores.
    public var identifier: String { filters.map(\.identifier).joined(separator: "_") }

    /// Applies the filters in order. Throws the errors of the first that fails.
    public func filter(_ image: DecodedImage) throws -> DecodedImage {
        try filters.reduce(image) { try $1.filter($0) }
    }
}
