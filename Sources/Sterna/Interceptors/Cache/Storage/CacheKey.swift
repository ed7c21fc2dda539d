import Crypto

/// An opaque key of the cache: the combined hashes of a request's key and of its partition.
package struct CacheKey: Sendable, Hashable {
    // The 32 bytes in little-endian words.
    let words: (UInt64, UInt64, UInt64, UInt64)

    /// The length of a key in bytes.
    static let size = 32

    /// Makes the key of a request.
    ///
    /// - Parameters:
    ///   - request: the bytes that identify a request, such as its URL.
    ///   - partition: a keyed hash of the identity that the response belongs to; empty for one that all identities share.
    package init(request: some Sequence<UInt8>, partition: some Collection<UInt8>) {
        self = Self(of: request).within(partition)
    }

    /// Makes the key of a request whose response all identities share.
    init(of request: some Sequence<UInt8>) {
        var hash = SHA256()
        if request.withContiguousStorageIfAvailable({ hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }) == nil {
            hash.update(data: Array(request))
        }
        let digest = hash.finalize()
        self.init { index in digest.withUnsafeBytes { LittleEndian.word($0, at: 8 * index) } }
    }

    /// Returns the key of the same request in an identity's partition.
    ///
    /// The two hashes are combined by exclusive or. Another request with the same key in another partition cannot be constructed
    /// without the partitions, which are keyed hashes.
    func within(_ partition: some Collection<UInt8>) -> CacheKey {
        guard !partition.isEmpty else { return self }
        let other: CacheKey
        if partition.count == Self.size,
            let known = partition.withContiguousStorageIfAvailable({ bytes in
                CacheKey { LittleEndian.word(UnsafeRawBufferPointer(bytes), at: 8 * $0) }
            })
        {
            other = known
        } else {
            other = CacheKey(of: partition)
        }
        let (mine, others) = (words, other.words)
        return CacheKey(words: (mine.0 ^ others.0, mine.1 ^ others.1, mine.2 ^ others.2, mine.3 ^ others.3))
    }

    init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    init(_ word: (Int) -> UInt64) { words = (word(0), word(1), word(2), word(3)) }

    package static func == (left: CacheKey, right: CacheKey) -> Bool { left.words == right.words }

    // The words are a hash already, so one is enough.
    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

/// Identifies an entry; an entry that replaces another has a different identifier.
package struct CacheEntryID: Sendable, Hashable {
    package let key: CacheKey

    /// The hash of the fields that the response varies on; 0 if it does not vary.
    package let variant: UInt64

    /// A random number.
    package let nonce: UInt64

    init(key: CacheKey, variant: UInt64, nonce: UInt64) {
        self.key = key
        self.variant = variant
        self.nonce = nonce
    }

    /// The value by which eviction recognises an evicted entry; an entry that replaces it has the same.
    var fingerprint: UInt64 { key.words.0 ^ (key.words.1 &+ variant &* 0x9E37_79B9_7F4A_7C15) }
}

/// Reads and writes words of 8 bytes, in little-endian order.
enum LittleEndian {
    /// Returns the word at an offset; 0 if there are too few bytes.
    @inline(__always)
    static func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        guard offset >= 0, bytes.count >= 8, offset <= bytes.count - 8 else { return 0 }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Appends a word.
    static func append(_ word: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
