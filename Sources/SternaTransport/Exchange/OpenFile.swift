import NIOCore
import NIOPosix
import SternaCore
import SternaPlatform

/// A file that is being sent; releasing the last reference closes its descriptor.
// Invariant: the descriptor is opened before all uses and closed after them, since every use holds a reference.
final class OpenFile: @unchecked Sendable {
    let handle: NIOFileHandle
    private let descriptor: CInt

    private init(descriptor: CInt) {
        self.descriptor = descriptor
        handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor)
    }

    deinit { try? handle.close() }

    /// Opens a file off the event loop and checks that it still matches the range.
    static func open(_ range: FileRange, on loop: any EventLoop) -> EventLoopFuture<OpenFile> {
        NIOThreadPool.singleton.runIfActive(eventLoop: loop) {
            guard !range.path.utf8.contains(0) else {
                throw BodyFault.controlCharacter(in: "its path").error(range.path, phase: .write)
            }
            let descriptor =
                range.storage.map { fcntl($0.descriptor, F_DUPFD_CLOEXEC, 3) }
                ?? SternaPlatform.open(range.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            let reason = errno
            guard descriptor >= 0 else {
                throw BodyFault.unreachable(path: range.path, code: reason).error(range.path, phase: .write)
            }
            let file = OpenFile(descriptor: descriptor)
            guard file.fits(range) else { throw changed(range) }
            // The open was non-blocking in case a pipe has replaced the file; regular files are read without that flag.
            _ = fcntl(descriptor, F_SETFL, 0)
            return file
        }
    }

    /// Returns whether the file still matches the range.
    func fits(_ range: FileRange) -> Bool { range.fits(FileStatus(descriptor: descriptor)) }

    /// Reads a piece off the event loop; shorter than requested only if the file has shrunk.
    func read(at offset: Int64, count: Int, on loop: any EventLoop) -> EventLoopFuture<Bytes> {
        NIOThreadPool.singleton.runIfActive(eventLoop: loop) {
            var bytes = Bytes()
            var done = 0
            var failure: CInt = 0
            bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
                while done < count {
                    let result = pread(
                        self.descriptor, space.baseAddress?.advanced(by: done), count - done,
                        off_t(offset) + off_t(done))
                    if result > 0 {
                        done += result
                    } else if result == 0 || errno != EINTR {
                        failure = result == 0 ? 0 : errno
                        break
                    }
                }
                return done
            }
            guard failure == 0 else {
                throw SternaError(
                    .fileUnreadable, phase: .write, "The file cannot be read: \(String(cString: strerror(failure))).")
            }
            return bytes
        }
    }

    static func changed(_ range: FileRange) -> SternaError {
        SternaError(
            .fileUnreadable, phase: .write,
            "The file “\(FieldSyntax.printable(range.path))” changed its size while it was sent; the request was not completed.",
            underlying: BodyFault.changed(path: range.path))
    }
}
