#if Foundation
public import Foundation
import NIOCore
public import SternaCore

extension Body {
    /// What Foundation's input stream delivers, which can be sent once only.
    ///
    /// It is opened and closed by whoever sends the body, and must not be used beside it. A stream of a socket or a pipe holds a
    /// thread while it waits.
    ///
    /// - Parameter length: the exact number of bytes; a stream that is shorter or longer fails the request. Without it the body
    ///   goes out in chunked coding.
    public static func stream(_ stream: InputStream, length: Int64? = nil, mediaType: String? = nil) -> Body {
        .stream(InputStreamChunks(stream), length: length, mediaType: mediaType)
    }
}

// Invariant: the stream is used by the iterator alone, which one task calls at a time.
private struct InputStreamChunks: AsyncSequence, @unchecked Sendable {
    private let stream: InputStream

    init(_ stream: InputStream) { self.stream = stream }

    func makeAsyncIterator() -> Iterator { Iterator(stream: stream) }

    struct Iterator: AsyncIteratorProtocol {
        let stream: InputStream
        private var hasEnded = false

        init(stream: InputStream) { self.stream = stream }

        mutating func next() async throws -> Bytes? {
            guard !hasEnded else { return nil }
            if stream.streamStatus == .notOpen { stream.open() }
            var bytes = Bytes()
            var result = 0
            bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: 64 << 10) { space in
                guard let base = space.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
                result = stream.read(base, maxLength: space.count)
                return Swift.max(0, result)
            }
            guard result >= 0 else {
                let reason = stream.streamError.map { "\($0)" } ?? "it cannot be read"
                throw SternaError(
                    .writeFailed, phase: .write, "The body's stream failed: \(reason).", underlying: stream.streamError)
            }
            if result == 0 {
                hasEnded = true
                stream.close()
                return nil
            }
            return bytes
        }
    }
}
#endif
