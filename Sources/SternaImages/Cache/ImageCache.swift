import HTTPTypes
import Sterna
public import SternaCore

/// Keeps decoded images in memory. Any thread may call it.
public protocol ImageCache: Sendable {
    /// Adds an image, in place of an earlier one of the key.
    func add(_ image: DecodedImage, for key: ImageCacheKey)

    /// Returns the image of a key.
    func image(for key: ImageCacheKey) -> DecodedImage?

    /// Removes the image of a key. Returns whether there was one.
    @discardableResult
    func removeImage(for key: ImageCacheKey) -> Bool

    /// Removes the images that came by a request, however they were made of the file. Returns whether there was one.
    @discardableResult
    func removeImages(of request: Request) -> Bool

    /// Removes all images. Returns whether there was one.
    @discardableResult
    func removeAllImages() -> Bool

    /// Whether an image that came by a request may be added; asked before ``ImageDownloader`` adds one. By default one may, unless the
    /// response says `no-store`.
    func shouldCache(_ image: DecodedImage, for request: Request, response: Response) -> Bool
}

extension ImageCache {
    public func shouldCache(_ image: DecodedImage, for request: Request, response: Response) -> Bool {
        ImageCacheRule.mayKeep(response)
    }

    /// Adds an image under a name.
    public func add(_ image: DecodedImage, withIdentifier identifier: String) {
        add(image, for: ImageCacheKey(identifier))
    }

    /// Returns the image of a name.
    public func image(withIdentifier identifier: String) -> DecodedImage? { image(for: ImageCacheKey(identifier)) }

    /// Removes the image of a name. Returns whether there was one.
    @discardableResult
    public func removeImage(withIdentifier identifier: String) -> Bool { removeImage(for: ImageCacheKey(identifier)) }
}

/// When memory is used.
enum ImageCacheRule {
    /// Whether images in memory answer a request of a cache policy: not where the server, or its confirmation, is asked for.
    static func reads(_ policy: CachePolicy) -> Bool {
        var reading = policy
        (reading.storage, reading.fallsBackToStored) = (.allowed, false)
        return [.protocolRules, .cachedElseLoad, .cachedOnly].contains(reading)
    }

    /// Whether images are kept that come by a request of a cache policy.
    static func stores(_ policy: CachePolicy) -> Bool { policy.storage != .notAllowed }

    /// Whether a response may be kept: not where it says `no-store` (RFC 9111, 5.2.2.5).
    static func mayKeep(_ response: Response) -> Bool {
        !response.headers[values: .cacheControl].contains { value in
            value.split(separator: ",").contains { directive in
                let name = directive.prefix { $0 != "=" }
                return name.filter { $0 != " " && $0 != "\t" }.lowercased() == "no-store"
            }
        }
    }
}
