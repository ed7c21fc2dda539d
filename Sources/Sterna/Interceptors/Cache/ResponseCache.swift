public import NIOCore
public import SternaCore
public import SternaPlatform
import Synchronization

/// Stores responses, so that later requests are answered without a server, or with a short question to it (RFC 9111).
///
///     let api = try Session(baseURL: "https://api.example.com") { $0.cache = .memory() }
///     let news = try await api.get("news")
///     print(news.source, news.headers["Cache-Status"] ?? "")
///
/// Sessions share a cache if they are given the same one; responses of one identity are never served to another, unless they are marked
/// `public` (see ``SessionSettings/identityLabel``). All requests share its limits.
public final class ResponseCache: Sendable {
    let storage: any CacheStorage

    /// The path of the folder; nil for a cache in memory.
    public let path: String?

    /// Whether the cache serves several users: it then keeps no private responses. False by default.
    public let isShared: Bool

    /// The time in milliseconds since 1970.
    let clock: @Sendable () -> Int64

    /// The identities that have stored something.
    let identities: StoredIdentities

    /// The responses that are being stored.
    let writes = BackgroundTasks()

    /// The refreshes of stale responses.
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
    ///   - bytes: the maximum size of all entries; a response above an eighth of it is not stored. 32 MiB by default.
    ///   - isShared: whether the cache serves several users, as one of a proxy does, and keeps no private responses.
    public static func memory(bytes: Int64 = 32 << 20, isShared: Bool = false) -> ResponseCache {
        ResponseCache(MemoryCache(limits: CacheLimits(bytes: bytes)), isShared: isShared)
    }

    /// Makes a cache in a folder, which need not exist, with the responses that were used last in memory, too.
    ///
    /// Nothing is read before the first use. Several processes may use one folder. All files are readable by their owner alone. A folder
    /// that cannot be used is an empty cache: requests do not fail for it.
    ///
    /// - Parameters:
    ///   - bytes: the maximum size of all entries; 512 MiB by default.
    ///   - entryBytes: the maximum size of a response; an eighth of `bytes` by default.
    ///   - memoryBytes: the size of the part in memory; 16 MiB by default, 0 for none.
    ///   - age: how long a response is kept; without limit by default.
    ///   - isShared: whether the cache serves several users, and keeps no private responses.
    public static func folder(
        _ folder: some FileReference, bytes: Int64 = 512 << 20, entryBytes: Int64? = nil, memoryBytes: Int64 = 16 << 20,
        age: Duration? = nil, isShared: Bool = false
    ) -> ResponseCache {
        let path = folder.pathToRead
        var limits = CacheLimits(bytes: bytes)
        if let entryBytes { limits.entryBytes = min(max(0, entryBytes), limits.bytes) }
        if let age { limits.age = max(0, age.components.seconds).multipliedReportingOverflow(by: 1_000).partialValue }
        let disk = DiskCache(folder: path, limits: limits)
        let storage: any CacheStorage =
            memoryBytes > 0 ? LayeredCache(MemoryCache(limits: .init(bytes: memoryBytes)), over: disk) : disk
        return ResponseCache(storage, path: path, isShared: isShared)
    }

    /// Whether a folder holds a cache.
    package static func isCache(at path: String) -> Bool {
        FileStatus(path: CacheFolder(path: path).entries)?.isDirectory == true
    }

    // MARK: What requests need

    /// The key of identities. That of a folder is kept in it.
    nonisolated(nonsending) func secret() async -> IdentitySecret {
        if let known = state.withLock({ $0.secret }) { return known }
        let found = (try? await BlockingWork.run { [path] in path.flatMap { IdentitySecret.kept(in: $0) } }) ?? nil
        return state.withLock { state in
            // Without its file, entries are of this process alone.
            let secret = state.secret ?? found ?? IdentitySecret()
            state.secret = secret
            return secret
        }
    }

    /// The key of identities, if it was read.
    var knownSecret: IdentitySecret? { state.withLock { $0.secret } }

    /// Removes the stored responses of a URL: those for everyone and for callers without an identity, and those of the given identity and
    /// of all that have stored something in this cache, up to ``StoredIdentities/most``.
    ///
    /// - Parameter suffix: what the keys of the request have besides its URL.
    nonisolated(nonsending) func invalidate(
        _ url: HTTPURL, _ partition: CachePartition?, _ suffix: [UInt8] = []
    ) async {
        let key = CacheRequestKey.key(of: url, [])
        let keys = suffix.isEmpty ? [key] : [key, CacheRequestKey.key(of: url, suffix)]
        // Before the partitions are read, since one may be added while it is waited for.
        let anonymous = await secret().anonymous
        var partitions = await identities.all()
        for further in [partition, anonymous] {
            if let further, !partitions.contains(further) { partitions.append(further) }
        }
        await storage.remove(keys + keys.flatMap { key in partitions.map { key.within($0.bytes) } })
    }

    /// Notes that an entry is being refreshed; false if it is already, or too many are.
    func beginRefresh(of id: CacheEntryID) -> Bool {
        state.withLock { $0.refreshing.count < 64 && $0.refreshing.insert(id).inserted }
    }

    func endRefresh(of id: CacheEntryID) { _ = state.withLock { $0.refreshing.remove(id) } }

    /// Waits until stale responses that are being refreshed are, or until so much time has passed.
    package func waitForRefreshes(within limit: Duration) async {
        let end = ContinuousClock.now.advanced(by: limit)
        while !refreshes.isEmpty, ContinuousClock.now < end {
            guard (try? await Task.sleep(for: .milliseconds(5))) != nil else { return }
        }
    }
}

// MARK: Entries

extension ResponseCache {
    /// A stored response, as lists have it.
    public struct Entry: Sendable, Identifiable {
        /// What tells it from all others.
        public struct ID: Sendable, Hashable {
            let id: CacheEntryID
        }

        public let id: ID

        /// The URL, without user information and fragment, `***` in place of secret-looking values in its query.
        public let url: String

        /// The status with which it is served.
        public let status: Int

        /// The stored header fields.
        public let headers: HTTPFields

        /// The number of bytes of the body, in its content coding.
        public let length: Int64

        /// Whether the body is complete; if not, the cache has parts of it.
        public let isComplete: Bool

        /// When it was stored.
        public let stored: Date

        /// How old the response is, in seconds (RFC 9111, 4.2.3).
        public let age: Int64

        /// For how long it stays fresh, in seconds; 0 or less for a stale one.
        public let timeLeft: Int64
    }

    /// What a cache holds.
    public struct Usage: Sendable, Hashable {
        /// The number of stored responses.
        public let entries: Int

        /// Their size in bytes, with what storing them costs.
        public let bytes: Int64
    }

    /// Returns all stored responses, the most recently stored first.
    public func entries() async -> [Entry] {
        let settings = ruleSettings(secret: nil)
        let now = clock() / 1_000
        return await storage.list().compactMap { listing in
            guard let head = StoredHead(listing.head, bodyLength: listing.length, settings: settings) else {
                return nil
            }
            let response = head.response
            return Entry(
                id: .init(id: listing.id), url: head.url, status: response.status, headers: response.fields,
                length: listing.length, isComplete: response.extent.isWhole,
                stored: Date(timeIntervalSince1970: Double(listing.stored) / 1_000),
                age: response.freshness.age(at: now), timeLeft: response.freshness.timeLeft(at: now))
        }.sorted { $0.stored > $1.stored }
    }

    /// Returns the body of a stored response, in its content coding; nil if it is no longer there, or longer than `limit`.
    public func body(of entry: Entry, upTo limit: Int = 64 << 20) async -> Bytes? {
        let variants = await storage.variants(of: entry.id.id.key)
        guard let variant = variants.first(where: { $0.id == entry.id.id }), variant.length <= limit else { return nil }
        return try? await StoredBody.collect(variant.body)
    }

    /// Returns a stored response with its body decoded; nil if it is no longer there, or if only parts of it are.
    ///
    /// Its body throws `fileUnreadable` if its file was damaged, and `contentCodingFailed` for content that cannot be decoded.
    public func response(of entry: Entry) async throws -> Response? {
        let variants = await storage.variants(of: entry.id.id.key)
        guard let variant = variants.first(where: { $0.id == entry.id.id }), let url = try? HTTPURL(entry.url),
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
    public func remove(_ entry: Entry) async { await storage.remove(entry.id.id) }

    /// Removes the responses that are stored for a URL, of all identities. Throws `invalidURL`.
    ///
    /// Of a folder with responses of more than 1,024 identities, those of the earliest ones remain if the URL's query has secrets.
    public func remove(_ url: some URLConvertible) async throws {
        let url = try url.resolve(against: nil)
        await invalidate(url, nil)
        // Those of identities that are no longer known; a URL with secrets in its query is shown like others.
        let shown = Redaction.show(url.removingUserinfo().removingFragment())
        guard !shown.contains("***") else { return }
        await remove { $0.url == shown }
    }

    /// Removes the responses that a predicate selects.
    public func remove(where isRemoved: @Sendable (Entry) -> Bool) async {
        for entry in await entries() where isRemoved(entry) { await storage.remove(entry.id.id) }
    }

    /// Removes all responses, and discards those that are being stored.
    public func removeAll() async { await storage.clear() }

    /// Returns how many responses are stored, and their size.
    public func usage() async -> Usage {
        let usage = await storage.usage()
        return Usage(entries: usage.entries, bytes: usage.bytes)
    }

    /// Waits until responses that have arrived are stored, and would survive a power failure.
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
    /// Shows the path alone.
    public var customMirror: Mirror { Mirror(self, children: ["path": path as Any, "isShared": isShared]) }
}
