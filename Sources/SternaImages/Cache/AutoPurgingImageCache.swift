public import SternaCore
import Synchronization

/// Keeps decoded images in memory up to a number of bytes: AFAutoPurgingImageCache.
///
/// When the images are beyond the capacity, those that were not used for the longest time are removed until the rest is within
/// ``preferredMemoryUsageAfterPurge``. They are removed as far where the system says that memory is short, and all of them where it says
/// that it is nearly out. An image counts with the bytes of its pixels.
public final class AutoPurgingImageCache: ImageCache {
    /// Decides whether an image that came by a request is added.
    public typealias Decision = @Sendable (_ image: DecodedImage, _ request: Request, _ response: Response) -> Bool

    /// The bytes of all images at most.
    public let memoryCapacity: Int

    /// The bytes of the images that stay when some are removed.
    public let preferredMemoryUsageAfterPurge: Int

    private let state = Mutex(ImageCacheState())
    private let decision: Decision?
    private let watched = Mutex<MemoryPressureSubscription?>(nil)

    /// Makes a cache.
    ///
    /// - Parameters:
    ///   - memoryCapacity: 100 MiB by default.
    ///   - preferredMemoryUsageAfterPurge: 60 MiB by default; at most the capacity.
    ///   - pressure: what tells that memory is short; nil for nothing.
    ///   - shouldCache: decides whether an image that came by a request is added; by default each is whose response does not say
    ///     `no-store`.
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

    /// The bytes of all images.
    public var memoryUsage: Int { state.withLock { $0.usage } }

    /// The number of images.
    public var count: Int { state.withLock { $0.count } }

    public func add(_ image: DecodedImage, for key: ImageCacheKey) {
        state.withLock {
            $0.add(image, for: key, capacity: memoryCapacity, preferred: preferredMemoryUsageAfterPurge)
        }
    }

    public func image(for key: ImageCacheKey) -> DecodedImage? { state.withLock { $0.image(for: key) } }

    @discardableResult
    public func removeImage(for key: ImageCacheKey) -> Bool { state.withLock { $0.remove(key) } }

    @discardableResult
    public func removeImages(of request: Request) -> Bool {
        let key = ImageRequestKey(request)
        return state.withLock { $0.removeAll { $0.isOf(key) } }
    }

    @discardableResult
    public func removeAllImages() -> Bool { state.withLock { $0.removeAll() } }

    public func shouldCache(_ image: DecodedImage, for request: Request, response: Response) -> Bool {
        decision?(image, request, response) ?? ImageCacheRule.mayKeep(response)
    }

    /// Gives memory back.
    private func relieve(_ level: MemoryPressure.Level) {
        state.withLock { state in
            switch level {
            case .warning: state.purge(to: preferredMemoryUsageAfterPurge)
            case .critical: _ = state.removeAll()
            }
        }
    }
}
