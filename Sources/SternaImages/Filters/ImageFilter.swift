import SternaCore

/// Makes an image of another one. Images in a cache are kept apart by their filters' identifiers.
///
/// Filters are pure: an equal identifier stands for an equal result. They run on the threads that decode images.
public protocol ImageFilter: Sendable {
    /// What tells the filter, with its settings, from all others.
    var identifier: String { get }

    /// Makes the filtered image; throws `limitExceeded` where there is no memory for it.
    func filter(_ image: DecodedImage) throws -> DecodedImage
}

extension DecodedImage {
    /// Returns the image with other pixels. It stands still: what is filtered is one frame.
    public func with(_ pixels: PixelBuffer) -> DecodedImage {
        var image = self
        image.pixels = pixels
        image.animation = nil
        return image
    }

    /// Returns the image filtered.
    public func filtered(by filter: some ImageFilter) throws -> DecodedImage { try filter.filter(self) }
}

/// A filter that is a closure.
public struct DynamicImageFilter: ImageFilter {
    public let identifier: String
    private let make: @Sendable (DecodedImage) throws -> DecodedImage

    /// Makes a filter.
    ///
    /// - Parameter identifier: what tells it from all other filters.
    public init(_ identifier: String, filter: @escaping @Sendable (DecodedImage) throws -> DecodedImage) {
        self.identifier = identifier
        make = filter
    }

    public func filter(_ image: DecodedImage) throws -> DecodedImage { try make(image) }
}

/// Several filters, one after the other.
public struct CompositeImageFilter: ImageFilter {
    public let filters: [any ImageFilter]

    public init(_ filters: [any ImageFilter]) { self.filters = filters }

    /// The identifiers of the filters, joined by underscores.
    public var identifier: String { filters.map(\.identifier).joined(separator: "_") }

    public func filter(_ image: DecodedImage) throws -> DecodedImage {
        try filters.reduce(image) { try $1.filter($0) }
    }
}
