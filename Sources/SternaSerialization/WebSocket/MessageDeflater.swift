import CSternaZlib
import NIOCore
import SternaCore

/// Compresses the messages of one direction (RFC 7692, 7.2.1).
// Invariant: a value that has the only reference calls it; a value that shares it makes a copy first. The stream is freed once,
// with this object, and keeps no pointer to input or output between calls.
final class MessageDeflater: @unchecked Sendable {
    /// The end of all output, which a message's last frame leaves out.
    static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

    /// Messages wait for it: it takes half the time of zlib's default, 6, for a tenth more bytes.
    private static let level: CInt = 3

    let windowBits: Int
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameter windowBits: the size of the window as a power of two, 9 to 15; zlib has no compressor for 8.
    init?(windowBits: Int) {
        guard (9...15).contains(windowBits) else { return nil }
        self.windowBits = windowBits
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // A stream without state is ended without effect.
        guard CSternaZlib_deflateInit2(stream, Self.level, CInt(-windowBits)) == Z_OK else { return nil }
    }

    private init?(copying other: MessageDeflater) {
        windowBits = other.windowBits
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard deflateCopy(stream, other.stream) == Z_OK else { return nil }
    }

    deinit {
        deflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Returns an independent copy; nil if there is no memory.
    func copy() -> MessageDeflater? { MessageDeflater(copying: self) }

    /// Forgets what it compressed before. What follows then refers to nothing before it, which every peer can read.
    func reset() -> Bool { deflateReset(stream) == Z_OK }

    /// Returns the compressed form of bytes, which ends with ``tail``, or is empty if no bytes were given; nil after an error.
    func compress(_ input: Bytes) -> Bytes? {
        var output = Bytes()
        output.reserveCapacity(max(128, input.readableBytes / 2))
        var result: CInt = Z_OK
        input.withUnsafeReadableBytes { bytes in
            // zlib only reads the input, despite its type, and writes no further than avail_out.
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
            stream.pointee.avail_in = UInt32(bytes.count)
            repeat {
                // More than six bytes, or zlib would flush again and again.
                output.writeWithUnsafeMutableBytes(minimumWritableBytes: 64) { space in
                    let room = min(space.count, Int(UInt32.max))
                    stream.pointee.next_out = space.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    stream.pointee.avail_out = UInt32(room)
                    result = deflate(stream, Z_SYNC_FLUSH)
                    return room - Int(stream.pointee.avail_out)
                }
            } while result == Z_OK && stream.pointee.avail_out == 0
            (stream.pointee.next_in, stream.pointee.next_out) = (nil, nil)
        }
        // `Z_BUF_ERROR` means that there was nothing to do.
        return (result == Z_OK || result == Z_BUF_ERROR) && stream.pointee.avail_in == 0 ? output : nil
    }
}
