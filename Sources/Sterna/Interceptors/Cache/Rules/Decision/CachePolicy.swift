package import SternaCore

/// How a request uses the cache (RFC 9111).
///
///     let reply = try await api.get("news") { $0.cache.policy = .reload }
///
/// The Cache-Control directives of the request hold under every policy, except that ``reload`` and ``ignored`` forward a request
/// with `only-if-cached`. Other policies never forward it, whatever its method. Those of the response hold, too: a stale response
/// with `must-revalidate`, and any response with `no-cache`, is not served without validation, not even offline.
public struct CachePolicy: Sendable, Hashable {
    /// Which stored responses are used.
    enum Reading: String, Sendable, Hashable, CaseIterable {
        /// Those that RFC 9111, 4, allows.
        case rules
        /// None.
        case reload
        /// Responses of any age; the request is forwarded if there is none.
        case anyAge
        /// Responses of any age; the request is never forwarded.
        case cachedOnly
        /// Responses that the server has validated for this request.
        case revalidate
    }

    /// Where responses may be stored, like `URLCache.StoragePolicy`.
    public enum Storage: Sendable, Hashable {
        /// In memory and in the cache's folder; ASIHTTPRequest's `ASICachePermanentlyCacheStoragePolicy`.
        case allowed
        /// In memory only, until the cache is released; ASIHTTPRequest's `ASICacheForSessionDurationCacheStoragePolicy`.
        case allowedInMemoryOnly
        /// Not at all.
        case notAllowed
    }

    var reading = Reading.rules { didSet { edits.insert(Property.reading) } }

    /// Whether intermediate caches are told to forward the request, too (`no-cache`).
    var asksOrigin = false { didSet { edits.insert(Property.asksOrigin) } }

    /// Where responses may be stored; ``Storage/allowed`` by default.
    public var storage = Storage.allowed { didSet { edits.insert(Property.storage) } }

    /// Whether a stored response of any age is served if the server cannot be reached. False by default.
    public var fallsBackToStored = false { didSet { edits.insert(Property.fallsBackToStored) } }

    /// Whether responses may be stored anywhere.
    var stores: Bool {
        get { storage != .notAllowed }
        set { storage = newValue ? .allowed : .notAllowed }
    }

    init(reading: Reading = .rules, asksOrigin: Bool = false, stores: Bool = true, fallsBackToStored: Bool = false) {
        (self.reading, self.asksOrigin, self.fallsBackToStored) = (reading, asksOrigin, fallsBackToStored)
        self.stores = stores
    }

    /// Follows HTTP's rules (RFC 9111); the default.
    public static let protocolRules = CachePolicy()

    /// Always forwards the request, and stores the response.
    public static let reload = CachePolicy(reading: .reload)

    /// Serves a stored response of any age; forwards the request only if there is none.
    public static let cachedElseLoad = CachePolicy(reading: .anyAge)

    /// Serves a stored response of any age; never forwards the request, which receives a 504 if there is none.
    public static let cachedOnly = CachePolicy(reading: .cachedOnly)

    /// Serves a stored response only after the server has validated it, or while it is fresh and `immutable` (RFC 8246).
    public static let revalidate = CachePolicy(reading: .revalidate)

    /// Bypasses the cache: no stored response is served, and none is stored.
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
    /// The cases of `NSURLRequest.CachePolicy`.
    public enum URLRequestPolicy: String, Sendable, Hashable, CaseIterable {
        /// ``CachePolicy/protocolRules``.
        case useProtocolCachePolicy
        /// ``CachePolicy/reload``.
        case reloadIgnoringLocalCacheData
        /// ``CachePolicy/reload``.
        case reloadIgnoringCacheData
        /// ``CachePolicy/reload``, with `no-cache` for intermediate caches.
        case reloadIgnoringLocalAndRemoteCacheData
        /// ``CachePolicy/cachedElseLoad``.
        case returnCacheDataElseLoad
        /// ``CachePolicy/cachedOnly``.
        case returnCacheDataDontLoad
        /// ``CachePolicy/revalidate``.
        case reloadRevalidatingCacheData
    }

    /// Makes the policy that corresponds to a case of `NSURLRequest.CachePolicy`.
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

    /// The flags of ASIHTTPRequest's `ASICachePolicy`, with their names and values; empty for `ASIUseDefaultCachePolicy`.
    public struct ASIFlags: OptionSet, Sendable, Hashable {
        /// The value of the flags in ASIHTTPRequest.
        public let rawValue: Int

        /// Makes flags from their value in ASIHTTPRequest.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Serves no stored response.
        public static let doNotReadFromCache = ASIFlags(rawValue: 1)
        /// Stores no response.
        public static let doNotWriteToCache = ASIFlags(rawValue: 2)
        /// Validates a stale response, as HTTP's rules do.
        public static let askServerIfModifiedWhenStale = ASIFlags(rawValue: 4)
        /// Validates every stored response.
        public static let askServerIfModified = ASIFlags(rawValue: 8)
        /// Serves a stored response of any age, and asks the server only if there is none.
        public static let onlyLoadIfNotCached = ASIFlags(rawValue: 16)
        /// Serves a stored response of any age, and never asks the server.
        public static let dontLoad = ASIFlags(rawValue: 32)
        /// Serves a stored response of any age if the server cannot be reached; alone, also validates every stored response.
        public static let fallbackToCacheIfLoadFails = ASIFlags(rawValue: 64)
    }

    /// Makes the policy that corresponds to ASIHTTPRequest's flags. If flags contradict each other, the one that uses fewer stored
    /// responses holds.
    public init(_ flags: ASIFlags) {
        self.init()
        stores = !flags.contains(.doNotWriteToCache)
        fallsBackToStored = flags.contains(.fallbackToCacheIfLoadFails)
        if flags.contains(.doNotReadFromCache) {
            reading = .reload
        } else if flags.contains(.dontLoad) {
            reading = .cachedOnly
        } else if flags.contains(.askServerIfModified) || flags == .fallbackToCacheIfLoadFails {
            // This flag alone means in ASIHTTPRequest that the server is always asked.
            reading = .revalidate
        } else if flags.contains(.askServerIfModifiedWhenStale) {
            reading = .rules
        } else if flags.contains(.onlyLoadIfNotCached) {
            reading = .anyAge
        }
    }
}
