import NIOCore
import SternaPlatform
import Synchronization

/// A private file that is deleted with its last reference.
///
/// It is unlinked when it is created, so that nothing remains however the process ends. A file with `mayStay` keeps its name, and
/// is removed with the last reference unless ``keep()`` was called.
package final class TemporaryFile: Sendable, Hashable {
    package let descriptor: CInt

    /// The path; for an unlinked file, its former path.
    package let path: String
    private let isRemoved: Atomic<Bool>
    private let size = Atomic<Int64>(0)

    /// Makes an empty file that no other user may read; throws `fileUnreadable` if that fails.
    ///
    /// - Parameters:
    ///   - path: the path of the new file; an existing file or link there is an error. By default an unguessable name in the
    ///     temporary folder.
    ///   - mayStay: whether the file keeps its name for now, so that ``keep()`` can make it permanent.
    package init(path: String? = nil, mayStay: Bool = false) throws(SternaError) {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        if let path {
            self.path = path
            isRemoved = Atomic(mayStay)
            guard !path.utf8.contains(0) else {
                descriptor = -1
                throw Self.failure(
                    .fileUnreadable, path, "cannot be created: \(BodyFault.controlCharacter(in: "its path"))")
            }
            descriptor = open(path, flags, 0o600)
        } else {
            var generator = SystemRandomNumberGenerator()
            let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
            let name = String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
            self.path = "\(folder.isEmpty ? "/tmp" : folder)/sterna-\(name)"
            isRemoved = Atomic(mayStay)
            descriptor = open(self.path, flags, 0o600)
        }
        let reason = errno
        guard descriptor >= 0 else {
            throw Self.failure(
                .fileUnreadable, self.path, "cannot be created: \(String(cString: strerror(reason)))")
        }
        if !mayStay { unlink(self.path) }
    }

    private static func failure(_ kind: SternaError.Kind, _ path: String, _ what: String) -> SternaError {
        SternaError(kind, phase: .prepare, "The file “\(FieldSyntax.printable(path))” for a body \(what).")
    }

    deinit {
        guard descriptor >= 0 else { return }
        if isRemoved.load(ordering: .relaxed) { unlink(path) }
        close(descriptor)
    }

    /// Makes a named file outlive the last reference.
    package func keep() { isRemoved.store(false, ordering: .relaxed) }

    /// Writes all of the bytes after those written before; throws `writeFailed`, for example if the disk is full.
    ///
    /// - Parameter offset: the end of the bytes written before.
    /// - Returns: false, with nothing written, if another writer has written at the offset.
    package func append(_ bytes: Bytes, at offset: Int64) throws(SternaError) -> Bool {
        let end = offset + Int64(bytes.readableBytes)
        guard size.compareExchange(expected: offset, desired: end, ordering: .relaxed).exchanged else { return false }
        try write(bytes, at: offset)
        return true
    }

    /// Makes an unlinked file with the first bytes of this one.
    package func copy(upTo length: Int64) throws(SternaError) -> TemporaryFile {
        let copy = try TemporaryFile()
        var done: Int64 = 0
        while done < length {
            var piece = Bytes()
            // `pread` writes at most the bytes reserved here.
            piece.writeWithUnsafeMutableBytes(minimumWritableBytes: 256 << 10) { space in
                max(0, pread(descriptor, space.baseAddress, Int(min(length - done, 256 << 10)), off_t(done)))
            }
            guard !piece.isEmpty else { throw BodyFault.changed(path: path).error(path, phase: .prepare) }
            guard try copy.append(piece, at: done) else { break }
            done += Int64(piece.readableBytes)
        }
        return copy
    }

    private func write(_ bytes: Bytes, at start: Int64) throws(SternaError) {
        let reason = bytes.withUnsafeReadableBytes { FileWriting.write($0, to: descriptor, at: start) }
        guard reason == 0 else {
            throw Self.failure(.writeFailed, path, "cannot be written: \(String(cString: strerror(reason)))")
        }
    }

    package static func == (left: TemporaryFile, right: TemporaryFile) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
