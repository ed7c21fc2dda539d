import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

/// A response that is being stored while its body arrives.
///
/// If it is released before ``finish()``, nothing is stored.
final class NewEntry: Sendable {
    private let cache: ResponseCache
    private let writer: any CacheWriter

    /// The head of a body whose length was not known; nil if the head is complete.
    private let head: StoredHead?
    private let settings: CacheRuleSettings

    /// The entries that it takes the place of, in another partition.
    private let others: [CacheEntryID]

    /// The entry that goes if the store does not take this one, since it would answer again in its place.
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

    /// Adds a piece of the body; returns false once the entry is given up.
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

    /// Stores the response, whose body is complete. A disk is not waited for.
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

    /// Gives the entry up, unless its body is complete: a reader that has all of it may end before the disk does.
    func discard() {
        let wasOver = state.withLock { state in
            defer { state.isOver = true }
            return state.isOver
        }
        if !wasOver { writer.discard() }
    }
}

/// A body that is stored while it is read.
///
/// A reader waits for the store only while a bounded number of bytes is not written yet, and for at most a second: then nothing is
/// stored. A body that is not read to its end leaves nothing behind.
final class TeeBody: BodyStream {
    private let source: ClaimedBody
    private let entry: NewEntry

    /// Whether the body is read for the store alone.
    private let isForStoreAlone: Bool

    init(_ source: ClaimedBody, _ entry: NewEntry, isForStoreAlone: Bool = false) {
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
            // A cancelled reader may read on; any other error ends the body.
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
