public import SternaCore
import SternaPlatform

/// A port of the loopback that refuses connections for as long as this is kept: it is taken, and nobody listens.
///
/// The port of a server that was stopped may be another's the moment after.
public final class ClosedPort: Sendable {
    /// The port.
    public let port: Int

    private let descriptor: CInt

    /// Takes a free port, or the one given; throws `connectionFailed` where it is not to be had.
    ///
    /// - Parameter wanted: 1 to 65535; nil for any.
    public init(_ wanted: Int? = nil) throws(SternaError) {
        // A program that is started meanwhile would keep the port, if it got the descriptor.
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #endif
        // The address as the system has it in memory: family, port, 127.0.0.1.
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
        // Valid for the length of the calls, and as long as they are told.
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
