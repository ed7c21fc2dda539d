public import SternaCore
public import SternaPlatform
import Synchronization

/// Remembers the hosts that want to be reached by TLS only (HTTP Strict Transport Security, RFC 6797).
///
///     let hosts = HSTSStore(path: "/home/ada/.cache/app/hsts.json")
///
/// A host says so in a response over TLS, whose certificate was checked without exceptions; from then on http URLs of the host
/// become https URLs before anything is sent. Addresses and `localhost` are never remembered. The number of hosts is limited: a site
/// with very many names of its own displaces those first.
///
/// A store with a file reads it when it is first needed, and saves changes a second later and when it is released; call
/// ``save()`` before the program ends. Sessions and processes may share the file: changes are merged under a lock, and of two for one
/// host the later one counts. A file that cannot be used is left as it is: the store then works without it, and ``save()`` throws.
public final class HSTSStore: Sendable {
    /// The store that sessions share if they want to.
    public static let shared = HSTSStore()

    /// The path of the file; nil for a store in memory.
    public var path: String? { content.format?.file.path }

    private let clock: @Sendable () -> Int64
    private let content: MergedFile<HSTSStorage>
    // Set before anything is known, and never cleared: requests of stores that know nothing pass the lock by.
    private let mayMatch: Atomic<Bool>

    /// Makes a store in memory.
    ///
    /// - Parameter limit: the maximum number of hosts, at most 50,000.
    public convenience init(limit: Int = 10_000) { self.init(limit: limit, file: nil) }

    /// Makes a store with a file, which need not exist yet; its folder has to.
    ///
    /// - Parameter limit: the maximum number of hosts, at most 50,000.
    public convenience init(path: some FileReference, limit: Int = 10_000) {
        self.init(limit: limit, file: SavedFile(path: path.pathToRead, title: "The file of HSTS hosts"))
    }

    init(limit: Int, file: SavedFile?, clock: @escaping @Sendable () -> Int64 = HSTSStore.now) {
        self.clock = clock
        let hosts = HSTSState(limit: min(limit, 50_000), keepsRemovals: file != nil)
        content = MergedFile(
            "sterna.hsts", file.map { HSTSStorage(file: $0, clock: clock) }, pauses: SavePauses(longest: .seconds(1)),
            state: HSTSStorage.Content(hosts: hosts))
        mayMatch = Atomic(file != nil)
    }

    private static func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
}

// MARK: Hosts

extension HSTSStore {
    /// A host of a store.
    public struct Host: Sendable, Hashable {
        /// The name, in lower-case ASCII.
        public let name: String

        /// Whether it is for all hosts below, too.
        public let includesSubdomains: Bool

        /// When it is forgotten.
        public let expires: Date
    }

    /// The hosts that were learnt or added, by name; without those of the preload list.
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

    /// Whether a host is to be reached by TLS only; no for addresses.
    public func requiresTLS(_ host: String) -> Bool {
        content.loadNow()
        return HSTSName(host: host).map(requiresTLS) ?? false
    }

    func requiresTLS(_ name: HSTSName) -> Bool {
        let now = clock()
        return content.withLock { $0.hosts.requiresTLS(name, at: now) || $0.preload.requiresTLS(name) }
    }

    /// Adds a host as if it had said so itself. Returns false, with nothing changed, for addresses, `localhost` and what is no host.
    ///
    /// - Parameters:
    ///   - maxAge: how long it is remembered, in seconds; a year by default.
    ///   - includesSubdomains: whether it is for all hosts below, too.
    @discardableResult
    public func add(_ host: String, maxAge: Int = 31_536_000, includesSubdomains: Bool = false) -> Bool {
        guard maxAge > 0, let name = HSTSName(host: host), name.isLearnable else { return false }
        note(StrictTransportSecurity(maxAge: maxAge, includesSubdomains: includesSubdomains), from: name)
        return true
    }

    /// Forgets a host; one of the preload list stays in it.
    public func remove(_ host: String) {
        guard let name = HSTSName(host: host) else { return }
        change { $0.remove(name, at: $1) }
    }

    /// Forgets all hosts but those of the preload list.
    public func removeAll() {
        content.loadNow()
        change { state, now in
            state.removeAll(at: now)
            return true
        }
    }

    /// Learns from a response over a verified connection.
    func note(_ field: StrictTransportSecurity, from name: HSTSName) {
        change { $0.note(field, from: name, at: $1) }
    }

    /// Replaces the list of hosts that are reached by TLS only from the first request on, whatever they say. Waits for the disk.
    ///
    /// The file has a host on each line, with a dot before it for all hosts below, too (lines that begin with `#` are comments); or it
    /// is Chromium's `transport_security_state_static.json`. Throws `fileUnreadable`, with the former list in place.
    public func preload(file: some FileReference) throws(SternaError) {
        let file = SavedFile(path: try file.filePath(), title: "The HSTS preload list")
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

// MARK: Snapshots

extension HSTSStore {
    /// The hosts of a store at a moment.
    public struct Snapshot: Sendable, Hashable {
        let entries: [String: HSTSState.Entry]
    }

    /// Returns the hosts as they are now; without those of the preload list.
    public func snapshot() -> Snapshot {
        content.loadNow()
        return Snapshot(entries: content.withLock { $0.hosts.entries }.filter { !$0.value.isRemoved })
    }

    /// Replaces the hosts by those of a snapshot that have not expired.
    public func restore(_ snapshot: Snapshot) {
        content.loadNow()
        change { state, now in
            state.replaceAll(by: snapshot.entries, at: now)
            return true
        }
    }
}

// MARK: The file

extension HSTSStore {
    /// Whether requests need not ask: nothing is known, and there is no file.
    var isUnused: Bool { !mayMatch.load(ordering: .acquiring) }

    /// Whether the file was read, or there is none.
    var isLoaded: Bool { content.isLoaded }

    /// Reads the file, unless that was done. Throws `fileUnreadable`; requests go on without the file then.
    public func load() async throws { try await content.load() }

    /// Saves all changes now. Throws `fileUnreadable` for a file that is not one of a store, and `writeFailed`.
    public func save() async throws { try await content.save() }
}

extension HSTSStore: CustomReflectable {
    /// Shows the number of hosts and the path.
    public var customMirror: Mirror { Mirror(self, children: ["hosts": hosts.count, "path": path as Any]) }
}
