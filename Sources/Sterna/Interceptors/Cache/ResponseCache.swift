public import NIOCore
public import SternaCore
public import SternaPlatform
import Synchronization

/// Stores responses, and serves them to later requests without the server or after validation by it (RFC 9111).
///
///     let api = try Session(baseURL: "https://api.example.com") { $0.cache.store = .memory() }
///     let news = try await api.get("news")
///     print(news.source, news.headers["Cache-Status"] ?? "")
///
/// Give several sessions the same cache to share it. A response that one identity received is never served to another, unless it is
/// marked `public` (see ``SessionSettings/Auth/identityLabel``). The cache's limits hold for all sessions and identities together.
public final class ResponseCache: Sendable {
    let storage: any CacheStorage

    /// The path of the folder; nil for a cache in memory.
    public let path: String?

    /// Whether the cache is a shared one (RFC 9111, 1), which stores no `private` responses. False by default.
    public let isShared: Bool

    /// Returns the time in milliseconds since 1970.
    let clock: @Sendable () -> Int64

    /// The identities that have stored responses.
    let identities: StoredIdentities

    /// The commits of responses whose bodies are complete.
    let writes = BackgroundTasks()

    /// The background validations of stale responses.
    let refreshes = BackgroundTasks()

    private let state = Mutex(State())

    private struct State {
        var secret: IdentitySecret?
        var refreshing: Set<CacheEntryID> = []
    }

    init(
        _ storage: any CacheStorage, path: String? = nil, isShared: Bool = false,
        clock: @escaping @Sendable () -> Int64 = CacheClock.now
    ) {
        (self.storage, self.path, self.isShared, self.clock) = (storage, path, isShared, clock)
        identities = StoredIdentities(folder: path)
        if path == nil { state.withLock { $0.secret = IdentitySecret() } }
    }

    /// Makes a cache in memory.
    ///
    /// - Parameters:
    ///   - bytes: the maximum size of all entries in bytes; a response above an eighth of it is not stored. 32 MiB by default.
    ///   - isShared: whether the cache serves several users, as a proxy's does, and stores no `private` responses. False by
    ///     default.
    public static func memory(bytes: Int64 = 32 << 20, isShared: Bool = false) -> ResponseCache {
        ResponseCache(MemoryCache(limits: CacheLimits(bytes: bytes)), isShared: isShared)
    }

    /// Makes a cache in a folder, and keeps small responses that were used recently in memory, too.
    ///
    /// The folder need not exist, and is not read before the first use. Several processes may share it. Only its owner may read the
    /// files. A folder that cannot be used acts as an empty cache: requests do not fail because of it.
    ///
    /// - Parameters:
    ///   - folder: the path or file URL of the folder.
    ///   - bytes: the maximum size of all entries in bytes; 512 MiB by default.
    ///   - entryBytes: the maximum size of an entry in bytes, at most `bytes`; nil, the default, for an eighth of `bytes`.
    ///   - memoryBytes: the maximum size of the part in memory, in bytes; 16 MiB by default, 0 for none.
    ///   - age: how long a response is kept after it was stored, in whole seconds; nil, the default, for no limit.
    ///   - isShared: whether the cache serves several users, and stores no `private` responses. False by default.
    public static func folder(
        _ folder: some FileReference, bytes: Int64 = 512 << 20, entryBytes: Int64? = nil, memoryBytes: Int64 = 16 << 20,
        age: Duration? = nil, isShared: Bool = false
    ) -> ResponseCache {
        let path = folder.pathToRead
        var limits = CacheLimits(bytes: bytes)
        if let entryBytes { limits.entryBytes = min(max(0, entryBytes), limits.bytes) }
        if let age { limits.age = min(max(0, age.components.seconds), Int64.max / 1_000) * 1_000 }
        let disk = DiskCache(folder: path, limits: limits)
        let storage: any CacheStorage =
            memoryBytes > 0 ? LayeredCache(MemoryCache(limits: .init(bytes: memoryBytes)), over: disk) : disk
        return ResponseCache(storage, path: path, isShared: isShared)
    }

    /// Returns whether a folder holds a cache.
    package static func isCache(at path: String) -> Bool {
        FileStatus(path: CacheFolder(path: path).entries)?.isDirectory == true
    }

    // MARK: What requests need

    /// Returns the key that hashes identities; a cache in a folder keeps it in a file there.
    nonisolated(nonsending) func secret() async -> IdentitySecret {
        if let known = state.withLock({ $0.secret }) { return known }
        let found = (try? await BlockingWork.run { [path] in path.flatMap { IdentitySecret.kept(in: $0) } }) ?? nil
        return state.withLock { state in
            // If the folder cannot keep the key, only this process finds what it stores.
            let secret = state.secret ?? found ?? IdentitySecret()
            state.secret = secret
            return secret
        }
    }

    /// The key that hashes identities, once it has been read.
    var knownSecret: IdentitySecret? { state.withLock { $0.secret } }

    /// Removes the stored responses of a URL: those for all identities, those without an identity, those of the given identity, and
    /// those of the up to ``StoredIdentities/most`` identities that have stored responses in this cache.
    ///
    /// - Parameter suffix: what the request's keys contain in addition to its URL.
    nonisolated(nonsending) func invalidate(
        _ url: HTTPURL, _ partition: CachePartition?, _ suffix: [UInt8] = []
    ) async {
        let key = CacheRequestKey.key(of: url, [])
        let keys = suffix.isEmpty ? [key] : [key, CacheRequestKey.key(of: url, suffix)]
        // Wait for the key before reading the partitions: one may be added meanwhile.
        let anonymous = await secret().anonymous
        var partitions = await identities.all()
        for further in [partition, anonymous] {
            if let further, !partitions.contains(further) { partitions.append(further) }
        }
        await storage.remove(keys + keys.flatMap { key in partitions.map { key.within($0.bytes) } })
    }

    /// Notes that an entry is being refreshed. Returns false if a refresh of it is under way, or if 64 others are.
    func beginRefresh(of id: CacheEntryID) -> Bool {
        state.withLock { $0.refreshing.count < 64 && $0.refreshing.insert(id).inserted }
    }

    func endRefresh(of id: CacheEntryID) { _ = state.withLock { $0.refreshing.remove(id) } }

    /// Waits until all background refreshes have ended, or the limit has passed.
    package func waitForRefreshes(within limit: Duration) async {
        let end = ContinuousClock.now.advanced(by: limit)
        while !refreshes.isEmpty, ContinuousClock.now < end {
            guard (try? await Task.sleep(for: .milliseconds(5))) != nil else { return }
        }
    }
}

// MARK: Entries

extension ResponseCache {
    /// A stored response, as ``entries()`` lists it.
    public struct Entry: Sendable, Identifiable {
        let entryID: CacheEntryID

        /// Identifies the stored response; a response that replaces it has another identifier.
        public var id: some Hashable & Sendable { entryID }

        /// The URL, without user information and fragment; values in its query that look secret are `***`.
        public let url: String

        /// The status code with which it is served; 200 if only parts of the body are stored.
        public let status: Int

        /// The stored header fields.
        public let headers: HTTPFields

        /// The length of the stored body in bytes, with its content coding.
        public let length: Int64

        /// Whether the whole body is stored; false if only ranges of it are (RFC 9111, 3.3).
        public let isComplete: Bool

        /// When it was stored.
        public let stored: Date

        /// How old the response is, in seconds (RFC 9111, 4.2.3).
        public let age: Int64

        /// The remaining freshness lifetime in seconds; 0 or less for a stale response (RFC 9111, 4.2).
        public let timeLeft: Int64
    }

    /// The size of a cache.
    public struct Usage: Sendable, Hashable {
        /// The number of stored responses.
        public let entries: Int

        /// Their size in bytes, with the cache's overhead.
        public let bytes: Int64
    }

    /// Returns all stored responses, the most recently stored first; empty if the folder cannot be read.
    public func entries() async -> [Entry] {
        let settings = ruleSettings(secret: nil)
        let now = clock() / 1_000
        return await storage.list().compactMap { listing in
            guard let head = StoredHead(listing.head, bodyLength: listing.length, settings: settings) else {
                return nil
            }
            let response = head.response
            return Entry(
                entryID: listing.id, url: head.url, status: response.status, headers: response.fields,
                length: listing.length, isComplete: response.extent.isWhole,
                stored: Date(timeIntervalSince1970: Double(listing.stored) / 1_000),
                age: response.freshness.age(at: now), timeLeft: response.freshness.timeLeft(at: now))
        }.sorted { $0.stored > $1.stored }
    }

    /// Returns the stored body of a response, with its content coding; if only ranges are stored, their bytes one after another.
    ///
    /// - Parameter limit: the maximum length in bytes; 64 MiB by default.
    /// - Returns: nil if the response is no longer stored, is longer than `limit`, or cannot be read.
    public func body(of entry: Entry, upTo limit: Int = 64 << 20) async -> Bytes? {
        let variants = await storage.variants(of: entry.entryID.key)
        guard let variant = variants.first(where: { $0.id == entry.entryID }), variant.length <= limit else {
            return nil
        }
        return try? await StoredBody.collect(variant.body)
    }

    /// Returns a stored response with its content coding decoded; nil if it is no longer stored, or only ranges of it are.
    ///
    /// Throws `contentCodingFailed` for more than four codings; an unknown one stays. Reading the body throws `fileUnreadable` if
    /// the file was damaged, and `contentCodingFailed` if the content cannot be decoded.
    public func response(of entry: Entry) async throws -> Response? {
        let variants = await storage.variants(of: entry.entryID.key)
        guard let variant = variants.first(where: { $0.id == entry.entryID }), let url = try? HTTPURL(entry.url),
            let head = StoredHead(variant.head, bodyLength: variant.length, settings: ruleSettings(secret: nil)),
            head.response.extent.isWhole
        else { return nil }
        let body =
            switch variant.body {
            case .whole(let bytes): ResponseBody(bytes)
            case .reader(let reader): ResponseBody(StoredBody(reader, 0..<reader.length))
            }
        var response = Response(
            status: .init(code: min(max(head.response.status, 100), 999)),
            section: FieldSection(head.response.fields), body: body, url: url)
        response.source = .cache
        guard let coding = response[.contentEncoding] else { return response }
        return try await ContentDecodingInterceptor(limits: DecodingLimits()).decode(response, coding, isWhole: false) {
            $0
        }
    }

    /// Removes a stored response.
    public func remove(_ entry: Entry) async { await storage.remove(entry.entryID) }

    /// Removes the responses that are stored for a URL, of all identities.
    ///
    /// Throws ``HTTPURL/ParseError`` if the URL is invalid or relative.
    ///
    /// A cache remembers 1,024 identities, and forgets the earliest one for a new one. If the URL's query has a secret, the
    /// responses of forgotten identities remain, as do those of sessions with a Unix domain socket or a security policy of their
    /// own, and of requests with another `Host` field.
    public func remove(_ url: some URLConvertible) async throws {
        let url = try url.resolve(against: nil)
        await invalidate(url, nil)
        // Responses of forgotten identities are found by their shown URL, unless secrets in its query are masked.
        let shown = Redaction.show(url.removingUserinfo().removingFragment())
        guard !shown.contains("***") else { return }
        await remove { $0.url == shown }
    }

    /// Removes the stored responses for which a predicate returns true.
    public func remove(where isRemoved: @Sendable (Entry) -> Bool) async {
        for entry in await entries() where isRemoved(entry) { await storage.remove(entry.entryID) }
    }

    /// Removes all responses, and discards those that are being stored.
    public func removeAll() async { await storage.clear() }

    /// Returns the number of stored responses, and their size.
    public func usage() async -> Usage {
        let usage = await storage.usage()
        return Usage(entries: usage.entries, bytes: usage.bytes)
    }

    /// Waits until complete responses are stored, and on disk safe from a power failure.
    public func sync() async {
        await writes.wait()
        await storage.sync()
    }

    func ruleSettings(secret: IdentitySecret?, secretFields: Set<String> = []) -> CacheRuleSettings {
        var settings = CacheRuleSettings()
        settings.isShared = isShared
        for name in secretFields { settings.secrets.names.insert(name.lowercased()) }
        if let secret { settings.secrets.cover = { secret.cover($0) } }
        return settings
    }
}

extension ResponseCache: CustomReflectable {
    /// Shows only the path and whether the cache is shared.
    public var customMirror: Mirror { Mirror(self, children: ["path": path as Any, "isShared": isShared]) }
}
