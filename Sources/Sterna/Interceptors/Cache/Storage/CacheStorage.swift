import NIOCore
package import SternaCore

/// Stores responses in memory, on disk, or both.
///
/// A store does not interpret HTTP. An entry has a key, a variant, a head (the metadata, coded by the rules) and a body. No
/// function throws: a store that cannot read or write acts as an empty one, so that no request fails because of it. Heads and
/// bodies are stored as given: a head must not contain a secret, such as a request's `Authorization` or `Cookie` field, or a
/// `Set-Cookie` field that another identity could see.
package protocol CacheStorage: AnyObject, Sendable {
    /// Whether a commit does not wait for a disk; a ``LayeredCache`` waits only for an entry that its memory refuses.
    var commitsAtOnce: Bool { get }

    /// Returns all variants of a key, the most recently stored first, without counting a use.
    nonisolated(nonsending) func variants(of key: CacheKey) async -> [CachedVariant]

    /// Counts a use of a variant, so that it is evicted later.
    func noteUse(of id: CacheEntryID)

    /// Begins an entry; nil if it cannot be stored. Call ``variants(of:)`` with the key first.
    ///
    /// A commit replaces an entry with the same key and variant. It fails if all entries were removed since this call, or, by
    /// another process, since the last look-up.
    ///
    /// - Parameters:
    ///   - variant: a hash of the request fields that the response varies on; 0 if it does not vary.
    ///   - head: the metadata, at most ``CacheLimits/headBytes``.
    ///   - length: the length of the body in bytes, nil if unknown; the commit of a body of another length fails.
    ///   - isInMemoryOnly: whether nothing may be written to a disk.
    nonisolated(nonsending) func store(
        _ key: CacheKey, variant: UInt64, head: Bytes, length: Int64?, isInMemoryOnly: Bool
    ) async -> (any CacheWriter)?

    /// Replaces the head of an entry after a validation. Returns false if the entry no longer exists, or the head is too long.
    nonisolated(nonsending) func update(_ id: CacheEntryID, head: Bytes) async -> Bool

    /// Removes an entry, unless another has replaced it.
    nonisolated(nonsending) func remove(_ id: CacheEntryID) async

    /// Removes all variants of keys.
    nonisolated(nonsending) func remove(_ keys: [CacheKey]) async

    /// Removes the entries for which a predicate returns true.
    nonisolated(nonsending) func remove(where matches: @Sendable (CacheListing) -> Bool) async

    /// Returns all entries, in no particular order.
    nonisolated(nonsending) func list() async -> [CacheListing]

    /// Returns the number of entries and their size.
    nonisolated(nonsending) func usage() async -> CacheUsage

    /// Removes all entries, and discards those that are being written.
    nonisolated(nonsending) func clear() async

    /// Waits until committed entries are on disk, safe from a power failure.
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

/// Writes the body of a new entry. An entry that is released without a commit is not stored.
package protocol CacheWriter: AnyObject, Sendable {
    /// Appends a piece of the body. Returns false if the entry can no longer be stored; further pieces are then ignored.
    ///
    /// It waits while too many bytes are unwritten, and discards the entry if that takes too long.
    nonisolated(nonsending) func append(_ piece: Bytes) async -> Bool

    /// Makes the entry visible; nil if it could not be stored.
    ///
    /// - Parameter head: a head that replaces the one that the entry began with; nil keeps it.
    nonisolated(nonsending) func commit(head: Bytes?) async -> CacheEntryID?

    /// Discards the entry. Has no effect after a commit.
    func discard()
}

/// Reads the body of an entry, which stays readable after the entry is removed.
package protocol CacheReader: AnyObject, Sendable {
    /// The length of the body in bytes.
    var length: Int64 { get }

    /// Returns at most the given number of bytes from an offset; empty only at the end.
    ///
    /// Throws `fileUnreadable` if the file cannot be read, or its bytes are damaged; a damaged entry is also removed.
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
    /// The whole body, if it is small.
    case whole(Bytes)
    case reader(any CacheReader)
}

/// An entry in a list of all.
package struct CacheListing: Sendable {
    package let id: CacheEntryID
    package let head: Bytes

    /// The length of the body in bytes.
    package let length: Int64

    /// When it was committed, in milliseconds since 1970.
    package let stored: Int64
}

/// The number and the size of a store's entries.
package struct CacheUsage: Sendable, Hashable {
    /// The number of entries.
    package var entries = 0

    /// Their size in bytes, with the store's overhead.
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

    /// How long an entry is kept, in milliseconds; nil, the default, for no limit.
    package var age: Int64?

    /// How long a body may wait for the disk before its entry is discarded; waits for the journal's lock take up to twice as long.
    /// A second by default.
    package var patience = Duration.seconds(1)

    package init(bytes: Int64) {
        self.bytes = max(0, bytes)
        entryBytes = max(0, bytes) / 8
    }

    /// Returns whether an entry with a head and a body of these lengths may be stored.
    func admits(head: Int, length: Int64) -> Bool {
        head <= headBytes && length >= 0 && length <= entryBytes && Int64(head) <= entryBytes - length
    }
}
