public import NIOCore
public import Sterna
public import SternaCore

/// Decodes the image of a response, like AFImageResponseSerializer.
///
///     let serializer = ImageResponseSerializer(decoder: codecs, imageScale: 2)
///     let image = try await api.get("photo.jpg") { $0.responseSerializer = serializer }.value(by: serializer).image()
public struct ImageResponseSerializer: ResponseSerializer {
    /// The default validation: a status of 200 to 299, and the media types of ``SternaSerialization/ImageDataResponseSerializer``.
    public static var standardValidation: ResponseValidation {
        ResponseValidation(mediaTypes: ImageDataResponseSerializer.mediaTypes)
    }

    /// The accepted statuses and media types; ``standardValidation`` by default.
    public var validation: ResponseValidation

    /// The decoder of the file.
    public var decoder: any ImageDecoding

    /// How the file is decoded.
    public var options: ImageDecodingOptions

    /// Whether the image is decoded when the response is read; true by default. Otherwise each call of ``ResponseImage/image()``
    /// decodes it.
    public var automaticallyInflatesResponseImage: Bool

    /// Creates a serializer.
    public init(
        decoder: any ImageDecoding, options: ImageDecodingOptions = ImageDecodingOptions(),
        automaticallyInflatesResponseImage: Bool = true,
        validation: ResponseValidation = ImageResponseSerializer.standardValidation
    ) {
        (self.decoder, self.options, self.validation) = (decoder, options, validation)
        self.automaticallyInflatesResponseImage = automaticallyInflatesResponseImage
    }

    /// Creates a serializer with a scale, in pixels per point, and otherwise the defaults.
    public init(decoder: any ImageDecoding, imageScale: Double) {
        self.init(decoder: decoder)
        self.imageScale = imageScale
    }

    /// The pixels per point; 1 by default.
    public var imageScale: Double {
        get { options.scale }
        set { options.scale = newValue }
    }

    /// Whether the serializer decodes the image, which must not run on the caller's executor.
    public var takesLong: Bool { automaticallyInflatesResponseImage }

    /// Returns the image of a response. Throws `decodingFailed` for an empty body or a damaged image, and `limitExceeded` for one
    /// that exceeds the limits.
    public func value(of response: Response, body: Bytes) throws -> ResponseImage {
        guard body.count > 0 else {
            throw SternaError(.decodingFailed, phase: .decode, "The response is empty, but an image was expected.")
        }
        try options.limits.check(bytes: body.count)
        let image = ResponseImage(file: body, decoder: decoder, options: options, inflated: nil)
        return automaticallyInflatesResponseImage ? try image.inflating() : image
    }
}

/// The image of a response, which is decoded with the response or on demand.
public struct ResponseImage: Sendable {
    /// The bytes of the file.
    public let file: Bytes

    private let decoder: any ImageDecoding
    private let options: ImageDecodingOptions
    private let inflated: DecodedImage?

    init(file: Bytes, decoder: any ImageDecoding, options: ImageDecodingOptions, inflated: DecodedImage?) {
        (self.file, self.decoder, self.options, self.inflated) = (file, decoder, options, inflated)
    }

    func inflating() throws -> ResponseImage {
        ResponseImage(file: file, decoder: decoder, options: options, inflated: try image())
    }

    /// Whether the image was decoded with the response.
    public var isInflated: Bool { inflated != nil }

    /// The format of the file; nil for an unknown one.
    public var format: ImageFormat? { ImageFormat(firstBytes: file.readableBytesView) }

    /// Returns the image, and decodes it on the calling thread if it was not decoded with the response. Throws `decodingFailed` or
    /// `limitExceeded`.
    public func image() throws -> DecodedImage {
        if let inflated { return inflated }
        return try decoder.decode(file, options: options)
    }

    /// Returns the image, and decodes it on a thread for images if it was not decoded with the response. Throws `decodingFailed` or
    /// `limitExceeded`.
    public func image() async throws -> DecodedImage {
        if let inflated { return inflated }
        return try await BlockingWork.images.run { [self] in try image() }
    }
}
