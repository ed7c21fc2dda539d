import CSternaZlib
import NIOCore
public import SternaCore

/// Compresses a stream with zlib.
// Invariant: used by one task at a time; the stream is freed with it.
final class Deflater: @unchecked Sendable {
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
            throw SternaError(.encodingFailed, phase: .prepare, "The body cannot be compressed: zlib says \(result).")
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Returns the output for the next bytes; nil ends the stream.
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
            throw SternaError(.encodingFailed, phase: .write, "The body cannot be compressed: zlib says \(result).")
        }
        return output
    }
}

extension Body {
    /// Returns the body in a content coding, compressed while it is sent.
    ///
    /// Its length is unknown before the end, so HTTP/1.1 sends it in chunked coding; `try await body.compressed().collected()` has
    /// a length. A body of known length 0 stays unchanged. Content-Encoding is set unless the request has it. Few servers accept
    /// compressed requests: ask the server's operator.
    ///
    /// - Parameter level: the compression level, from 1 (fastest) to 9 (smallest), to which it is clamped; 6 by default.
    public func compressed(_ coding: ContentCoding = .gzip, level: Int = 6) -> Body {
        guard length != 0 else { return self }
        var producer = BodyProducer(length: nil, isReplayable: isReplayable) {
            let source = CompressedSource(SharedBodyReader(self), try Deflater(coding, level: level))
            return { try await source.next() }
        }
        producer.estimatedLength = estimatedLength
        var compressed = self
        compressed.segments = [.producer(producer)]
        compressed.contentCoding = contentCoding.map { "\($0), \(coding.rawValue)" } ?? coding.rawValue
        return compressed
    }
}

// Invariant: only the reading task calls it, and each call begins after the previous one has returned.
private final class CompressedSource: @unchecked Sendable {
    private let reader: SharedBodyReader
    private let deflater: Deflater
    private var hasEnded = false

    init(_ reader: SharedBodyReader, _ deflater: Deflater) {
        self.reader = reader
        self.deflater = deflater
    }

    func next() async throws -> Bytes? {
        while !hasEnded {
            let input = try await reader.next(filling: 256 << 10)
            hasEnded = input == nil
            let output = try deflater.compress(input)
            if output.readableBytes > 0 { return output }
        }
        return nil
    }
}
