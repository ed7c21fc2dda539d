import NIOCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A private file that goes away with its last reference.
///
/// It loses its name as soon as it is made, so that nothing is left over however the process ends later; one that is to
/// stay keeps its name until then, and is removed where nobody says that it shall stay.
package final class TemporaryFile: Sendable, Hashable {
    package let descriptor: CInt

    /// The path, or what it was for a file that has lost its name.
    package let path: String
    private let isRemoved: Atomic<Bool>
    private let written = Atomic<Int64>(0)

    /// Makes an empty file that nobody else may read; throws `fileUnreadable` where that cannot be.
    ///
    /// - Parameters:
    ///   - path: where it is to be; a file that is there already, or a link, is an error. By default a name that nobody
    ///     can guess in the folder for temporary files.
    ///   - mayStay: whether it has its name for now, so that ``keep()`` can let it stay.
    package init(path: String? = nil, mayStay: Bool = false) throws(SternaError) {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        if let path {
            descriptor = path.utf8.contains(0) ? -1 : open(path, flags, 0o600)
            self.path = path
        } else {
            var generator = SystemRandomNumberGenerator()
            let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
            let name = String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
            self.path = "\(folder.isEmpty ? "/tmp" : folder)/sterna-\(name)"
            descriptor = open(self.path, flags, 0o600)
        }
        isRemoved = Atomic(mayStay)
        if descriptor >= 0, !mayStay { unlink(self.path) }
        guard descriptor >= 0 else {
            throw SternaError(
                .fileUnreadable, phase: .prepare,
                "The file “\(FieldSyntax.printable(self.path))” for a body cannot be made: \(String(cString: strerror(errno)))."
            )
        }
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
    /// - Parameter length: how much the caller has written; another number is an error, as two callers then write at once.
    package func append(_ bytes: Bytes, behind length: Int64) throws(SternaError) {
        let end = length + Int64(bytes.readableBytes)
        guard written.compareExchange(expected: length, desired: end, ordering: .relaxed).exchanged else {
            throw SternaError(
                .writeFailed, phase: .prepare, "The body is being put together in two places, by copies of one builder."
            )
        }
        var rest = bytes.readableBytesView
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Self.write(descriptor, $0) }
            guard count > 0 || errno == EINTR else {
                throw SternaError(
                    .writeFailed, phase: .prepare,
                    "The file “\(FieldSyntax.printable(path))” for a body cannot be written: \(String(cString: strerror(errno)))."
                )
            }
            rest = rest.dropFirst(max(0, count))
        }
    }

    private static func write(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #else
        Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }

    package static func == (left: TemporaryFile, right: TemporaryFile) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
