package import SternaCore

/// How a request uses the cache.
///
///     let reply = try await api.get("news") { $0.cachePolicy = .reload }
///
/// Directives of the request hold under every policy, and so do those of a response: `must-revalidate` and `no-cache` are heeded also
/// offline.
public struct CachePolicy: Sendable, Hashable {
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

    /// Where responses may be stored, as `URLCache.StoragePolicy` says it.
    public enum Storage: Sendable, Hashable {
        /// In memory and in the cache's folder, for ASIHTTPRequest's `ASICachePermanentlyCacheStoragePolicy`.
        case allowed
        /// In memory, until the cache is released, for `ASICacheForSessionDurationCacheStoragePolicy`.
        case allowedInMemoryOnly
        /// Nowhere.
        case notAllowed
    }

    var reading = Reading.rules { didSet { edits.insert(Property.reading) } }

    /// Whether caches on the way to the server are told not to answer either.
    var asksOrigin = false { didSet { edits.insert(Property.asksOrigin) } }

    /// Where responses may be stored; in memory and in the cache's folder by default.
    public var storage = Storage.allowed { didSet { edits.insert(Property.storage) } }

    /// Whether a stored response of any age answers if the server cannot be reached; no by default.
    public var fallsBackToStored = false { didSet { edits.insert(Property.fallsBackToStored) } }

    /// Whether responses are stored.
    var stores: Bool {
        get { storage != .notAllowed }
        set { storage = newValue ? .allowed : .notAllowed }
    }

    init(reading: Reading = .rules, asksOrigin: Bool = false, stores: Bool = true, fallsBackToStored: Bool = false) {
        (self.reading, self.asksOrigin, self.fallsBackToStored) = (reading, asksOrigin, fallsBackToStored)
        self.stores = stores
    }

    /// HTTP's rules (RFC 9111); the default.
    public static let protocolRules = CachePolicy()

    /// Asks the server in any case, and stores its response.
    public static let reload = CachePolicy(reading: .reload)

    /// Uses a stored response of any age; asks the server only if there is none.
    public static let cachedElseLoad = CachePolicy(reading: .anyAge)

    /// Uses a stored response of any age; never asks the server, so that the request ends with 504 if there is none.
    public static let cachedOnly = CachePolicy(reading: .cachedOnly)

    /// Uses a stored response only after the server has confirmed it.
    public static let revalidate = CachePolicy(reading: .revalidate)

    /// Passes the cache by: no stored response answers, and none is stored.
    public static let ignored = CachePolicy(reading: .reload, stores: false)

    /// The same as ``ignored``.
    public static let none = ignored

    package var edits = Edits()
}

extension CachePolicy: EditedValue {
    private enum Property: Int {
        case reading, asksOrigin, storage, fallsBackToStored
    }

    package func apply(to other: inout CachePolicy) {
        if edits.contains(Property.reading) { other.reading = reading }
        if edits.contains(Property.asksOrigin) { other.asksOrigin = asksOrigin }
        if edits.contains(Property.storage) { other.storage = storage }
        if edits.contains(Property.fallsBackToStored) { other.fallsBackToStored = fallsBackToStored }
    }
}

extension CachePolicy {
    /// The policies of `NSURLRequest.CachePolicy`, by their names.
    public enum URLRequestPolicy: String, Sendable, Hashable, CaseIterable {
        case useProtocolCachePolicy
        case reloadIgnoringLocalCacheData
        case reloadIgnoringCacheData
        case reloadIgnoringLocalAndRemoteCacheData
        case returnCacheDataElseLoad
        case returnCacheDataDontLoad
        case reloadRevalidatingCacheData
    }

    /// Makes the policy of that name.
    public init(_ policy: URLRequestPolicy) {
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
    public struct ASIFlags: OptionSet, Sendable, Hashable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        public static let doNotReadFromCache = ASIFlags(rawValue: 1)
        public static let doNotWriteToCache = ASIFlags(rawValue: 2)
        public static let askServerIfModifiedWhenStale = ASIFlags(rawValue: 4)
        public static let askServerIfModified = ASIFlags(rawValue: 8)
        public static let onlyLoadIfNotCached = ASIFlags(rawValue: 16)
        public static let dontLoad = ASIFlags(rawValue: 32)
        public static let fallbackToCacheIfLoadFails = ASIFlags(rawValue: 64)
    }

    /// Makes the policy of ASIHTTPRequest's flags; of flags that contradict each other the one that reads less holds.
    public init(_ flags: ASIFlags) {
        self.init()
        stores = !flags.contains(.doNotWriteToCache)
        fallsBackToStored = flags.contains(.fallbackToCacheIfLoadFails)
        if flags.contains(.doNotReadFromCache) {
            reading = .reload
        } else if flags.contains(.dontLoad) {
            reading = .cachedOnly
        } else if flags.contains(.askServerIfModified) || flags == .fallbackToCacheIfLoadFails {
            // The last one alone means there that the server is always asked.
            reading = .revalidate
        } else if flags.contains(.askServerIfModifiedWhenStale) {
            reading = .rules
        } else if flags.contains(.onlyLoadIfNotCached) {
            reading = .anyAge
        }
    }
}
