public import NIOCore
public import SternaCore
public import SternaPlatform

extension ResponseSerializer where Self == ImageDataResponseSerializer {
    /// The bytes of an image, after checking its media type.
    public static var imageData: ImageDataResponseSerializer { ImageDataResponseSerializer() }
}

/// Returns the unchanged bytes of a response that declares an image.
public struct ImageDataResponseSerializer: ResponseSerializer, Hashable, Codable {
    /// The media types that AFNetworking accepts for images, and newer ones.
    public static let mediaTypes: Set<String> = [
        "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/vnd.microsoft.icon",
        "image/bmp", "image/x-bmp", "image/x-xbitmap", "image/x-ms-bmp", "image/x-win-bitmap", "image/webp",
        "image/avif",
        "image/heic", "image/heif", "image/jxl",
    ]

    public var validation: ResponseValidation

    /// Makes a serializer.
    public init(validation: ResponseValidation = ResponseValidation(mediaTypes: ImageDataResponseSerializer.mediaTypes))
    {
        self.validation = validation
    }

    public var takesUnknownCodings: Bool { true }

    /// Throws `decodingFailed` for an empty body.
    public func value(of response: Response, body: Bytes) throws -> Data {
        guard body.readableBytes > 0 else {
            throw SternaError(.decodingFailed, phase: .decode, "The response is empty, but an image was expected.")
        }
        return Data(body.readableBytesView)
    }
}
