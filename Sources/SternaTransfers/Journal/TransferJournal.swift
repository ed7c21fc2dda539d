import SternaCore
import SternaPlatform
import Synchronization

/// The journal of a transfer on disk: ``JournalLine``s, to which events are appended. All functions wait for the disk.
///
/// Its owner alone writes it, which holds the lock of the transfer's folder. Opening it cuts off what a crash left of a last line. It is
/// written anew when most of its lines are of no more use.
final class TransferJournal: Sendable {
    /// The length in bytes from which a journal is written anew.
    static let bloated = 256 << 10

    /// The longest journal that is read, in bytes.
    static let longest = 64 << 20

    let path: String

    private struct State {
        var descriptor: CInt
        var length: Int
        var lines: Int
        var history: TransferHistory
        /// The length up to which it is not written anew.
        var limit = TransferJournal.bloated
    }

    private let state: Mutex<State>

    /// Opens a journal, or makes an empty one. Throws `fileUnreadable` and `writeFailed`.
    init(_ path: String) throws(SternaError) {
        self.path = path
        let bytes = try Self.file(path).read(upTo: Self.longest) ?? []
        let (history, read) = Self.replay(bytes)
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(errno, path) }
        guard read.bytes == bytes.count || ftruncate(descriptor, off_t(read.bytes)) == 0 else {
            let code = errno
            close(descriptor)
            throw Self.failure(code, path)
        }
        state = Mutex(State(descriptor: descriptor, length: read.bytes, lines: read.lines, history: history))
    }

    deinit { state.withLock { _ = close($0.descriptor) } }

    /// Reads a journal without a change; an empty history if there is none. Throws `fileUnreadable`.
    static func history(_ path: String) throws(SternaError) -> TransferHistory {
        replay(try file(path).read(upTo: longest) ?? []).history
    }

    private static func replay(_ bytes: [UInt8]) -> (history: TransferHistory, read: (bytes: Int, lines: Int)) {
        var history = TransferHistory()
        let read = JournalLine.read(bytes) { json in
            guard let event = TransferEvent(json: json) else { return false }
            history.apply(event)
            return true
        }
        return (history, read)
    }

    var history: TransferHistory { state.withLock { $0.history } }

    /// Whether an attempt is under way.
    var isRunning: Bool { state.withLock { $0.history.state == .running } }

    /// Appends an event. Throws `writeFailed`, with the journal as it was.
    ///
    /// - Parameter syncs: whether to wait until the disk has it.
    func append(_ event: TransferEvent, syncs: Bool = false) throws(SternaError) {
        let result: Result<Void, SternaError> = state.withLock { state in
            do throws(SternaError) {
                try append(event, &state)
                if syncs { try Self.sync(state.descriptor, path) }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private func append(_ event: TransferEvent, _ state: inout State) throws(SternaError) {
        let bytes = JournalLine.bytes(event.json, number: state.lines)
        let code = Self.write(bytes, state.descriptor, at: state.length)
        guard code == 0 else {
            // What there is of the line must not precede others.
            ftruncate(state.descriptor, off_t(state.length))
            throw Self.failure(code, path)
        }
        state.length += bytes.count
        state.lines += 1
        state.history.apply(event)
        if state.length > state.limit { compact(&state) }
    }

    /// Writes the journal anew; it stays as it is if that fails.
    private func compact(_ state: inout State) {
        var bytes: [UInt8] = []
        var lines = 0
        for event in state.history.compacted {
            bytes += JournalLine.bytes(event.json, number: lines)
            lines += 1
        }
        state.limit = max(Self.bloated, 2 * bytes.count)
        guard (try? Self.file(path).write(bytes)) != nil else { return }
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        close(state.descriptor)
        (state.descriptor, state.length, state.lines) = (descriptor, bytes.count, lines)
    }

    // MARK: The file

    private static func file(_ path: String) -> SavedFile { SavedFile(path: path, title: "The journal of a transfer,") }

    private static func write(_ bytes: [UInt8], _ descriptor: CInt, at offset: Int) -> CInt {
        bytes.withUnsafeBytes { FileWriting.write($0, to: descriptor, at: Int64(offset)) }
    }

    private static func sync(_ descriptor: CInt, _ path: String) throws(SternaError) {
        let code = FileWriting.sync(descriptor)
        guard code == 0 else { throw failure(code, path) }
    }

    private static func failure(_ code: CInt, _ path: String) -> SternaError {
        file(path).unwritable(FileFault(code: code, path: path))
    }
}
