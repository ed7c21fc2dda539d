import CSternaZlib
import NIOCore
package import SternaCore

/// Decodes gzip (RFC 1952), zlib (RFC 1950) or bare deflate (RFC 1951) incrementally, in pieces of bounded size.
package final class Inflater: ContentDecoder {
    /// The container format of the deflated bytes.
    package enum Format: Sendable, Hashable {
        /// gzip, with one member or several.
        case gzip
        /// HTTP's deflate: in zlib's container, or without a container, as some servers send it.
        case deflate
    }

    private let format: Format
    private let stream: UnsafeMutablePointer<z_stream>
    private var isOpen = false
    private var hasSeenInput = false
    private var windowBits: CInt = 0

    /// Whether the decoder has reached the end of the coded data.
    package private(set) var isFinished = false

    package init(_ format: Format) {
        self.format = format
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
    }

    deinit {
        if isOpen { inflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    package func decode(_ input: inout Bytes, limit: Int) throws(SternaError) -> Bytes {
        var output = Bytes()
        // An open decoder may still have output of consumed input.
        guard isOpen || prepare(input) else { return output }
        guard isOpen else {
            throw .noDecoder
        }
        output.reserveCapacity(min(limit, max(4 << 10, input.readableBytes * 4)))
        while output.readableBytes < limit {
            if isFinished, try !beginMember(&input) { break }
            let (result, consumed, produced) = step(input, into: &output, limit: limit - output.readableBytes)
            input.moveReaderIndex(forwardBy: consumed)
            if result == Z_STREAM_END {
                isFinished = true
            } else if result == Z_BUF_ERROR || result == Z_OK {
                if consumed == 0, produced == 0 { break }
            } else {
                throw .damagedCoding(CodingFault.foreign)
            }
        }
        return output
    }

    package func finish() throws(SternaError) {
        guard isFinished || !hasSeenInput else { throw .damagedCoding(CodingFault.truncated) }
    }

    // The first two bytes show whether there is zlib's container. Returns false if more input is needed.
    private func prepare(_ input: Bytes) -> Bool {
        guard input.readableBytes > 0 else { return false }
        hasSeenInput = true
        switch format {
        case .gzip: windowBits = 15 + 16
        case .deflate:
            guard let first: UInt8 = input.getInteger(at: input.readerIndex) else { return false }
            let looksLikeZlib = first & 0x0F == 8 && first >> 4 <= 7
            if looksLikeZlib {
                guard let header: UInt16 = input.getInteger(at: input.readerIndex) else { return false }
                windowBits = header % 31 == 0 ? 15 : -15
            } else {
                windowBits = -15
            }
        }
        isOpen = CSternaZlib_inflateInit2(stream, windowBits) == Z_OK
        return true
    }

    private func beginMember(_ input: inout Bytes) throws(SternaError) -> Bool {
        guard let first: UInt8 = input.getInteger(at: input.readerIndex) else { return false }
        guard format == .gzip, first == 0x1F, inflateReset(stream) == Z_OK else {
            throw .damagedCoding(CodingFault.trailing)
        }
        isFinished = false
        return true
    }

    private func step(
        _ input: Bytes, into output: inout Bytes, limit: Int
    ) -> (result: CInt, consumed: Int, produced: Int) {
        var result: CInt = Z_OK
        var consumed = 0
        let piece = min(limit, 64 << 10)
        let produced = output.writeWithUnsafeMutableBytes(minimumWritableBytes: piece) { space in
            input.withUnsafeReadableBytes { bytes in
                let available = min(bytes.count, Int(CInt.max))
                let room = min(space.count, limit, Int(CInt.max))
                // zlib only reads the input, despite its type, and writes no further than avail_out.
                stream.pointee.next_in = UnsafeMutablePointer(
                    mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
                stream.pointee.avail_in = UInt32(available)
                stream.pointee.next_out = space.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.pointee.avail_out = UInt32(room)
                result = inflate(stream, Z_NO_FLUSH)
                consumed = available - Int(stream.pointee.avail_in)
                return room - Int(stream.pointee.avail_out)
            }
        }
        return (result, consumed, produced)
    }
}
