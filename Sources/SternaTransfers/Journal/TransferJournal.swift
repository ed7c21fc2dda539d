import SternaCore
import SternaPlatform
import Synchronization

/// The journal of a transfer on disk: ``JournalLine``s, to which events are appended. Creating it, ``history(_:)`` and
/// ``append(_:syncs:)`` block on the disk; its properties do not.
///
/// Only the process that holds the lock of the transfer's folder writes it. Its first event truncates a last line that a crash left
/// incomplete. A long journal is compacted.
final class TransferJournal: Sendable {
    /// The length in bytes from which a journal is compacted.
    static let bloated = 256 << 10

    /// The maximum length of a journal that is read, in bytes.
    static let longest = 64 << 20

    let path: String

    private struct File {
        /// -1 while the transfer is idle: a store has many transfers, and a process few descriptors.
        var descriptor: CInt = -1
        var length: Int
        var lines: Int
        /// The length up to which it is not compacted.
        var limit = TransferJournal.bloated
    }

    private let file: Mutex<File>

    // A separate lock: an event loop that reads the history does not wait for the disk.
    private let known: Mutex<TransferHistory>

    /// Reads a journal, which need not exist. Throws `fileUnreadable`.
    init(_ path: String) throws(SternaError) {
        self.path = path
        let (history, read) = try Self.replay(path)
        file = Mutex(File(length: read.bytes, lines: read.lines))
        known = Mutex(history)
    }

    deinit { file.withLock { Self.close(&$0) } }

    /// Reads a journal without changing it; returns an empty history if it does not exist. Throws `fileUnreadable`.
    static func history(_ path: String) throws(SternaError) -> TransferHistory { try replay(path).history }

    private static func replay(
        _ path: String
    ) throws(SternaError) -> (history: TransferHistory, read: (bytes: Int, lines: Int)) {
        let file = saved(path)
        var history = TransferHistory()
        var isForeign = false
        let read = JournalLine.read(try file.read(upTo: longest) ?? []) { json in
            guard let event = TransferEvent(json: json) else {
                isForeign = true
                return false
            }
            history.apply(event)
            return true
        }
        // A crash leaves no line with a correct checksum.
        guard !isForeign else {
            throw file.unreadable(FileFault("it has events of a newer program; use that one, or remove the transfer"))
        }
        return (history, read)
    }

    var history: TransferHistory { known.withLock { $0 } }

    /// Whether the transfer is over.
    var isOver: Bool {
        @inline(never) get { known.withLock { $0.state.isOver } }
    }

    /// Whether an attempt is running.
    var isRunning: Bool { known.withLock { $0.state == .running } }

    /// Appends an event. Throws `writeFailed`, and `limitExceeded` for an event that is too long to be read again.
    ///
    /// - Parameter syncs: whether to wait until the event is on the disk.
    func append(_ event: TransferEvent, syncs: Bool = false) throws(SternaError) {
        let result: Result<Void, SternaError> = file.withLock { file in
            do throws(SternaError) {
                try append(event, &file)
                let code = syncs ? FileWriting.sync(file.descriptor) : 0
                known.withLock { $0.apply(event) }
                guard code == 0 else { throw Self.failure(code, path) }
                if file.length > file.limit { compact(&file) }
                if event.rests { Self.close(&file) }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private func append(_ event: TransferEvent, _ file: inout File) throws(SternaError) {
        let bytes = JournalLine.bytes(event.json, number: file.lines)
        guard bytes.count <= JournalLine.longest else {
            throw SternaError(
                .limitExceeded, phase: .prepare,
                "The transfer cannot continue: its journal entry is longer than \(JournalLine.longest) bytes.")
        }
        try open(&file)
        let code = Self.write(bytes, file.descriptor, at: file.length)
        guard code == 0 else {
            // An incomplete line must not precede others.
            ftruncate(file.descriptor, off_t(file.length))
            throw Self.failure(code, path)
        }
        file.length += bytes.count
        file.lines += 1
    }

    private func open(_ file: inout File) throws(SternaError) {
        guard file.descriptor < 0 else { return }
        let descriptor = SternaPlatform.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(errno, path) }
        file.descriptor = descriptor
        let there = FileStatus(descriptor: descriptor)?.size ?? 0
        guard there != file.length else { return }
        defer { if file.length > there { Self.close(&file) } }
        guard there > file.length else {
            throw Self.saved(path).unwritable(FileFault("another program has shortened it"))
        }
        guard ftruncate(descriptor, off_t(file.length)) == 0 else {
            let code = errno
            Self.close(&file)
            throw Self.failure(code, path)
        }
    }

    /// Compacts the journal; keeps it unchanged if that fails.
    private func compact(_ file: inout File) {
        var bytes: [UInt8] = []
        var lines = 0
        for event in history.compacted {
            bytes += JournalLine.bytes(event.json, number: lines)
            lines += 1
        }
        file.limit = max(Self.bloated, 2 * bytes.count)
        guard (try? Self.saved(path).write(bytes)) != nil else { return }
        // The next event opens the new file.
        Self.close(&file)
        (file.length, file.lines) = (bytes.count, lines)
    }

    private static func close(_ file: inout File) {
        if file.descriptor >= 0 { _ = SternaPlatform.close(file.descriptor) }
        file.descriptor = -1
    }

    // MARK: The file

    private static func saved(_ path: String) -> PrivateFile {
        PrivateFile(path: path, title: "The journal of a transfer,")
    }

    private static func write(_ bytes: [UInt8], _ descriptor: CInt, at offset: Int) -> CInt {
        bytes.withUnsafeBytes { FileWriting.write($0, to: descriptor, at: Int64(offset)) }
    }

    private static func failure(_ code: CInt, _ path: String) -> SternaError {
        saved(path).unwritable(FileFault(code: code, path: path))
    }
}

extension TransferEvent {
    /// Whether a long time may pass before the next event.
    fileprivate var rests: Bool {
        switch self {
        case .failed, .blocked, .paused, .resumed, .cancelled, .ended, .finished: true
        default: false
        }
    }
}
