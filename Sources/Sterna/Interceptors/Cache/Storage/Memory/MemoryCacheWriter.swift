import NIOCore
import SternaCore
import Synchronization

/// Collects the body of an entry of a ``MemoryCache``.
final class MemoryCacheWriter: CacheWriter {
    private let cache: MemoryCache
    private let id: CacheEntryID
    private let head: Bytes
    private let length: Int64?
    private let epoch: Int

    // Nil once the entry was committed or discarded.
    private let body: Mutex<Bytes?>

    init(_ cache: MemoryCache, _ id: CacheEntryID, _ head: Bytes, _ length: Int64?, epoch: Int) {
        self.cache = cache
        self.id = id
        self.head = head
        self.length = length
        self.epoch = epoch
        body = Mutex(Bytes())
    }

    nonisolated(nonsending) func append(_ piece: Bytes) async -> Bool {
        body.withLock { body in
            guard var known = body.take() else { return false }
            let count = known.readableBytes + piece.readableBytes
            guard Int64(count) <= length ?? .max,
                cache.limits.admits(head: head.readableBytes, length: Int64(count))
            else { return false }
            if known.readableBytes == 0, Int64(count) == length {
                known = piece
            } else {
                if known.readableBytes == 0, let length { known.reserveCapacity(Int(length)) }
                known.writeImmutableBuffer(piece)
            }
            body = known
            return true
        }
    }

    nonisolated(nonsending) func commit(head: Bytes?) async -> CacheEntryID? {
        guard let body = body.withLock({ $0.take() }), length == nil || Int64(body.readableBytes) == length,
            cache.commit(id, head: head ?? self.head, body: body, epoch: epoch)
        else { return nil }
        return id
    }

    func discard() { body.withLock { $0 = nil } }
}
