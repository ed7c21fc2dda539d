import SternaCore
import SternaPlatform
import Synchronization

/// The identities that have stored responses in a cache, so that an invalidation reaches the responses of all of them.
///
/// The file `identities-1` in a cache's folder lists them for all processes: 32 bytes for each partition, the latest last. The
/// bytes are keyed hashes, which reveal no identity.
final class StoredIdentities: Sendable {
    /// The maximum number; the identity that was added first makes room for a new one.
    static let most = 1_024

    private let file: PrivateFile?
    private let state = Mutex(State())

    private struct State {
        var partitions: [CachePartition] = []
        /// The partitions known to be in the file.
        var saved: Set<CachePartition> = []
    }

    /// - Parameter folder: the folder of the cache; nil for one in memory.
    init(folder: String?) {
        file = folder.map { PrivateFile(path: $0 + "/identities-1", title: "The list of the cache's identities") }
    }

    /// Adds an identity; call it before a response of the identity is stored.
    nonisolated(nonsending) func add(_ partition: CachePartition) async {
        guard partition != .everyone else { return }
        let mustSave = state.withLock { state in
            if !state.partitions.contains(partition) {
                if state.partitions.count >= Self.most { state.saved.remove(state.partitions.removeFirst()) }
                state.partitions.append(partition)
            }
            return file != nil && !state.saved.contains(partition)
        }
        guard mustSave, let file else { return }
        // A folder that cannot be written keeps no responses either.
        guard (try? await BlockingWork.run { try Self.save(partition, file) }) != nil else { return }
        state.withLock { state in
            if state.partitions.contains(partition) { state.saved.insert(partition) }
        }
    }

    /// Returns all known identities: those of this process, and those in the folder's file.
    nonisolated(nonsending) func all() async -> [CachePartition] {
        var listed: [CachePartition] = []
        if let file { listed = (try? await BlockingWork.run { Self.read(file) }) ?? [] }
        // Read this process's identities last, since one may be added while the file is read.
        let own = state.withLock { $0.partitions }
        let known = Set(own)
        return own + listed.filter { !known.contains($0) }
    }

    private static func save(_ partition: CachePartition, _ file: PrivateFile) throws {
        try FileLock.withLock(path: file.path) {
            let listed = read(file)
            guard !listed.contains(partition) else { return }
            try file.write((listed + [partition]).suffix(most).flatMap(\.bytes))
        }
    }

    /// Reads the file; empty if it is missing, or belongs to another user.
    private static func read(_ file: PrivateFile) -> [CachePartition] {
        let size = IdentitySecret.size
        guard let content = try? file.load(upTo: most * size), content.isOwn else { return [] }
        return stride(from: 0, to: content.bytes.count - content.bytes.count % size, by: size).map {
            CachePartition(Array(content.bytes[$0..<$0 + size]))
        }
    }
}
