import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

/// A response that is being stored while its body arrives.
///
/// If it is released before ``finish()``, nothing is stored.
final class PendingEntry: Sendable {
    private let cache: ResponseCache
    private let writer: any CacheWriter

    /// The head of a body of unknown length, to which the length is added; nil if the head is complete.
    private let head: StoredHead?
    private let settings: CacheRuleSettings

    /// The entries in other partitions or variants that it replaces.
    private let others: [CacheEntryID]

    /// The entry that is removed if the store refuses this one, so that it is not served again.
    private let replaced: CacheEntryID?
    private let state = Mutex(State())

    private struct State {
        var length: Int64 = 0
        var isOver = false
    }

    init(
        _ cache: ResponseCache, _ writer: any CacheWriter, _ head: StoredHead?, settings: CacheRuleSettings,
        removing others: [CacheEntryID], replacing replaced: CacheEntryID? = nil
    ) {
        (self.cache, self.writer, self.head) = (cache, writer, head)
        (self.settings, self.others, self.replaced) = (settings, others, replaced)
    }

    deinit { if state.withLock({ !$0.isOver }) { writer.discard() } }

    /// Adds a piece of the body. Returns false once the entry has been discarded.
    nonisolated(nonsending) func append(_ piece: Bytes) async -> Bool {
        let isOver = state.withLock { state in
            state.length += Int64(piece.readableBytes)
            return state.isOver
        }
        guard !isOver else { return false }
        guard await writer.append(piece) else {
            discard()
            await dropReplaced()
            return false
        }
        return true
    }

    private nonisolated(nonsending) func dropReplaced() async {
        if let replaced { await cache.storage.remove(replaced) }
    }

    /// Stores the response, whose body is complete. It waits for a disk only if the store's ``CacheStorage/commitsAtOnce`` is true
    /// and its memory refuses the entry.
    nonisolated(nonsending) func finish() async {
        let (length, isOver) = state.withLock { state in
            defer { state.isOver = true }
            return (state.length, state.isOver)
        }
        guard !isOver else { return }
        guard cache.storage.commitsAtOnce else {
            cache.writes.run { [self] in await commit(length) }
            return
        }
        await commit(length)
    }

    private nonisolated(nonsending) func commit(_ length: Int64) async {
        var complete: Bytes?
        if let head {
            let old = head.response
            complete =
                StoredHead(
                    url: head.url,
                    StoredResponse(old.response, variant: old.variant, extent: .whole(length), settings: settings)
                ).coded
        }
        guard await writer.commit(head: complete) != nil else { return await dropReplaced() }
        for id in others { await cache.storage.remove(id) }
    }

    /// Discards the entry, unless its body is complete: a caller that has read all of it may finish before the disk does.
    func discard() {
        let wasOver = state.withLock { state in
            defer { state.isOver = true }
            return state.isOver
        }
        if !wasOver { writer.discard() }
    }
}

/// Stores a body while the caller reads it.
///
/// The caller waits for the store only while too many bytes are unwritten, and for at most a second: then the entry is discarded. A
/// body that is not read to its end is not stored.
final class StoringBody: BodyStream {
    private let source: ClaimedBody
    private let entry: PendingEntry

    /// Whether no caller reads the body, because the request refreshes a stale response.
    private let isForStoreAlone: Bool

    init(_ source: ClaimedBody, _ entry: PendingEntry, isForStoreAlone: Bool = false) {
        (self.source, self.entry, self.isForStoreAlone) = (source, entry, isForStoreAlone)
    }

    func next() async throws -> Bytes? {
        do {
            guard let piece = try await source.next() else {
                await entry.finish()
                return nil
            }
            guard await entry.append(piece) || !isForStoreAlone else {
                cancel()
                return nil
            }
            return piece
        } catch {
            // A cancelled caller may continue to read; any other error ends the body.
            if (error as? SternaError)?.kind != .cancelled { entry.discard() }
            throw error
        }
    }

    func cancel() {
        entry.discard()
        source.cancel()
    }

    var length: Int64? { source.length }

    var trailers: HTTPFields? { source.trailers }
}
