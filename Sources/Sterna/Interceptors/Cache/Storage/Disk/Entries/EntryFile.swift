import NIOCore
import SternaCore
import SternaPlatform

/// An entry's file, open for reading. All functions wait for the disk.
final class EntryFile: Sendable {
    /// Why a file cannot be used.
    enum Fault: Error, Sendable, Hashable {
        /// The file is missing or damaged: the entry has to be removed.
        case unusable
        /// The file cannot be read at present, for example because too many files are open.
        case unreadable(code: Int32)
    }

    /// The number of bytes that are read at opening: the whole of a small entry.
    private static let firstRead = EntryHeader.pieceSize + (16 << 10)

    let header: EntryHeader

    /// The current head.
    let head: Bytes

    /// The number of the head's slot, and its revision.
    let slot: (number: Int, revision: UInt64)

    /// The body, if it has at most one piece.
    let body: Bytes?
    private let descriptor: CInt

    /// Opens an entry and verifies header, head and size, and the whole body if it has one piece.
    ///
    /// - Parameter id: the expected entry; nil for any.
    init(_ path: String, id: CacheEntryID?, flags: CInt = O_RDONLY) throws(Fault) {
        let opened = CacheFolder.open(path, flags)
        guard let descriptor = opened.descriptor else {
            throw opened.reason == ENOENT || opened.reason == ELOOP ? .unusable : .unreadable(code: opened.reason)
        }
        do throws(Fault) {
            let read = try Self.read(descriptor, id: id)
            (header, head, slot, body) = read
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    private static func read(
        _ descriptor: CInt, id: CacheEntryID?
    ) throws(Fault) -> (EntryHeader, Bytes, (Int, UInt64), Bytes?) {
        guard let size = FileStatus(descriptor: descriptor)?.size, size >= EntryHeader.size else { throw .unusable }
        var count = Int(min(size, Int64(firstRead)))
        guard var start = CacheFolder.read(descriptor, at: 0, count: count) else { throw .unreadable(code: EIO) }
        guard let header = start.withUnsafeReadableBytes({ EntryHeader($0) }), header.fileSize == size,
            id == nil || header.id == id
        else { throw .unusable }
        if header.bodyStart > count {
            count = header.bodyStart
            guard let more = CacheFolder.read(descriptor, at: 0, count: count) else { throw .unreadable(code: EIO) }
            start = more
        }
        guard let present = start.withUnsafeReadableBytes({ HeadSlot.present($0, header) }),
            let head = start.getSlice(at: start.readerIndex + present.head.lowerBound, length: present.head.count)
        else { throw .unusable }
        var body: Bytes?
        if header.length == 0 {
            body = Bytes()
        } else if header.pieces == 1 {
            let place = header.piece(0)
            if Int64(start.readableBytes) >= size {
                body = start.getSlice(
                    at: start.readerIndex + Int(place.start), length: place.length + EntryHeader.checksumSize)
            } else {
                body = CacheFolder.read(
                    descriptor, at: place.start, count: place.length + EntryHeader.checksumSize)
                if body == nil { throw .unreadable(code: EIO) }
            }
            body = body.flatMap { checked($0, header, 0) }
            guard body != nil else { throw .unusable }
        }
        return (header, head, (present.slot, present.revision), body)
    }

    /// Returns a piece without its checksum; nil if the checksum does not match.
    private static func checked(_ bytes: Bytes, _ header: EntryHeader, _ number: Int) -> Bytes? {
        let length = header.piece(number).length
        guard bytes.readableBytes == length + EntryHeader.checksumSize else { return nil }
        let isRight = bytes.withUnsafeReadableBytes { raw in
            EntryHeader.checksum(
                UnsafeRawBufferPointer(rebasing: raw[..<length]), number: number, nonce: header.id.nonce)
                == LittleEndian.word(raw, at: length)
        }
        return isRight ? bytes.getSlice(at: bytes.readerIndex, length: length) : nil
    }

    /// Reads a piece of the body and verifies it.
    func piece(_ number: Int) throws(Fault) -> Bytes {
        guard number >= 0, number < header.pieces else { return Bytes() }
        if number == 0, let body { return body }
        let place = header.piece(number)
        guard
            let bytes = CacheFolder.read(
                descriptor, at: place.start, count: place.length + EntryHeader.checksumSize)
        else { throw .unreadable(code: EIO) }
        guard let piece = Self.checked(bytes, header, number) else { throw .unusable }
        return piece
    }

    /// Verifies all pieces.
    func verify() throws(Fault) {
        for number in 0..<(body == nil ? header.pieces : 0) { _ = try piece(number) }
    }

    // MARK: Changing the head

    /// Replaces the head of an entry that was opened for writing. Returns the file's new size; nil on failure.
    ///
    /// The file keeps its old head, or has the new one, whatever happens. Only one caller at a time may change a file.
    func update(_ head: Bytes, at path: String) -> Int64? {
        let bytes = HeadSlot.bytes(head, revision: slot.revision &+ 1, nonce: header.id.nonce)
        if bytes.count <= header.slotSize {
            let offset = Int64(header.slot(1 - slot.number))
            return bytes.withUnsafeBytes { CacheFolder.write($0, descriptor, at: offset) } ? header.fileSize : nil
        }
        // The slots have to grow: write another file with the same body.
        let larger = EntryHeader(
            header.id, stored: header.stored, length: header.length,
            slotSize: HeadSlot.size(forHead: head.readableBytes))
        let unfinished = path + CacheFolder.unfinished
        // Removes the file of a killed process, since no other caller changes this entry.
        unlink(unfinished)
        guard larger.slotSize <= EntryHeader.mostSlotSize, let file = NewEntryFile(unfinished) else { return nil }
        for number in 0..<header.pieces {
            guard let piece = try? piece(number), file.write(piece, number, larger) else { return nil }
        }
        guard file.finish(larger, head, revision: slot.revision &+ 1) else { return nil }
        file.sync()
        return file.place(at: path) ? larger.fileSize : nil
    }
}

/// An entry's file that is being written, under a name that no reader opens. All functions wait for the disk.
final class NewEntryFile: Sendable {
    private let descriptor: CInt
    private let path: String

    /// Makes a file that only its owner can read; nil on failure.
    init?(_ path: String) {
        // Until the file is locked, another store that tidies up can take it for abandoned and remove it: then another is made.
        for _ in 0..<Self.mostAttempts {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return nil }
            // Waits for a store that removes it.
            while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
            if Self.isFile(descriptor, at: path) {
                self.descriptor = descriptor
                self.path = path
                return
            }
            close(descriptor)
        }
        return nil
    }

    /// The maximum number of attempts; for one to fail, another store has to tidy up just before the lock.
    private static let mostAttempts = 100

    private static func isFile(_ descriptor: CInt, at path: String) -> Bool {
        FileStatus(linkAt: path)?.identity == FileStatus(descriptor: descriptor)?.identity
    }

    deinit {
        // A placed file no longer has this name.
        if Self.isFile(descriptor, at: path) { unlink(path) }
        close(descriptor)
    }

    /// Writes a piece of the body with its checksum.
    func write(_ piece: Bytes, _ number: Int, _ header: EntryHeader) -> Bool {
        var bytes = piece
        let sum = piece.withUnsafeReadableBytes { EntryHeader.checksum($0, number: number, nonce: header.id.nonce) }
        bytes.writeInteger(sum, endianness: .little)
        let start = Int64(header.bodyStart) + Int64(number) * Int64(EntryHeader.pieceSize + EntryHeader.checksumSize)
        return bytes.withUnsafeReadableBytes { CacheFolder.write($0, descriptor, at: start) }
    }

    /// Writes header and head, after the pieces.
    func finish(_ header: EntryHeader, _ head: Bytes, revision: UInt64 = 1) -> Bool {
        let slot = HeadSlot.bytes(head, revision: revision, nonce: header.id.nonce)
        guard slot.count <= header.slotSize else { return false }
        let bytes = header.bytes + slot
        guard bytes.withUnsafeBytes({ CacheFolder.write($0, descriptor, at: 0) }) else { return false }
        // Without a body, writing has not set the file's length.
        return header.length > 0 || ftruncate(descriptor, off_t(header.fileSize)) == 0
    }

    /// Waits until all bytes are on disk.
    func sync() { FileWriting.sync(descriptor) }

    /// Renames the file, which replaces an earlier one. Returns whether that succeeded.
    func place(at target: String) -> Bool {
        guard Self.isFile(descriptor, at: path) else { return false }
        return rename(path, target) == 0
    }
}
