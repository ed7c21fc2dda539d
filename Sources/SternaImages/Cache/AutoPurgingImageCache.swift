public import SternaCore
import Synchronization

/// An image cache in memory with a limit in bytes, like AFAutoPurgingImageCache.
///
/// When the images exceed the capacity, the cache evicts the least recently used ones until the rest is within
/// ``preferredMemoryUsageAfterPurge``. It evicts to the same size when the system is short of memory, and evicts all images when
/// memory is critical. An image counts with its ``DecodedImage/cost``.
public final class AutoPurgingImageCache: ImageCache {
    /// Returns whether to cache the image of a request.
    public typealias Decision = @Sendable (_ image: DecodedImage, _ request: Request, _ response: Response) -> Bool

    /// The maximum size of all images, in bytes.
    public let memoryCapacity: Int

    /// The size in bytes to which an eviction reduces the images.
    public let preferredMemoryUsageAfterPurge: Int

    private let state = Mutex(ImageCacheState())
    private let decision: Decision?
    private let watched = Mutex<MemoryPressureSubscription?>(nil)

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - memoryCapacity: the maximum size of all images, in bytes; 100 MiB by default.
    ///   - preferredMemoryUsageAfterPurge: the size in bytes after an eviction; 60 MiB by default, at most the capacity.
    ///   - pressure: the source of memory warnings; ``MemoryPressure/system`` by default, nil for none.
    ///   - shouldCache: returns whether to cache the image of a request; by default all images whose responses do not have
    ///     `no-store` (RFC 9111, 5.2.2.5).
    public init(
        memoryCapacity: Int = 100 << 20, preferredMemoryUsageAfterPurge: Int = 60 << 20,
        pressure: MemoryPressure? = .system, shouldCache: Decision? = nil
    ) {
        self.memoryCapacity = max(0, memoryCapacity)
        self.preferredMemoryUsageAfterPurge = min(max(0, preferredMemoryUsageAfterPurge), self.memoryCapacity)
        decision = shouldCache
        let subscription = pressure?.subscribe { [weak self] level in self?.relieve(level) }
        watched.withLock { $0 = subscription }
    }

    /// The size of all images, in bytes.
    public var memoryUsage: Int { state.withLock { $0.usage } }

    /// The number of cached images.
    public var count: Int { state.withLock { $0.count } }

    /// Adds an image, replacing one of the same key. An image larger than ``memoryCapacity`` is not added.
    public func add(_ image: DecodedImage, for key: ImageCacheKey) {
        state.withLock {
            $0.add(image, for: key, capacity: memoryCapacity, preferred: preferredMemoryUsageAfterPurge)
        }
    }

    /// Returns the image of a key, and marks it as used; nil if it is not cached.
    public func image(for key: ImageCacheKey) -> DecodedImage? { state.withLock { $0.image(for: key) } }

    /// Removes the image of a key. Returns whether it was cached.
    @discardableResult
    public func removeImage(for key: ImageCacheKey) -> Bool { state.withLock { $0.remove(key) } }

    /// Removes all images of a request, with any target size or filter. Returns whether there was one.
    @discardableResult
    public func removeImages(of request: Request) -> Bool {
        let key = ImageRequestKey(request)
        return state.withLock { $0.removeAll { $0.isOf(key) } }
    }

    /// Removes all images. Returns whether there was one.
    @discardableResult
    public func removeAllImages() -> Bool { state.withLock { $0.removeAll() } }

    /// Returns the decision of the closure; without one, whether the response does not have `no-store`.
    public func shouldCache(_ image: DecodedImage, for request: Request, response: Response) -> Bool {
        decision?(image, request, response) ?? ImageCacheRule.mayKeep(response)
    }

    /// Evicts images by a level of memory pressure.
    private func relieve(_ level: MemoryPressure.Level) {
        state.withLock { state in
            switch level {
            case .warning: state.purge(to: preferredMemoryUsageAfterPurge)
            case .critical: _ = state.removeAll()
            }
        }
    }
}
