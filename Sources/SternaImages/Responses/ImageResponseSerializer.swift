public import NIOCore
public import Sterna
public import SternaCore

/// Makes an image of a response: AFImageResponseSerializer.
///
///     let serializer = ImageResponseSerializer(decoder: codecs, imageScale: 2)
///     let image = try await api.get("photo.jpg") { $0.responseSerializer = serializer }.value(by: serializer).image()
public struct ImageResponseSerializer: ResponseSerializer {
    /// A status of 200 to 299, and the media types of ``SternaSerialization/ImageDataResponseSerializer``.
    public static var standardValidation: ResponseValidation {
        ResponseValidation(mediaTypes: ImageDataResponseSerializer.mediaTypes)
    }

    public var validation: ResponseValidation

    /// Decodes the file.
    public var decoder: any ImageDecoding

    /// How the file is decoded.
    public var options: ImageDecodingOptions

    /// Whether the image is decoded when the response is read; the default. If not, ``ResponseImage/image()`` decodes it, each time
    /// anew.
    public var automaticallyInflatesResponseImage: Bool

    /// Makes a serializer.
    public init(
        decoder: any ImageDecoding, options: ImageDecodingOptions = ImageDecodingOptions(),
        automaticallyInflatesResponseImage: Bool = true,
        validation: ResponseValidation = ImageResponseSerializer.standardValidation
    ) {
        (self.decoder, self.options, self.validation) = (decoder, options, validation)
        self.automaticallyInflatesResponseImage = automaticallyInflatesResponseImage
    }

    /// Makes a serializer of images with a scale.
    public init(decoder: any ImageDecoding, imageScale: Double) {
        self.init(decoder: decoder)
        self.imageScale = imageScale
    }

    /// The pixels of a point; 1 by default.
    public var imageScale: Double {
        get { options.scale }
        set { options.scale = newValue }
    }

    public var takesLong: Bool { automaticallyInflatesResponseImage }

    /// Throws `decodingFailed` for an empty body or a damaged image, and `limitExceeded` for one beyond the options' limits.
    public func value(of response: Response, body: Bytes) throws -> ResponseImage {
        guard body.count > 0 else {
            throw SternaError(.decodingFailed, phase: .decode, "The response is empty, but an image was expected.")
        }
        try options.limits.check(bytes: body.count)
        let image = ResponseImage(file: body, decoder: decoder, options: options, inflated: nil)
        return automaticallyInflatesResponseImage ? try image.inflating() : image
    }
}

/// The image of a response, decoded already or on demand.
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

    /// Whether the image is decoded.
    public var isInflated: Bool { inflated != nil }

    /// The format of the file; nil for one that is not known.
    public var format: ImageFormat? { ImageFormat(firstBytes: file.readableBytesView) }

    /// Returns the image, and decodes it first if it is not; throws `decodingFailed` or `limitExceeded`.
    public func image() throws -> DecodedImage {
        if let inflated { return inflated }
        return try decoder.decode(file, options: options)
    }

    /// Returns the image, and decodes it first on a thread for such work if it is not.
    public func image() async throws -> DecodedImage {
        if let inflated { return inflated }
        return try await BlockingWork.images.run { [self] in try image() }
    }
}
