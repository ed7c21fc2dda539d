#if Brotli
import CSternaBrotli
import NIOCore
import SternaCore

/// Decodes Brotli (RFC 7932). The decoder holds a window of up to 16 MiB, as large as the stream says and only as it fills.
final class BrotliDecoder: ContentDecoder {
    // Invariant: made at the first input, and freed once, with this object; no call keeps a pointer to input or output.
    private var decoder: OpaquePointer?
    private var isFinished = false
    private var mayHaveOutput = false

    deinit {
        if let decoder { BrotliDecoderDestroyInstance(decoder) }
    }

    func decode(_ input: inout Bytes, limit: Int) throws(SternaError) -> Bytes {
        var output = Bytes()
        guard input.readableBytes > 0 || mayHaveOutput else { return output }
        if decoder == nil { decoder = BrotliDecoderCreateInstance(nil, nil, nil) }
        guard let decoder else { throw .noDecoder }
        output.reserveCapacity(min(limit, max(4 << 10, input.readableBytes * 4)))
        while output.readableBytes < limit, input.readableBytes > 0 || mayHaveOutput {
            guard !isFinished else { throw .damagedCoding(CodingFault.trailing) }
            let result = step(decoder, &input, into: &output, limit: limit - output.readableBytes)
            mayHaveOutput = result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT
            if result == BROTLI_DECODER_RESULT_SUCCESS {
                isFinished = true
            } else if result == BROTLI_DECODER_RESULT_ERROR {
                throw Self.fault(BrotliDecoderGetErrorCode(decoder))
            }
        }
        return output
    }

    func finish() throws(SternaError) {
        guard isFinished || decoder == nil else { throw .damagedCoding(CodingFault.truncated) }
    }

    private func step(
        _ decoder: OpaquePointer, _ input: inout Bytes, into output: inout Bytes, limit: Int
    ) -> BrotliDecoderResult {
        var result = BROTLI_DECODER_RESULT_ERROR
        var consumed = 0
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: min(limit, 64 << 10)) { space in
            input.withUnsafeReadableBytes { bytes in
                let room = min(space.count, limit)
                var (unread, unwritten) = (bytes.count, room)
                // Invariant: the decoder reads `unread` bytes and writes `unwritten` bytes at most, and neither after the call.
                var source = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                var target = space.baseAddress?.assumingMemoryBound(to: UInt8.self)
                result = BrotliDecoderDecompressStream(decoder, &unread, &source, &unwritten, &target, nil)
                consumed = bytes.count - unread
                return room - unwritten
            }
        }
        input.moveReaderIndex(forwardBy: consumed)
        return result
    }

    private static func fault(_ code: BrotliDecoderErrorCode) -> SternaError {
        switch code {
        // The first byte of Large Window Brotli, which is no part of RFC 7932 and would need up to 1 GiB.
        case BROTLI_DECODER_ERROR_FORMAT_WINDOW_BITS:
            .damagedCoding("they need a window of more than 16 MiB, which br does not allow (RFC 7932, 9.1)")
        default: .damagedCoding(CodingFault.foreign)
        }
    }
}
#endif
