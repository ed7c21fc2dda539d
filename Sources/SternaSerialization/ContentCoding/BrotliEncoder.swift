#if Brotli
import CSternaBrotli
import NIOCore
import SternaCore

/// Compresses with Brotli (RFC 7932).
final class BrotliEncoder: ContentEncoder {
    // Invariant: freed once, with this object; no call keeps a pointer to input or output.
    private let encoder: OpaquePointer

    /// - Parameter level: the quality, from 1 (fastest) to 11 (smallest).
    init(level: Int, length: Int64?) throws(SternaError) {
        guard let encoder = BrotliEncoderCreateInstance(nil, nil, nil) else {
            throw .encoding(.prepare, "libbrotlienc could not allocate memory")
        }
        self.encoder = encoder
        BrotliEncoderSetParameter(encoder, BROTLI_PARAM_QUALITY, UInt32(min(max(level, 1), 11)))
        if let length { BrotliEncoderSetParameter(encoder, BROTLI_PARAM_SIZE_HINT, UInt32(clamping: length)) }
    }

    deinit { BrotliEncoderDestroyInstance(encoder) }

    func compress(_ input: Bytes?) throws(SternaError) -> Bytes {
        let operation = input == nil ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_PROCESS
        var source = input ?? Bytes()
        var output = Bytes()
        repeat {
            guard step(operation, &source, into: &output) else {
                throw .encoding(.write, "libbrotlienc reports a failure")
            }
        } while source.readableBytes > 0 || BrotliEncoderHasMoreOutput(encoder) != 0
            || (input == nil && BrotliEncoderIsFinished(encoder) == 0)
        return output
    }

    private func step(_ operation: BrotliEncoderOperation, _ source: inout Bytes, into output: inout Bytes) -> Bool {
        var succeeded = false
        var consumed = 0
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: 32 << 10) { space in
            source.withUnsafeReadableBytes { bytes in
                var (unread, unwritten) = (bytes.count, space.count)
                // Invariant: the encoder reads `unread` bytes and writes `unwritten` bytes at most, and neither after the call.
                var from = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                var to = space.baseAddress?.assumingMemoryBound(to: UInt8.self)
                succeeded =
                    BrotliEncoderCompressStream(encoder, operation, &unread, &from, &unwritten, &to, nil) != 0
                consumed = bytes.count - unread
                return space.count - unwritten
            }
        }
        source.moveReaderIndex(forwardBy: consumed)
        return succeeded
    }
}
#endif
