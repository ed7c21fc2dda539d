import NIOCore
import SternaCore
import SternaPlatform
import SternaSerialization
import Synchronization

/// The folder of a recorder. Exchanges are lines of JSON, appended to one of two files: when it is full, it replaces the other.
///
///     FOLDER/exchanges-1          the newest lines
///     FOLDER/exchanges-1-older    the lines before them
///     FOLDER/exchanges-1.lock     locked by the recorder
///
/// A line that a crash left incomplete, or another program has written, is skipped. A new format uses names with another number.
final class RecorderFolder: Sendable {
    private struct File {
        var descriptor: CInt = -1
        var length: Int64 = 0
        var lines = 0
    }

    private struct Pending {
        var bytes = 0
        var fault: SternaError?
    }

    /// The absolute path.
    let path: String
    private let limits: Recorder.Limits
    private let keepsSecrets: Bool
    private let lock: FileLock
    private let work = BlockingWork("sterna.recorder", inOrder: true)
    private let file = Mutex(File())
    private let pending = Mutex(Pending())

    private var newer: String { path + "/exchanges-1" }
    private var older: String { newer + "-older" }

    /// Makes the folder and takes its lock. Throws `writeFailed`.
    init(_ path: String, _ limits: Recorder.Limits, keepsSecrets: Bool) throws(SternaError) {
        // Resolved once, since the program may change its working directory.
        let isResolved = path.isEmpty || path.hasPrefix("/")
        let path = isResolved ? path : FileManager.default.currentDirectoryPath + "/" + path
        (self.path, self.limits, self.keepsSecrets) = (path, limits, keepsSecrets)
        try Self.make(path)
        lock = try FileLock.acquire(path: path + "/exchanges-1", timeout: .seconds(2))
    }

    deinit { file.withLock { Self.close(&$0) } }

    private static func make(_ path: String) throws(SternaError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw failure(path, FileFault("its path is empty, or has a control character"))
        }
        if FileStatus(path: path) == nil {
            // The parent folders, outermost first.
            for end in path.utf8.indices.dropFirst() where path.utf8[end] == UInt8(ascii: "/") {
                mkdir(String(path[..<end]), 0o700)
            }
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw failure(path, FileFault(code: errno, path: path))
            }
        }
        guard let status = FileStatus(path: path), status.isDirectory, status.owner == geteuid(),
            status.permissions & 0o022 == 0
        else {
            throw failure(
                path, FileFault("it is not a folder of this user that only its owner can change; choose another one"))
        }
    }

    private static func failure(_ path: String, _ fault: FileFault) -> SternaError {
        PrivateFile(path: path, title: "The recorder's folder").unwritable(fault)
    }

    // MARK: Reading

    /// Returns the exchanges of the files, oldest first, with their sizes. Files that cannot be read count as empty.
    func load() -> [(Recorder.Exchange, Int)] {
        var found: [(Recorder.Exchange, Int)] = []
        for path in [older, newer] {
            // More than the limit, since another recorder may have had a larger one: the latest lines count.
            let bytes = (try? PrivateFile(path: path).read(upTo: max(2 * Self.limit(limits), Self.mostRead))) ?? []
            found += Self.exchanges(bytes, limits: limits)
            if path == newer {
                file.withLock { file in
                    file.lines = bytes.count { $0 == 0x0A }
                    file.length = Int64(bytes.count)
                }
            }
        }
        return Array(found.suffix(max(1, limits.exchanges)))
    }

    /// Returns the exchanges of lines; others are skipped.
    static func exchanges(_ bytes: [UInt8], limits: Recorder.Limits) -> [(Recorder.Exchange, Int)] {
        bytes.split(separator: 0x0A).compactMap { line in
            guard let tree = try? JSON(parsing: line, limits: HARDocument.parseLimits),
                let exchange = Recorder.Exchange(json: tree)
            else { return nil }
            let bodies = exchange.attempts.reduce(0) { sum, attempt in
                sum + (attempt.requestBody?.bytes?.readableBytes ?? 0)
                    + (attempt.responseBody?.bytes?.readableBytes ?? 0)
                    + attempt.messages.reduce(0) { $0 + $1.memory }
            }
            return (exchange, exchange.unmeasuredSize + bodies)
        }
    }

    /// The bytes of a file that are read at least, whatever the limit.
    private static let mostRead = 128 << 20

    /// The maximum size of a file in bytes.
    private static func limit(_ limits: Recorder.Limits) -> Int { min(max(limits.bytes, 0), 1 << 40) }

    // MARK: Writing

    /// Begins to write an exchange. One that is recorded while too many wait for the disk is left out; ``flush()`` reports that.
    func append(_ exchange: Recorder.Exchange, size: Int) {
        let begins = pending.withLock { pending in
            guard size <= Self.limit(limits) - pending.bytes else {
                pending.fault = Self.failure(path, FileFault("the disk is too slow for what is recorded"))
                return false
            }
            pending.bytes += size
            return true
        }
        guard begins else { return }
        work.begin {
            do throws(SternaError) {
                try self.write(exchange)
            } catch {
                self.pending.withLock { $0.fault = error }
            }
            self.pending.withLock { $0.bytes -= size }
        }
    }

    private func write(_ exchange: Recorder.Exchange) throws(SternaError) {
        let tree = exchange.json(showsSecrets: keepsSecrets)
        let limit = Int64(Self.limit(limits))
        // JSON is longer than what the memory counts.
        guard let line = try? tree.serialized(), line.count < limit else {
            throw Self.failure(path, FileFault("an exchange is longer as JSON than the recorder's limit of bytes"))
        }
        let result = file.withLock { file -> Result<Void, SternaError> in
            do throws(SternaError) {
                if file.length + Int64(line.count) + 1 > limit || file.lines >= max(1, limits.exchanges) {
                    try rotate(&file)
                }
                try open(&file)
                let code = (line + [0x0A]).withUnsafeBytes {
                    FileWriting.write($0, to: file.descriptor, at: file.length)
                }
                guard code == 0 else {
                    // An incomplete line must not precede others.
                    ftruncate(file.descriptor, off_t(file.length))
                    throw Self.failure(path, FileFault(code: code, path: newer))
                }
                file.length += Int64(line.count) + 1
                file.lines += 1
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private func rotate(_ file: inout File) throws(SternaError) {
        // `flush()` reaches only the newer file.
        let code = file.descriptor >= 0 ? FileWriting.sync(file.descriptor) : 0
        Self.close(&file)
        guard code == 0 else { throw Self.failure(path, FileFault(code: code, path: newer)) }
        guard rename(newer, older) == 0 || errno == ENOENT else {
            throw Self.failure(path, FileFault(code: errno, path: newer))
        }
        (file.length, file.lines) = (0, 0)
    }

    private func open(_ file: inout File) throws(SternaError) {
        guard file.descriptor < 0 else { return }
        let descriptor = SternaPlatform.open(newer, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path, FileFault(code: errno, path: newer)) }
        guard let status = FileStatus(descriptor: descriptor), status.isRegular, status.owner == geteuid() else {
            _ = SternaPlatform.close(descriptor)
            throw Self.failure(path, FileFault("exchanges-1 is no file of this user; remove it"))
        }
        fchmod(descriptor, 0o600)
        (file.descriptor, file.length) = (descriptor, status.size)
        guard status.size > 0 else { return }
        // A line that a crash left incomplete is ended, so that it does not spoil the next one.
        var last: UInt8 = 0
        let count = pread(descriptor, &last, 1, off_t(status.size - 1))
        guard count != 1 || last != 0x0A else { return }
        if [UInt8(0x0A)].withUnsafeBytes({ FileWriting.write($0, to: descriptor, at: status.size) }) == 0 {
            file.length += 1
        }
    }

    private static func close(_ file: inout File) {
        if file.descriptor >= 0 { _ = SternaPlatform.close(file.descriptor) }
        file.descriptor = -1
    }

    /// Removes the files.
    func clear() async {
        try? await work.run { [self] in
            file.withLock { file in
                Self.close(&file)
                (file.length, file.lines) = (0, 0)
            }
            unlink(newer)
            unlink(older)
        }
    }

    /// Waits until everything is on the disk. Throws the latest failure since the last call.
    func flush() async throws(SternaError) {
        try? await work.run { [self] in
            file.withLock { file in
                guard file.descriptor >= 0 else { return }
                let code = FileWriting.sync(file.descriptor)
                if code != 0 {
                    pending.withLock { $0.fault = Self.failure(path, FileFault(code: code, path: newer)) }
                }
            }
        }
        if let fault = pending.withLock({ $0.fault.take() }) { throw fault }
    }
}
