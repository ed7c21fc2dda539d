import NIOCore
package import SternaCore

/// A store of responses, which the rules of the cache use: in memory, on disk, or both.
///
/// It knows nothing of HTTP. An entry has a key, a variant, a head (the metadata, coded by the rules) and a body. No function
/// throws: a store that cannot read or write has no entries and takes none, so that no request fails for it. Heads and bodies are
/// stored as they are given: a head must contain no secret, such as an `Authorization` or `Cookie` field of the request, or a
/// `Set-Cookie` field of the response that another identity could see.
package protocol CacheStorage: AnyObject, Sendable {
    /// Whether a commit waits for no disk.
    var commitsAtOnce: Bool { get }

    /// Returns all variants stored for a key, the most recently stored first, and counts as a use of none of them.
    nonisolated(nonsending) func variants(of key: CacheKey) async -> [CachedVariant]

    /// Notes that a variant answered a request, which keeps it longer.
    func noteUse(of id: CacheEntryID)

    /// Begins an entry; nil if it cannot be stored. The caller has looked for ``variants(of:)`` the key before.
    ///
    /// It replaces an entry with the same key and variant when it is committed. It is not committed if all entries were removed since
    /// then, or since the last look in the case of another process.
    ///
    /// - Parameters:
    ///   - variant: a hash of the request's fields that the response varies on; 0 without any.
    ///   - head: the metadata; at most ``CacheLimits/headBytes``.
    ///   - length: the length of the body if it is known; an entry whose body has another length is not committed.
    ///   - isInMemoryOnly: whether nothing may be written to a disk.
    nonisolated(nonsending) func store(
        _ key: CacheKey, variant: UInt64, head: Bytes, length: Int64?, isInMemoryOnly: Bool
    ) async -> (any CacheWriter)?

    /// Replaces the head of an entry, after a revalidation; returns false if the entry is no longer there or the head is too long.
    nonisolated(nonsending) func update(_ id: CacheEntryID, head: Bytes) async -> Bool

    /// Removes an entry, unless another has replaced it.
    nonisolated(nonsending) func remove(_ id: CacheEntryID) async

    /// Removes all variants of keys.
    nonisolated(nonsending) func remove(_ keys: [CacheKey]) async

    /// Removes the entries that a predicate accepts.
    nonisolated(nonsending) func remove(where matches: @Sendable (CacheListing) -> Bool) async

    /// Returns all entries, in no particular order.
    nonisolated(nonsending) func list() async -> [CacheListing]

    /// Returns the number of entries and their size.
    nonisolated(nonsending) func usage() async -> CacheUsage

    /// Removes all entries, and discards those that are being written.
    nonisolated(nonsending) func clear() async

    /// Waits until what was committed would survive a power failure.
    nonisolated(nonsending) func sync() async
}

extension CacheStorage {
    /// Begins an entry that may be written to a disk.
    nonisolated(nonsending) func store(
        _ key: CacheKey, variant: UInt64, head: Bytes, length: Int64?
    ) async -> (any CacheWriter)? {
        await store(key, variant: variant, head: head, length: length, isInMemoryOnly: false)
    }
}

/// Writes the body of a new entry. It is released without a commit if the body is incomplete: nothing of it remains then.
package protocol CacheWriter: AnyObject, Sendable {
    /// Adds a piece of the body; returns false if the entry can no longer be stored, after which further pieces are ignored.
    ///
    /// It waits while a bounded number of bytes is not written yet, and gives the entry up if that takes too long.
    nonisolated(nonsending) func append(_ piece: Bytes) async -> Bool

    /// Makes the entry visible; nil if it could not be stored.
    ///
    /// - Parameter head: another head than the one that the entry began with.
    nonisolated(nonsending) func commit(head: Bytes?) async -> CacheEntryID?

    /// Gives the entry up. Has no effect after a commit.
    func discard()
}

/// Reads the body of an entry, which stays readable if the entry is removed meanwhile.
package protocol CacheReader: AnyObject, Sendable {
    /// The length of the body in bytes.
    var length: Int64 { get }

    /// Returns at most so many bytes from an offset; empty only at the end.
    ///
    /// Throws `fileUnreadable` if the bytes are not those that were stored; the entry is removed then.
    nonisolated(nonsending) func read(at offset: Int64, upTo count: Int) async throws -> Bytes
}

/// A stored response.
package struct CachedVariant: Sendable {
    package let id: CacheEntryID
    let known: CachedHead
    package let body: CachedBody

    /// When it was committed, in milliseconds since 1970.
    package let stored: Int64

    /// The head as it was stored.
    package var head: Bytes { known.bytes }

    /// The length of the body in bytes.
    package var length: Int64 {
        switch body {
        case .whole(let bytes): Int64(bytes.readableBytes)
        case .reader(let reader): reader.length
        }
    }
}

/// The body of a stored response.
package enum CachedBody: Sendable {
    /// All bytes, for a small body.
    case whole(Bytes)
    case reader(any CacheReader)
}

/// An entry of a list.
package struct CacheListing: Sendable {
    package let id: CacheEntryID
    package let head: Bytes

    /// The length of the body in bytes.
    package let length: Int64

    /// When it was committed, in milliseconds since 1970.
    package let stored: Int64
}

/// What a store holds.
package struct CacheUsage: Sendable, Hashable {
    /// The number of entries.
    package var entries = 0

    /// Their size in bytes, with what storing them costs.
    package var bytes: Int64 = 0
}

/// The limits of a store.
package struct CacheLimits: Sendable, Hashable {
    /// The maximum size of all entries in bytes.
    package var bytes: Int64

    /// The maximum size of an entry in bytes; an eighth of ``bytes`` by default.
    package var entryBytes: Int64

    /// The maximum length of a head in bytes; 64 KiB by default.
    package var headBytes = 64 << 10

    /// The maximum number of variants of a key; 16 by default.
    package var variants = 16

    /// The maximum number of entries; 100,000 by default.
    package var entries = 100_000

    /// The maximum age of an entry in milliseconds; nil, the default, for no limit.
    package var age: Int64?

    /// How long a body waits for the disk before its entry is given up, and half the time that other processes may hold the journal's
    /// lock; a second by default.
    package var patience = Duration.seconds(1)

    package init(bytes: Int64) {
        self.bytes = max(0, bytes)
        entryBytes = max(0, bytes) / 8
    }

    /// Whether a body of this length may be stored.
    func admits(head: Int, length: Int64) -> Bool {
        head <= headBytes && length >= 0 && length <= entryBytes && Int64(head) <= entryBytes - length
    }
}
