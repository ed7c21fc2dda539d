import NIOCore
import SternaPlatform
import Synchronization

/// A private file that goes away with its last reference.
///
/// It loses its name as soon as it is made, so that nothing is left over however the process ends later; one that is to
/// stay keeps its name until then, and is removed where nobody says that it shall stay.
package final class TemporaryFile: Sendable, Hashable {
    package let descriptor: CInt

    /// The path, or what it was for a file that has lost its name.
    package let path: String
    private let isRemoved: Atomic<Bool>
    private let size = Atomic<Int64>(0)

    /// Makes an empty file that nobody else may read; throws `fileUnreadable` where that cannot be.
    ///
    /// - Parameters:
    ///   - path: where it is to be; a file that is there already, or a link, is an error. By default a name that nobody
    ///     can guess in the folder for temporary files.
    ///   - mayStay: whether it has its name for now, so that ``keep()`` can let it stay.
    package init(path: String? = nil, mayStay: Bool = false) throws(SternaError) {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        if let path {
            self.path = path
            isRemoved = Atomic(mayStay)
            guard !path.utf8.contains(0) else {
                descriptor = -1
                throw Self.failure(
                    .fileUnreadable, path, "cannot be made: \(BodyFault.controlCharacter(in: "its path"))")
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
                .fileUnreadable, self.path, "cannot be made: \(String(cString: strerror(reason)))")
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

    /// Lets a named file stay when the last reference goes.
    package func keep() { isRemoved.store(false, ordering: .relaxed) }

    /// Writes all of the bytes behind what was written before; throws `writeFailed`, for a full disk among others.
    ///
    /// - Parameter offset: where that ends.
    /// - Returns: false where somebody else has written there, and nothing was.
    package func append(_ bytes: Bytes, at offset: Int64) throws(SternaError) -> Bool {
        let end = offset + Int64(bytes.readableBytes)
        guard size.compareExchange(expected: offset, desired: end, ordering: .relaxed).exchanged else { return false }
        try write(bytes, at: offset)
        return true
    }

    /// A file without a name that begins with the first bytes of this one.
    package func copy(upTo length: Int64) throws(SternaError) -> TemporaryFile {
        let copy = try TemporaryFile()
        var done: Int64 = 0
        while done < length {
            var piece = Bytes()
            // At most as much is written as there is room for.
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
        var rest = bytes.readableBytesView
        var offset = off_t(start)
        while !rest.isEmpty {
            let (count, reason) = rest.withUnsafeBytes {
                let count = pwrite(descriptor, $0.baseAddress, $0.count, offset)
                return (count, count < 0 ? errno : count == 0 ? ENOSPC : 0)
            }
            guard count > 0 || reason == EINTR else {
                throw Self.failure(.writeFailed, path, "cannot be written: \(String(cString: strerror(reason)))")
            }
            rest = rest.dropFirst(max(0, count))
            offset += off_t(max(0, count))
        }
    }

    package static func == (left: TemporaryFile, right: TemporaryFile) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
