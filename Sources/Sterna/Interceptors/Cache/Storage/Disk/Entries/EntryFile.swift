import NIOCore
import SternaCore
import SternaPlatform

/// An entry's file that is open for reading. All functions wait for the disk.
final class EntryFile: Sendable {
    /// Why a file is no entry.
    enum Fault: Error, Sendable, Hashable {
        /// It is not there, or not what was stored: the entry has to be dropped.
        case unusable
        /// It cannot be read at present, such as with too many open files.
        case unreadable(code: Int32)
    }

    /// How much is read when a file is opened: all of a small entry.
    private static let firstRead = EntryHeader.pieceSize + (16 << 10)

    let header: EntryHeader

    /// The present head.
    let head: Bytes

    /// The number of the head's slot, and its revision.
    let slot: (number: Int, revision: UInt64)

    /// The body if it has one piece at most.
    let body: Bytes?
    private let descriptor: CInt

    /// Opens an entry and checks header, head and size, and the whole body if it is short.
    ///
    /// - Parameter id: the entry that it has to be; nil for any.
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

    /// Returns a piece without its checksum; nil if it is not the one that was stored.
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

    /// Reads a piece of the body and checks it.
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

    /// Checks all pieces.
    func verify() throws(Fault) {
        for number in 0..<(body == nil ? header.pieces : 0) { _ = try piece(number) }
    }

    // MARK: Changing the head

    /// Replaces the head of an entry that was opened for writing; returns whether it could be written, with the file's size.
    ///
    /// The file is as it was, or has the new head, whatever happens. Only one caller at a time may change a file.
    func update(_ head: Bytes, at path: String) -> Int64? {
        let bytes = HeadSlot.bytes(head, revision: slot.revision &+ 1, nonce: header.id.nonce)
        if bytes.count <= header.slotSize {
            let offset = Int64(header.slot(1 - slot.number))
            return bytes.withUnsafeBytes { CacheFolder.write($0, descriptor, at: offset) } ? header.fileSize : nil
        }
        // The slots have to grow: another file with the same body.
        let larger = EntryHeader(
            header.id, stored: header.stored, length: header.length,
            slotSize: HeadSlot.size(forHead: head.readableBytes))
        let unfinished = path + CacheFolder.unfinished
        // What a killed process left behind: no other caller changes this file.
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

    /// Makes a file that only its owner can read; nil if that fails.
    init?(_ path: String) {
        // Another store that tidies up can take the file for left behind until it is locked, and remove it: then there is a next one.
        for _ in 0..<Self.mostAttempts {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return nil }
            // Waits for the one that removes it.
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

    /// How often a file is begun: each time, another store that tidies up must meet the moment before the lock.
    private static let mostAttempts = 100

    private static func isFile(_ descriptor: CInt, at path: String) -> Bool {
        FileStatus(linkAt: path)?.identity == FileStatus(descriptor: descriptor)?.identity
    }

    deinit {
        // The name is gone where the file was placed.
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
        // The file has its length without a body, too.
        return header.length > 0 || ftruncate(descriptor, off_t(header.fileSize)) == 0
    }

    /// Waits until the disk has all bytes.
    func sync() { FileWriting.sync(descriptor) }

    /// Gives the file its name, in place of an earlier one; returns whether that was possible.
    func place(at target: String) -> Bool {
        guard Self.isFile(descriptor, at: path) else { return false }
        return rename(path, target) == 0
    }
}
