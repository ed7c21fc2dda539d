/// How a request uses the cache.
///
/// Directives of the request hold under every policy, and so do those of a response: `must-revalidate` and `no-cache` are heeded also
/// offline.
struct CachePolicy: Sendable, Hashable {
    /// Which stored responses answer.
    enum Reading: String, Sendable, Hashable, CaseIterable {
        /// Those that HTTP's rules allow (RFC 9111, 4).
        case rules
        /// None.
        case reload
        /// Those of any age; the server is asked only if there is none.
        case anyAge
        /// Those of any age; the server is never asked.
        case cachedOnly
        /// Those that the server has confirmed for this request.
        case revalidate
    }

    var reading = Reading.rules

    /// Whether caches on the way to the server are told not to answer either.
    var asksOrigin = false

    /// Whether responses are stored.
    var stores = true

    /// Whether a stored response of any age answers if the server cannot be reached.
    var fallsBack = false

    /// HTTP's rules; the default.
    static let protocolRules = CachePolicy()

    /// Asks the server in any case, and stores its response.
    static let reload = CachePolicy(reading: .reload)

    /// Uses a stored response of any age; asks the server only if there is none.
    static let cachedElseLoad = CachePolicy(reading: .anyAge)

    /// Uses a stored response of any age; never asks the server, so that the request ends with 504 if there is none.
    static let cachedOnly = CachePolicy(reading: .cachedOnly)

    /// Uses a stored response only after the server has confirmed it.
    static let revalidate = CachePolicy(reading: .revalidate)
}

extension CachePolicy {
    /// The policies of `NSURLRequest.CachePolicy`, by their names.
    enum URLRequestPolicy: String, Sendable, Hashable, CaseIterable {
        case useProtocolCachePolicy
        case reloadIgnoringLocalCacheData
        case reloadIgnoringCacheData
        case reloadIgnoringLocalAndRemoteCacheData
        case returnCacheDataElseLoad
        case returnCacheDataDontLoad
        case reloadRevalidatingCacheData
    }

    init(_ policy: URLRequestPolicy) {
        switch policy {
        case .useProtocolCachePolicy: self = .protocolRules
        case .reloadIgnoringLocalCacheData, .reloadIgnoringCacheData: self = .reload
        case .reloadIgnoringLocalAndRemoteCacheData: self = CachePolicy(reading: .reload, asksOrigin: true)
        case .returnCacheDataElseLoad: self = .cachedElseLoad
        case .returnCacheDataDontLoad: self = .cachedOnly
        case .reloadRevalidatingCacheData: self = .revalidate
        }
    }

    /// The flags of ASIHTTPRequest's `ASICachePolicy`, by their names and numbers; none of them is `ASIUseDefaultCachePolicy`.
    struct ASIFlags: OptionSet, Sendable, Hashable {
        let rawValue: Int

        static let doNotReadFromCache = ASIFlags(rawValue: 1)
        static let doNotWriteToCache = ASIFlags(rawValue: 2)
        static let askServerIfModifiedWhenStale = ASIFlags(rawValue: 4)
        static let askServerIfModified = ASIFlags(rawValue: 8)
        static let onlyLoadIfNotCached = ASIFlags(rawValue: 16)
        static let dontLoad = ASIFlags(rawValue: 32)
        static let fallbackToCacheIfLoadFails = ASIFlags(rawValue: 64)
    }

    /// Makes the policy of ASIHTTPRequest's flags; of flags that contradict each other the one that reads less holds.
    init(_ flags: ASIFlags) {
        self.init()
        stores = !flags.contains(.doNotWriteToCache)
        fallsBack = flags.contains(.fallbackToCacheIfLoadFails)
        if flags.contains(.doNotReadFromCache) {
            reading = .reload
        } else if flags.contains(.dontLoad) {
            reading = .cachedOnly
        } else if flags.contains(.askServerIfModified) {
            reading = .revalidate
        } else if flags.contains(.askServerIfModifiedWhenStale) {
            reading = .rules
        } else if flags.contains(.onlyLoadIfNotCached) {
            reading = .anyAge
        }
    }
}
