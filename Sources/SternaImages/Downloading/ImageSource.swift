import HTTPTypes
import Sterna
import SternaCore

/// The source of an image: the request of its file, as the session builds it, and its cache key.
struct ImageSource: Sendable {
    let request: Request
    let requestKey: ImageRequestKey
    let key: ImageCacheKey
    let policy: CachePolicy

    init(_ built: Request, _ asked: ImageRequest) {
        request = built
        requestKey = ImageRequestKey(built)
        key = ImageCacheKey(requestKey, identifier: asked.identifier)
        policy = built.cachePolicy ?? .protocolRules
    }

    /// Whether equal requests share a transfer, and images are cached in memory. The response to a request with its own credentials
    /// is only for its caller.
    var isShared: Bool { request.method == .get && request.body == nil && !request.hasOwnCredentials }

    var isReadFromMemory: Bool { isShared && ImageCacheRule.reads(policy) }

    var isStoredInMemory: Bool { isShared && ImageCacheRule.stores(policy) }

    /// Returns the key of its transfer.
    ///
    /// - Parameter number: a unique number, for a request that is not shared.
    func transferKey(_ number: Int) -> TransferKey {
        TransferKey(request: requestKey, policy: policy, own: isShared ? 0 : number)
    }
}

/// A receipt that waits for its image, with the request of the file.
struct ImageReceiver: Sendable {
    let receipt: ImageDownloadReceipt
    let source: ImageSource

    var key: ImageCacheKey { source.key }
}
