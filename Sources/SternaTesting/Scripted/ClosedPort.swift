public import SternaCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A port of the loopback that refuses connections for as long as this is kept: it is taken, and nobody listens.
///
/// The port of a server that was stopped may be another's the moment after.
public final class ClosedPort: Sendable {
    /// The port.
    public let port: Int

    private let descriptor: CInt

    /// Takes a free port; throws `connectionFailed` where the system gives none.
    public init() throws(SternaError) {
        #if canImport(Glibc)
        let stream = CInt(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, stream, 0)
        // The address as the system has it in memory: family, port, 127.0.0.1.
        var address = [UInt8](repeating: 0, count: 16)
        #if canImport(Darwin)
        address.replaceSubrange(0..<2, with: [16, UInt8(AF_INET)])
        #else
        withUnsafeBytes(of: UInt16(AF_INET)) { address.replaceSubrange(0..<2, with: $0) }
        #endif
        address.replaceSubrange(4..<8, with: [127, 0, 0, 1])
        var length = socklen_t(address.count)
        // Valid for the length of the calls, and as long as they are told.
        let isBound = address.withUnsafeMutableBytes { bytes in
            guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
        }
        guard descriptor >= 0, isBound else {
            throw SternaError(.connectionFailed, phase: .prepare, "No port could be taken on the loopback.")
        }
        self.descriptor = descriptor
        port = Int(address[2]) << 8 | Int(address[3])
    }

    deinit { close(descriptor) }
}
