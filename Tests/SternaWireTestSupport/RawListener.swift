import SternaPlatform
import Testing

/// A listening socket that never accepts: the system completes handshakes and takes bytes until its buffers are full.
final class RawListener: Sendable {
    let port: Int
    private let descriptor: CInt
    private let fillers: [CInt]

    /// - Parameter isFull: whether the queue of connections is full, so that the system accepts no further ones.
    init(isFull: Bool) throws {
        let descriptor = Self.makeSocket()
        self.descriptor = descriptor
        // A socket address of IPv4: family, port 0 for any, 127.0.0.1, and zeros.
        var address = [UInt8](repeating: 0, count: 16)
        withUnsafeBytes(of: sa_family_t(AF_INET)) { address.replaceSubrange(0..<2, with: $0) }
        address.replaceSubrange(4..<8, with: [127, 0, 0, 1])
        var length = socklen_t(address.count)
        let bound = address.withUnsafeMutableBytes { bytes in
            // The system reads and writes the sixteen bytes of a socket address of IPv4, which are there.
            bytes.withMemoryRebound(to: sockaddr.self) { pointer in
                bind(descriptor, pointer.baseAddress, length) == 0 && listen(descriptor, isFull ? 0 : 16) == 0
                    && getsockname(descriptor, pointer.baseAddress, &length) == 0
            }
        }
        port = Int(address[2]) << 8 | Int(address[3])
        var fillers: [CInt] = []
        // The system accepts one or two more than the given backlog.
        for _ in 0..<(isFull ? 4 : 0) {
            let filler = Self.makeSocket()
            _ = fcntl(filler, F_SETFL, O_NONBLOCK)
            address.withUnsafeBytes { bytes in
                // The same sixteen bytes.
                _ = bytes.withMemoryRebound(to: sockaddr.self) { connect(filler, $0.baseAddress, length) }
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
