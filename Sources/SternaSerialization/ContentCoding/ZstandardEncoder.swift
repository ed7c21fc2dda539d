#if Zstd
import CSternaZstd
import NIOCore
import SternaCore

/// Compresses with Zstandard (RFC 8878) into one frame.
final class ZstandardEncoder: ContentEncoder {
    // Invariant: freed once, with this object; no call keeps a pointer to input or output.
    private let context: OpaquePointer

    /// - Parameter level: the compression level, from 1 (fastest) to 19 (smallest); those above need windows of more than 8 MiB.
    init(level: Int, length: Int64?) throws(SternaError) {
        guard let context = ZSTD_createCCtx() else {
            throw .encoding(.prepare, "libzstd could not allocate memory")
        }
        self.context = context
        try check(
            ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, CInt(min(max(level, 1), 19))), .prepare)
        // With its length a small body gets small tables, and the frame's head says the length.
        if let length = length.flatMap(UInt64.init(exactly:)) {
            try check(ZSTD_CCtx_setPledgedSrcSize(context, length), .prepare)
        }
    }

    deinit { ZSTD_freeCCtx(context) }

    func compress(_ input: Bytes?) throws(SternaError) -> Bytes {
        var source = input ?? Bytes()
        var output = Bytes()
        var left = 0
        repeat {
            left = step(input == nil ? ZSTD_e_end : ZSTD_e_continue, &source, into: &output)
            try check(left, .write)
        } while source.readableBytes > 0 || (input == nil && left > 0)
        return output
    }

    private func step(_ directive: ZSTD_EndDirective, _ source: inout Bytes, into output: inout Bytes) -> Int {
        var result = 0
        var consumed = 0
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: 32 << 10) { space in
            source.withUnsafeReadableBytes { bytes in
                // Invariant: libzstd reads and writes within these sizes, and not after the call.
                var from = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
                var to = ZSTD_outBuffer(dst: space.baseAddress, size: space.count, pos: 0)
                result = ZSTD_compressStream2(context, &to, &from, directive)
                consumed = from.pos
                return to.pos
            }
        }
        source.moveReaderIndex(forwardBy: consumed)
        return result
    }

    private func check(_ result: Int, _ phase: SternaError.Phase) throws(SternaError) {
        guard ZSTD_isError(result) != 0 else { return }
        let name = ZSTD_getErrorName(result).map { String(cString: $0) } ?? "\(result)"
        throw .encoding(phase, "libzstd reports the error “\(name)”")
    }
}
#endif
