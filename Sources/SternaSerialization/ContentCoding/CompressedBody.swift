import NIOCore
public import SternaCore

extension Body {
    /// Returns the body in a content coding, compressed while it is sent.
    ///
    /// Its length is unknown before the end, so HTTP/1.1 sends it in chunked coding; `try await body.compressed().collected()` has
    /// a length. A body of known length 0 stays unchanged. Content-Encoding is set unless the request has it. Few servers accept
    /// compressed requests: ask the server's operator.
    ///
    /// - Parameter level: the compression level, clamped to the coding's range, from fastest to smallest: 1 to 9 for gzip and
    ///   deflate, 6 by default; 1 to 11 for Brotli, 5 by default; 1 to 19 for Zstandard, 3 by default.
    public func compressed(_ coding: ContentCoding = .gzip, level: Int? = nil) -> Body {
        guard length != 0 else { return self }
        var producer = BodyProducer(length: nil, isReplayable: isReplayable) {
            let encoder = try coding.makeEncoder(level: level, length: length)
            let source = CompressedSource(SharedBodyReader(self), encoder)
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
    private let encoder: any ContentEncoder
    private var hasEnded = false

    init(_ reader: SharedBodyReader, _ encoder: any ContentEncoder) {
        self.reader = reader
        self.encoder = encoder
    }

    func next() async throws -> Bytes? {
        while !hasEnded {
            let input = try await reader.next(filling: 256 << 10)
            hasEnded = input == nil
            let output = try encoder.compress(input)
            if output.readableBytes > 0 { return output }
        }
        return nil
    }
}
