public import SternaCore
public import SternaPlatform
import Synchronization

/// Remembers the hosts that must be reached over TLS (HTTP Strict Transport Security, RFC 6797).
///
///     let hosts = HSTSStore(path: "/home/ada/.cache/app/hsts.json")
///
/// A host asks for it in a response over TLS, if its certificate was verified without exceptions. From then on, http URLs of the
/// host become https URLs before anything is sent. Addresses and `localhost` are never remembered. Beyond the limit, expired hosts
/// are removed first, then the oldest hosts of the sites with the most names.
///
/// A store with a file reads it at its first use, and saves changes within a second, and when it is released; call ``save()``
/// before the program ends. Sessions and processes may share the file: changes are merged under a lock, and for each host the
/// latest counts. A file that cannot be used is left unchanged: the store then works without it, and ``save()`` throws.
public final class HSTSStore: Sendable {
    /// A store in memory that several sessions can share.
    public static let shared = HSTSStore()

    /// The path of the file; nil for a store in memory.
    public var path: String? { content.format?.file.path }

    private let clock: @Sendable () -> Int64
    private let content: MergedFile<HSTSStorage>
    // Set before the first host is known, and never cleared, so that requests skip the lock while a store is empty.
    private let mayMatch: Atomic<Bool>

    /// Makes a store, in memory or with a file.
    ///
    /// - Parameters:
    ///   - path: the path or file URL of the file, which need not exist; its folder must. Nil, the default, for a store in memory.
    ///   - limit: the maximum number of hosts, 1 to 50,000; 10,000 by default.
    ///   - format: the format of the file; JSON by default.
    public convenience init(path: (any FileReference)? = nil, limit: Int = 10_000, format: FileFormat = .json) {
        let file = path.map { PrivateFile(path: $0.pathToRead, title: "The file of HSTS hosts") }
        self.init(limit: limit, file: file, format: format)
    }

    init(
        limit: Int, file: PrivateFile?, format: FileFormat = .json,
        clock: @escaping @Sendable () -> Int64 = HSTSStore.now
    ) {
        self.clock = clock
        let hosts = HSTSState(limit: min(limit, 50_000), keepsRemovals: file != nil)
        content = MergedFile(
            "sterna.hsts", file.map { HSTSStorage(file: $0, format: format, clock: clock) },
            pauses: SavePauses(longest: .seconds(1)),
            state: HSTSStorage.Content(hosts: hosts))
        mayMatch = Atomic(file != nil)
    }

    private static func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
}

// MARK: Hosts

extension HSTSStore {
    /// A host of a store.
    public struct Host: Sendable, Hashable {
        /// The name in lower-case ASCII.
        public let name: String

        /// Whether all subdomains are included.
        public let includesSubdomains: Bool

        /// When the host is forgotten.
        public let expires: Date
    }

    /// The remembered hosts, sorted by name, without those of the preload list. The first call reads the file.
    public var hosts: [Host] {
        content.loadNow()
        let now = clock()
        return content.withLock { $0.hosts.entries }
            .filter { !$0.value.isRemoved && $0.value.expires > now }
            .sorted { $0.key < $1.key }
            .map { name, entry in
                Host(
                    name: name, includesSubdomains: entry.includesSubdomains,
                    expires: Date(timeIntervalSince1970: Double(entry.expires) / 1_000))
            }
    }

    /// Returns whether a host must be reached over TLS; false for addresses and invalid hosts. The first call reads the file.
    public func requiresTLS(_ host: String) -> Bool {
        content.loadNow()
        return HSTSName(host: host).map(requiresTLS) ?? false
    }

    func requiresTLS(_ name: HSTSName) -> Bool {
        let now = clock()
        return content.withLock { $0.hosts.requiresTLS(name, at: now) || $0.preload.requiresTLS(name) }
    }

    /// Adds a host as if it had sent the field (RFC 6797, 8.1).
    ///
    /// - Parameters:
    ///   - maxAge: how long the host is remembered, in seconds, 1 to 2,147,483,647; larger values count as the maximum. A year by
    ///     default.
    ///   - includesSubdomains: whether all subdomains are included; false by default.
    /// - Returns: false, with nothing changed, for an address, `localhost`, an invalid host, or a `maxAge` below 1.
    @discardableResult
    public func add(_ host: String, maxAge: Int = 31_536_000, includesSubdomains: Bool = false) -> Bool {
        guard maxAge > 0, let name = HSTSName(host: host), name.isLearnable else { return false }
        note(StrictTransportSecurity(maxAge: maxAge, includesSubdomains: includesSubdomains), from: name)
        return true
    }

    /// Removes a host; it stays in the preload list.
    public func remove(_ host: String) {
        guard let name = HSTSName(host: host) else { return }
        change { $0.remove(name, at: $1) }
    }

    /// Removes all hosts but those of the preload list.
    public func removeAll() {
        content.loadNow()
        change { state, now in
            state.removeAll(at: now)
            return true
        }
    }

    /// Replaces all hosts by others, such as this store's earlier ``hosts``, of which expired ones are left out. The preload list
    /// stays.
    public func restore(_ hosts: [Host]) {
        content.loadNow()
        let entries = hosts.map { host in
            let expires = (host.expires.timeIntervalSince1970 * 1_000).rounded()
            // The state sets the times of the change.
            return (
                host.name,
                HSTSState.Entry(
                    expires: Int64(exactly: expires) ?? .max, includesSubdomains: host.includesSubdomains, updated: 0)
            )
        }
        change { state, now in
            state.replaceAll(by: Dictionary(entries, uniquingKeysWith: { $1 }), at: now)
            return true
        }
    }

    /// Learns from the field of a response over a verified connection.
    func note(_ field: StrictTransportSecurity, from name: HSTSName) {
        change { $0.note(field, from: name, at: $1) }
    }

    /// Replaces the preload list: hosts that are reached only over TLS, from the first request on (RFC 6797, 12.3). Waits for the
    /// disk.
    ///
    /// The file has one host per line, with a leading dot to include subdomains, and comments that begin with `#`; or it is
    /// Chromium's `transport_security_state_static.json`, with at most 1,000,000 hosts and 64 MiB. Throws `fileUnreadable`, and
    /// keeps the former list then.
    public func preload(file: some FileReference) throws(SternaError) {
        let file = PrivateFile(path: try file.filePath(), title: "The HSTS preload list")
        let list: HSTSPreload
        do throws(FileFault) {
            guard let content = try file.load(upTo: HSTSPreload.Limits.bytes, followsLinks: true) else {
                throw FileFault("there is no such file")
            }
            list = try HSTSPreload(parsing: content.bytes)
        } catch {
            throw file.unreadable(error)
        }
        mayMatch.store(true, ordering: .releasing)
        content.withLock { $0.preload = list }
    }

    private func change(_ body: (inout HSTSState, Int64) -> Bool) {
        let now = clock()
        mayMatch.store(true, ordering: .releasing)
        content.change { ((), isChange: body(&$0.hosts, now)) }
    }
}

// MARK: The file

extension HSTSStore {
    /// The format of a store's file.
    public enum FileFormat: Sendable, Hashable {
        /// JSON with everything that a store knows of its hosts, also of removed ones.
        case json
        /// The file of curl's `--hsts`, which curl and a store may share.
        ///
        /// It does not tell when a host was learnt or removed: while two processes share it, a host that one of them removes may
        /// return with the other's next save. Comments, and lines of hosts that a store does not remember, are kept.
        case curl
    }

    /// Whether requests need not look: no host is known, and there is no file.
    var isUnused: Bool { !mayMatch.load(ordering: .acquiring) }

    /// Whether the file was read, or there is none.
    var isLoaded: Bool { content.isLoaded }

    /// Whether ``save()`` has changes of this store to write.
    package var hasUnsavedChanges: Bool { content.isDirty }

    /// Reads the file, unless it was read already. Throws `fileUnreadable`; requests then work without the file.
    public func load() async throws { try await content.load() }

    /// Saves all changes now. Throws `fileUnreadable` for a file that is not a store's, and `writeFailed`.
    public func save() async throws { try await content.save() }
}

extension HSTSStore: CustomReflectable {
    /// Shows the number of hosts and the path.
    public var customMirror: Mirror { Mirror(self, children: ["hosts": hosts.count, "path": path as Any]) }
}

extension HSTSStore {
    /// Returns the request with an https URL if its host must be reached over TLS. The first call reads the file.
    // A separate function, whose locals would otherwise occupy memory in every waiting request.
    @inline(never)
    nonisolated(nonsending) func upgraded(_ request: Request) async -> Request {
        // An unusable file is an error of `save()`, not of requests.
        if !isLoaded { try? await load() }
        guard requiresTLS(request.url), let url = HSTSRule.upgraded(request.url) else { return request }
        var request = request
        request.url = url
        return request
    }

    /// Returns whether a URL's host must be reached over TLS.
    func requiresTLS(_ url: HTTPURL) -> Bool { !isUnused && (HSTSName(url).map(requiresTLS) ?? false) }

    /// Learns from the field of a network response over a verified connection.
    func learn(from response: Response, _ url: HTTPURL) {
        // Only the first of several lines counts (RFC 6797, 8.1).
        guard HSTSRule.mayLearn(from: url, isVerified: true), let name = HSTSName(url),
            let line = response.section[values: .strictTransportSecurity].first,
            let field = StrictTransportSecurity(line)
        else { return }
        note(field, from: name)
    }
}
