import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A listening socket that never accepts: the system completes handshakes and takes bytes until its buffers are full.
final class RawListener: Sendable {
    let port: Int
    private let descriptor: CInt
    private let fillers: [CInt]

    /// - Parameter isFull: whether the queue of connections is full already, so that further ones are not answered.
    init(isFull: Bool) throws {
        let descriptor = Self.makeSocket()
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, isFull ? 0 : 16) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        var fillers: [CInt] = []
        // The system takes one or two more than it was told.
        for _ in 0..<(isFull ? 4 : 0) {
            let filler = Self.makeSocket()
            _ = fcntl(filler, F_SETFL, O_NONBLOCK)
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(filler, $0, length) }
            }
            fillers.append(filler)
        }
        self.fillers = fillers
        try #require(bound)
    }

    deinit {
        for filler in fillers { close(filler) }
        close(descriptor)
    }

    private static func makeSocket() -> CInt {
        #if canImport(Glibc)
        socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
        socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }
}
