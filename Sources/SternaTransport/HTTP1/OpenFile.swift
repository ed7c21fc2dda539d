#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import NIOCore
import NIOPosix
import SternaCore

/// A file that is being sent; its descriptor is closed with the last reference.
// Invariant: the descriptor is opened before and closed after all use, since every use holds a reference.
final class OpenFile: @unchecked Sendable {
    let handle: NIOFileHandle
    private let descriptor: CInt

    private init(descriptor: CInt) {
        self.descriptor = descriptor
        handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor)
    }

    deinit { try? handle.close() }

    /// Opens a file off the event loop and checks that it still is what the range was made from.
    static func open(_ range: FileRange, on loop: any EventLoop) -> EventLoopFuture<OpenFile> {
        NIOThreadPool.singleton.runIfActive(eventLoop: loop) {
            let descriptor = Self.openDescriptor(range.path)
            guard descriptor >= 0 else {
                throw SternaError(
                    .fileUnreadable, phase: .write,
                    "The file “\(range.path)” cannot be read: \(String(cString: strerror(errno))).")
            }
            let file = OpenFile(descriptor: descriptor)
            guard file.hasSize(ofAtLeast: range.offset + range.length) else { throw changed(range) }
            return file
        }
    }

    private static func openDescriptor(_ path: String) -> CInt {
        #if canImport(Glibc)
        Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        #elseif canImport(Musl)
        Musl.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        #else
        Darwin.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        #endif
    }

    /// Whether the file is still a regular one and long enough.
    func hasSize(ofAtLeast size: Int64) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && Int64(status.st_size) >= size
    }

    /// Reads a piece off the event loop; shorter than asked for only where the file has become so.
    func read(at offset: Int64, count: Int, on loop: any EventLoop) -> EventLoopFuture<Bytes> {
        NonBlockingFileIO(threadPool: .singleton)
            .read(fileHandle: handle, fromOffset: offset, byteCount: count, allocator: .init(), eventLoop: loop)
            .map { bytes in withExtendedLifetime(self) { bytes } }
    }

    static func changed(_ range: FileRange) -> SternaError {
        SternaError(
            .fileUnreadable, phase: .write,
            "The file “\(range.path)” became shorter while it was sent; the request was not completed.")
    }
}
