import CSternaZlib
import NIOCore
import SternaCore

/// Decompresses the messages of one direction (RFC 7692, 7.2.2) with one window for all of them.
// Invariant: a value that has the only reference calls it; a value that shares it makes a copy first. The stream is freed once,
// with this object, and keeps no pointer to input or output between calls.
final class MessageInflater: @unchecked Sendable {
    enum Outcome {
        /// The input is used up, or the output is full, in which case more may follow.
        case done(isFull: Bool)
        case damaged
    }

    private let stream: UnsafeMutablePointer<z_stream>
    /// Whether the last block was marked as the final one, after which a peer may still begin others (RFC 7692, 7.2.3.4).
    private var hasEnded: Bool
    /// Whether no block is begun.
    private(set) var isAtBoundary: Bool

    init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        (hasEnded, isAtBoundary) = (false, true)
        // The largest window, whatever was agreed: some peers do not keep to it.
        guard CSternaZlib_inflateInit2(stream, -15) == Z_OK else {
            // A stream without state is ended without effect.
            return nil
        }
    }

    private init?(copying other: MessageInflater) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        (hasEnded, isAtBoundary) = (other.hasEnded, other.isAtBoundary)
        guard inflateCopy(stream, other.stream) == Z_OK else { return nil }
    }

    deinit {
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Returns an independent copy; nil if there is no memory.
    func copy() -> MessageInflater? { MessageInflater(copying: self) }

    /// Decompresses input until it is used up or the output has grown by `limit` bytes.
    ///
    /// - Parameter isTail: whether the input is the end that all messages have in common, after which no block may be begun.
    func decode(_ input: inout Bytes, into output: inout Bytes, limit: Int, isTail: Bool) -> Outcome {
        // Between blocks zlib has no output left, and would forget where it is.
        if input.readableBytes == 0, isAtBoundary { return .done(isFull: false) }
        var room = limit
        while true {
            if input.readableBytes > 0, hasEnded {
                // It keeps the window, to which later messages may refer.
                guard inflateResetKeep(stream) == Z_OK else { return .damaged }
                hasEnded = false
            }
            let (result, consumed, produced, isFull) = step(input, into: &output, limit: room, stopsAtBlock: isTail)
            input.moveReaderIndex(forwardBy: consumed)
            room -= produced
            switch result {
            case Z_STREAM_END: (hasEnded, isAtBoundary) = (true, true)
            case Z_OK, Z_BUF_ERROR:
                // zlib states the bits that are left of the last byte, and in bit 7 that it stopped between blocks.
                let position = stream.pointee.data_type
                isAtBoundary = isTail && position & 0x80 != 0 && position & 0x3F == 0
            default: return .damaged
            }
            if room <= 0 { return .done(isFull: true) }
            if input.readableBytes == 0, !isFull { return .done(isFull: false) }
            if consumed == 0, produced == 0 { return .damaged }
        }
    }

    private func step(
        _ input: Bytes, into output: inout Bytes, limit: Int, stopsAtBlock: Bool
    ) -> (result: CInt, consumed: Int, produced: Int, isFull: Bool) {
        var result: CInt = Z_OK
        var consumed = 0
        var isFull = false
        let space = min(limit, max(512, 4 * min(input.readableBytes, limit)))
        let produced = output.writeWithUnsafeMutableBytes(minimumWritableBytes: space) { space in
            input.withUnsafeReadableBytes { bytes in
                let room = min(space.count, limit)
                // zlib only reads the input, despite its type, and writes no further than avail_out.
                stream.pointee.next_in = UnsafeMutablePointer(
                    mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
                stream.pointee.avail_in = UInt32(bytes.count)
                stream.pointee.next_out = space.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.pointee.avail_out = UInt32(room)
                result = inflate(stream, stopsAtBlock ? Z_BLOCK : Z_SYNC_FLUSH)
                consumed = bytes.count - Int(stream.pointee.avail_in)
                isFull = stream.pointee.avail_out == 0
                (stream.pointee.next_in, stream.pointee.next_out) = (nil, nil)
                return room - Int(stream.pointee.avail_out)
            }
        }
        return (result, consumed, produced, isFull)
    }
}
