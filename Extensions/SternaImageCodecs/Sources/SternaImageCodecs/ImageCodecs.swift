public import NIOCore
public import Sterna
public import SternaImages

/// Decodes PNG, JPEG, WebP and GIF, by libpng, libjpeg-turbo, libwebp and giflib.
///
///     let images = ImageDownloader(session: api, decoder: ImageCodecs())
///
/// The bytes of a file tell its format. Pixels are converted to sRGB by the file's ICC profile, and turned as its EXIF data says. A file that
/// ends early is an error, unless ``SternaImages/ImageDecodingOptions/allowsPartialImages`` is set; then what is missing is
/// transparent, or, in a JPEG of several scans, grey.
public struct ImageCodecs: ImageDecoding {
    private let list = ImageDecoderList([JPEGDecoder(), PNGDecoder(), WebPDecoder(), GIFDecoder()])

    public init() {}

    public var formats: Set<ImageFormat> { list.formats }

    public func decode(_ file: Bytes, options: ImageDecodingOptions) throws -> DecodedImage {
        try list.decode(file, options: options)
    }
}

extension ImageDownloader {
    /// A downloader for the whole program, on the shared session: AFNetworking's `defaultInstance`. It keeps decoded images in memory, and no
    /// files on disk.
    public static let shared = ImageDownloader(decoder: ImageCodecs())
}
