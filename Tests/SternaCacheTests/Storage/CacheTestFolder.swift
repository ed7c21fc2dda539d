import SternaPlatform

@testable import Sterna

/// A folder for a store on disk, which is removed with its last reference.
final class CacheTestFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.path + "/sterna-cache-\(UInt64.random(in: 0 ... .max))"

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var journal: String { path + "/journal-1" }
    var entries: String { path + "/entries-1" }

    /// The names of the files of entries, finished and unfinished.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: entries)) ?? [] }

    func open(bytes: Int64 = 64 << 20, change: (inout CacheLimits) -> Void = { _ in }) -> DiskCache {
        var limits = CacheLimits(bytes: bytes)
        limits.entryBytes = bytes
        // A busy machine's disk is slow, which is not the subject.
        limits.patience = .seconds(60)
        change(&limits)
        return DiskCache(folder: path, limits: limits, isTidying: false)
    }

    /// Changes a byte of a file.
    static func damage(_ path: String, at offset: Int64) {
        let descriptor = SternaPlatform.open(path, O_RDWR | O_CLOEXEC)
        var byte: UInt8 = 0
        pread(descriptor, &byte, 1, off_t(offset))
        byte ^= 0x20
        pwrite(descriptor, &byte, 1, off_t(offset))
        close(descriptor)
    }
}

extension CacheStorage {
    /// Removes all variants of a key.
    nonisolated(nonsending) func remove(_ key: CacheKey) async { await remove([key]) }
}
