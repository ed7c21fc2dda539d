public import SternaCore
import SternaPlatform

/// A loopback port that refuses connections while this object exists: it is bound, but nothing listens on it.
///
/// The port of a stopped server, in contrast, may be reused at any moment.
public final class ClosedPort: Sendable {
    /// The port.
    public let port: Int

    private let descriptor: CInt

    /// Binds a free port, or the given one; throws `connectionFailed` if that fails.
    ///
    /// - Parameter wanted: 1 to 65535; nil for any.
    public init(_ wanted: Int? = nil) throws(SternaError) {
        // A child process started meanwhile would keep the port if it inherited the descriptor.
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #endif
        // The address in the system's memory layout: family, port, 127.0.0.1.
        var address = [UInt8](repeating: 0, count: 16)
        #if canImport(Darwin)
        address.replaceSubrange(0..<2, with: [16, UInt8(AF_INET)])
        #else
        withUnsafeBytes(of: UInt16(AF_INET)) { address.replaceSubrange(0..<2, with: $0) }
        #endif
        let number = UInt16(clamping: wanted ?? 0)
        address.replaceSubrange(2..<4, with: [UInt8(number >> 8), UInt8(number & 0xFF)])
        address.replaceSubrange(4..<8, with: [127, 0, 0, 1])
        var length = socklen_t(address.count)
        // The pointer is valid during the calls, for the given length.
        let isBound = address.withUnsafeMutableBytes { bytes in
            guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
        }
        guard descriptor >= 0, isBound else {
            if descriptor >= 0 { close(descriptor) }
            throw SternaError(.connectionFailed, phase: .prepare, "No port could be taken on the loopback.")
        }
        self.descriptor = descriptor
        port = Int(address[2]) << 8 | Int(address[3])
    }

    deinit { close(descriptor) }
}
