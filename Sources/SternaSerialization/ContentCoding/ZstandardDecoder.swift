#if Zstd
import CSternaZstd
import NIOCore
import SternaCore

/// Decodes Zstandard (RFC 8878): all frames of a body, with windows of at most 8 MiB (RFC 9659).
final class ZstandardDecoder: ContentDecoder {
    // Invariant: made at the first input, and freed once, with this object; no call keeps a pointer to input or output.
    private var context: OpaquePointer?
    private var isBetweenFrames = true
    private var hasPartOfHead = false
    private var mayHaveOutput = false
    /// The length of a frame's head that libzstd has not had yet.
    private var headLength: Int?
    /// How much of the frame's content is missing; nil if the frame's head leaves its size out.
    private var missing: UInt64?

    deinit {
        if let context { ZSTD_freeDCtx(context) }
    }

    func decode(_ input: inout Bytes, limit: Int) throws(SternaError) -> Bytes {
        var output = Bytes()
        guard input.readableBytes > 0 || mayHaveOutput else { return output }
        if context == nil { context = Self.makeContext() }
        guard let context else { throw .noDecoder }
        output.reserveCapacity(min(limit, max(4 << 10, input.readableBytes * 4)))
        // libzstd takes repeated calls without input or room for a mistake of the caller, and fails.
        while output.readableBytes < limit, input.readableBytes > 0 || mayHaveOutput {
            if isBetweenFrames, try !beginFrame(input) { break }
            let before = output.readableBytes
            let (result, isFull) = step(context, &input, into: &output, limit: limit - before)
            guard ZSTD_isError(result) == 0 else { throw Self.fault(ZSTD_getErrorCode(result)) }
            isBetweenFrames = result == 0
            try count(output.readableBytes - before)
            mayHaveOutput = isFull && !isBetweenFrames
        }
        return output
    }

    func finish() throws(SternaError) {
        guard isBetweenFrames, !hasPartOfHead else { throw .damagedCoding(CodingFault.truncated) }
    }

    private static func makeContext() -> OpaquePointer? {
        guard let context = ZSTD_createDCtx() else { return nil }
        let result = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, ZstandardFrameHead.maximumWindowLog)
        guard ZSTD_isError(result) == 0 else {
            ZSTD_freeDCtx(context)
            return nil
        }
        return context
    }

    /// Checks that a frame's content is as long as its head says, which libzstd does not where an empty block ends the frame.
    private func count(_ produced: Int) throws(SternaError) {
        guard let left = missing else { return }
        let (rest, isLonger) = left.subtractingReportingOverflow(UInt64(produced))
        guard !isLonger, rest == 0 || !isBetweenFrames else {
            throw .damagedCoding("a frame is not as long as its head says")
        }
        missing = rest
    }

    /// Checks the next frame's head, which libzstd then gets alone and whole: it has other checks for a frame that it gets in one
    /// piece, so that the pieces of the input would decide what is accepted. Returns false if more input is needed.
    private func beginFrame(_ input: Bytes) throws(SternaError) -> Bool {
        switch ZstandardFrameHead.read(input) {
        case .incomplete:
            hasPartOfHead = true
            return false
        case .unknown: throw .damagedCoding(CodingFault.foreign)
        case .frame(let window, let size, let length):
            guard window <= UInt64(1) << UInt64(ZstandardFrameHead.maximumWindowLog) else { throw Self.largeWindow }
            (missing, headLength) = (size, length)
        case .skippable: (missing, headLength) = (nil, ZstandardFrameHead.skippableLength)
        }
        (isBetweenFrames, hasPartOfHead) = (false, false)
        return true
    }

    private func step(
        _ context: OpaquePointer, _ input: inout Bytes, into output: inout Bytes, limit: Int
    ) -> (result: Int, isFull: Bool) {
        var result = 0
        var consumed = 0
        var isFull = false
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: min(limit, 64 << 10)) { space in
            input.withUnsafeReadableBytes { bytes in
                // Invariant: libzstd reads and writes within these sizes, and not after the call.
                let count = min(headLength ?? bytes.count, bytes.count)
                var source = ZSTD_inBuffer(src: bytes.baseAddress, size: count, pos: 0)
                var target = ZSTD_outBuffer(dst: space.baseAddress, size: min(space.count, limit), pos: 0)
                result = ZSTD_decompressStream(context, &target, &source)
                consumed = min(source.pos, count)
                isFull = target.pos == target.size
                return min(target.pos, space.count)
            }
        }
        headLength = nil
        input.moveReaderIndex(forwardBy: consumed)
        return (result, isFull)
    }

    private static var largeWindow: SternaError {
        .damagedCoding("they need a window of more than 8 MiB, which zstd does not allow (RFC 9659)")
    }

    private static func fault(_ code: ZSTD_ErrorCode) -> SternaError {
        switch code {
        case ZSTD_error_frameParameter_windowTooLarge: largeWindow
        case ZSTD_error_checksum_wrong: .damagedCoding("their checksum is wrong")
        case ZSTD_error_dictionary_wrong: .damagedCoding("they need a dictionary")
        default: .damagedCoding(CodingFault.foreign)
        }
    }
}
#endif
