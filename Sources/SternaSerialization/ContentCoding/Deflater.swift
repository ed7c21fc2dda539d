import CSternaZlib
import NIOCore
import SternaCore

/// Compresses a stream with zlib.
final class Deflater: ContentEncoder {
    // Invariant: freed once, with this object.
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameter level: the compression level, from 1 (fastest) to 9 (smallest).
    init(_ coding: ContentCoding, level: Int) throws(SternaError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // With 16 added to the window size zlib writes gzip, otherwise the format of “deflate” (RFC 9110, 8.4.1.2).
        let windowBits: CInt = coding == .gzip ? 15 + 16 : 15
        let result = CSternaZlib_deflateInit2(stream, CInt(min(max(level, 1), 9)), windowBits)
        guard result == Z_OK else {
            stream.deallocate()
            throw .encoding(.prepare, "zlib reports the error \(result)")
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    func compress(_ input: Bytes?) throws(SternaError) -> Bytes {
        var output = Bytes()
        var source = input ?? Bytes()
        var result: CInt = Z_OK
        source.withUnsafeMutableReadableBytes { source in
            // Bytes may be bound as bytes, and zlib releases them before the closure returns.
            stream.pointee.next_in = source.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_in = UInt32(source.count)
            repeat {
                output.writeWithUnsafeMutableBytes(minimumWritableBytes: 32 << 10) { target in
                    // As above: zlib writes no further than avail_out, and not after the call.
                    stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    stream.pointee.avail_out = UInt32(target.count)
                    result = deflate(stream, input == nil ? Z_FINISH : Z_NO_FLUSH)
                    return target.count - Int(stream.pointee.avail_out)
                }
            } while stream.pointee.avail_out == 0 && (result == Z_OK || result == Z_BUF_ERROR)
            stream.pointee.next_in = nil
        }
        // `Z_BUF_ERROR` only means that no output was left.
        guard result == Z_OK || result == Z_BUF_ERROR || result == Z_STREAM_END else {
            throw .encoding(.write, "zlib reports the error \(result)")
        }
        return output
    }
}
