import NIOCore
import SternaCore
import SternaPlatform
import Synchronization

/// Writes the body of an entry of a ``DiskCache`` while it arrives.
///
/// A body shorter than one piece (256 KiB) is written at the commit, a longer one piece by piece. A caller that leaves more than
/// ``mostPieces`` complete pieces in memory waits until half of ``mostPieces`` are left.
final class DiskCacheWriter: CacheWriter {
    /// The number of complete pieces that may wait for the disk.
    static let mostPieces = 8

    private struct State {
        // The piece that is being filled.
        var filled = Bytes()
        // Complete pieces, the oldest first.
        var waiting: [Bytes] = []
        // The length of all pieces so far.
        var length: Int64 = 0
        // The number of pieces taken for writing.
        var written = 0
        var file: NewEntryFile?
        var isWriting = false
        // Whether the entry was committed or discarded.
        var isOver = false
        // The caller that waits until at most this many pieces are left.
        var waiter: (pieces: Int, wait: Wait<Void>)?
    }

    private let cache: DiskCache
    private let id: CacheEntryID
    private let head: Bytes
    private let slotSize: Int
    private let length: Int64?
    private let epoch: DiskCache.Epoch
    private let state = Mutex(State())

    init(_ cache: DiskCache, _ id: CacheEntryID, _ head: Bytes, _ length: Int64?, since epoch: DiskCache.Epoch) {
        self.cache = cache
        self.id = id
        self.head = head
        slotSize = HeadSlot.size(forHead: head.readableBytes)
        self.length = length
        self.epoch = epoch
    }

    // MARK: Pieces

    nonisolated(nonsending) func append(_ piece: Bytes) async -> Bool {
        let (isTaken, begins, isFull) = change { state in
            guard !state.isOver else { return (false, false, false) }
            let total = state.length + Int64(piece.readableBytes)
            guard total <= length ?? .max, cache.limits.admits(head: head.readableBytes, length: total) else {
                Self.giveUp(&state)
                return (false, false, false)
            }
            state.length = total
            Self.add(piece, to: &state)
            let begins = !state.waiting.isEmpty && !state.isWriting
            if begins { state.isWriting = true }
            return (true, begins, state.waiting.count > Self.mostPieces)
        }
        if begins { BlockingWork.begin { [self] in drain() } }
        if isFull { await wait(for: Self.mostPieces / 2) }
        return isTaken && state.withLock { !$0.isOver }
    }

    private static func add(_ piece: Bytes, to state: inout State) {
        var rest = piece
        while rest.readableBytes > 0 {
            if state.filled.readableBytes == 0 {
                // Reserves room for the checksum.
                let size =
                    rest.readableBytes < 64 << 10 && state.written == 0 ? rest.readableBytes : EntryHeader.pieceSize
                state.filled = Bytes()
                state.filled.reserveCapacity(size + EntryHeader.checksumSize)
            }
            let count = min(rest.readableBytes, EntryHeader.pieceSize - state.filled.readableBytes)
            guard var slice = rest.readSlice(length: count) else { return }
            state.filled.writeBuffer(&slice)
            if state.filled.readableBytes == EntryHeader.pieceSize {
                state.waiting.append(state.filled)
                state.filled = Bytes()
            }
        }
    }

    /// Writes the waiting pieces, on a thread of ``BlockingWork``.
    private func drain() {
        while true {
            let next: (piece: Bytes, number: Int, file: NewEntryFile?)? = change { state in
                guard !state.isOver, !state.waiting.isEmpty else {
                    state.isWriting = false
                    return nil
                }
                defer { state.written += 1 }
                return (state.waiting.removeFirst(), state.written, state.file)
            }
            guard let next else { return }
            let file = next.file ?? cache.folder.newFile(id)
            let isWritten = file?.write(next.piece, next.number, header(0, slotSize)) ?? false
            change { state in
                if isWritten, !state.isOver { state.file = file } else { Self.giveUp(&state) }
            }
        }
    }

    private func header(_ length: Int64, _ slotSize: Int) -> EntryHeader {
        EntryHeader(id, stored: cache.now(), length: length, slotSize: slotSize)
    }

    // MARK: Waiting

    private nonisolated(nonsending) func wait(for pieces: Int) async {
        let timer = Task { [self] in
            guard (try? await Task.sleep(for: cache.limits.patience)) != nil else { return }
            discard()
        }
        let wait = Wait<Void>()
        let former = change { state in
            defer { state.waiter = (pieces, wait) }
            return state.waiter?.wait
        }
        // Only one caller may wait; a second one is misuse, and resumes the first.
        former?.end()
        // Cancellation does not end the wait: an accepted piece stays in memory until it is written.
        try? await wait.valueIgnoringCancellation()
        timer.cancel()
    }

    /// Changes the state, and resumes the waiting caller if few enough pieces are left. A wait for 0 pieces ends when the last one
    /// is written.
    private func change<Result>(_ change: (inout State) -> Result) -> Result {
        let (result, wait) = state.withLock { state -> (Result, Wait<Void>?) in
            let result = change(&state)
            guard let waiter = state.waiter,
                state.isOver || (state.waiting.count <= waiter.pieces && (waiter.pieces > 0 || !state.isWriting))
            else { return (result, nil) }
            state.waiter = nil
            return (result, waiter.wait)
        }
        wait?.end()
        return result
    }

    // MARK: The end

    func discard() { change { Self.giveUp(&$0) } }

    private static func giveUp(_ state: inout State) {
        state.isOver = true
        state.filled = Bytes()
        state.waiting = []
        // Its last reference deletes the file.
        state.file = nil
    }

    nonisolated(nonsending) func commit(head: Bytes?) async -> CacheEntryID? {
        let isIdle = state.withLock { !$0.isWriting }
        if !isIdle { await wait(for: 0) }
        let last: (piece: Bytes, length: Int64, written: Int, file: NewEntryFile?)? = change { state in
            guard !state.isOver, length == nil || state.length == length else {
                Self.giveUp(&state)
                return nil
            }
            defer { Self.giveUp(&state) }
            return (state.filled, state.length, state.written, state.file)
        }
        guard let last, (head ?? self.head).readableBytes <= cache.limits.headBytes else { return nil }
        let present = head ?? self.head
        return try? await BlockingWork.run { [self] in
            // If no piece was written yet, the slots can have any size.
            let size = last.written == 0 ? HeadSlot.size(forHead: present.readableBytes) : slotSize
            let header = header(last.length, size)
            guard size <= EntryHeader.mostSlotSize,
                let file = last.file ?? cache.folder.newFile(id),
                last.piece.readableBytes == 0 || file.write(last.piece, last.written, header),
                file.finish(header, present), cache.publish(file, header, since: epoch)
            else { return nil }
            return id
        }
    }
}
