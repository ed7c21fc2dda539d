import HTTPTypes
import Sterna
import SternaCore

/// Where an image comes from: the request of its file, as the session makes it, and its key in memory.
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

    /// Whether equal requests share a transfer, and images are kept in memory. An answer to
    /// credentials of one request is for its caller alone.
    var isShared: Bool { request.method == .get && request.body == nil && !request.hasOwnCredentials }

    var isReadFromMemory: Bool { isShared && ImageCacheRule.reads(policy) }

    var isStoredInMemory: Bool { isShared && ImageCacheRule.stores(policy) }

    /// What tells its transfer.
    ///
    /// - Parameter number: a number of its own, for a request that is not shared.
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
