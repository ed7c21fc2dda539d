import HTTPTypes
import Sterna
public import SternaCore

/// A cache of decoded images in memory. Its methods may be called on any thread.
public protocol ImageCache: Sendable {
    /// Adds an image, replacing one of the same key.
    func add(_ image: DecodedImage, for key: ImageCacheKey)

    /// Returns the image of a key; nil if it is not cached.
    func image(for key: ImageCacheKey) -> DecodedImage?

    /// Removes the image of a key. Returns whether it was cached.
    @discardableResult
    func removeImage(for key: ImageCacheKey) -> Bool

    /// Removes all images of a request, with any target size or filter. Returns whether there was one.
    @discardableResult
    func removeImages(of request: Request) -> Bool

    /// Removes all images. Returns whether there was one.
    @discardableResult
    func removeAllImages() -> Bool

    /// Returns whether to cache the image of a request; ``ImageDownloader`` calls it before it adds an image. By default true,
    /// unless the response has `no-store` (RFC 9111, 5.2.2.5).
    func shouldCache(_ image: DecodedImage, for request: Request, response: Response) -> Bool
}

extension ImageCache {
    /// Returns true unless the response has `no-store`.
    public func shouldCache(_ image: DecodedImage, for request: Request, response: Response) -> Bool {
        ImageCacheRule.mayKeep(response)
    }

    /// Adds an image under a name.
    public func add(_ image: DecodedImage, withIdentifier identifier: String) {
        add(image, for: ImageCacheKey(identifier))
    }

    /// Returns the image of a name; nil if it is not cached.
    public func image(withIdentifier identifier: String) -> DecodedImage? { image(for: ImageCacheKey(identifier)) }

    /// Removes the image of a name. Returns whether it was cached.
    @discardableResult
    public func removeImage(withIdentifier identifier: String) -> Bool { removeImage(for: ImageCacheKey(identifier)) }
}

/// Decides when images in memory are used and stored.
enum ImageCacheRule {
    /// Returns whether images in memory serve a request with a cache policy: not if the policy requires the server or a validation.
    static func reads(_ policy: CachePolicy) -> Bool {
        var reading = policy
        (reading.storage, reading.fallsBackToStored) = (.allowed, false)
        return [.protocolRules, .cachedElseLoad, .cachedOnly].contains(reading)
    }

    /// Returns whether to cache the images of requests with a cache policy.
    static func stores(_ policy: CachePolicy) -> Bool { policy.storage != .notAllowed }

    /// Returns whether a response may be stored: not if it has `no-store` (RFC 9111, 5.2.2.5).
    static func mayKeep(_ response: Response) -> Bool {
        !response.headers[values: .cacheControl].contains { value in
            value.split(separator: ",").contains { directive in
                let name = directive.prefix { $0 != "=" }
                return name.filter { $0 != " " && $0 != "\t" }.lowercased() == "no-store"
            }
        }
    }
}
