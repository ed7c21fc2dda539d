#if Foundation
public import Foundation
import NIOCore
public import SternaCore

extension Body {
    /// Returns a body that reads Foundation's input stream, and can be sent only once.
    ///
    /// Sending the body opens and closes the stream, which must not be used meanwhile. A stream of a socket or a pipe occupies a
    /// thread of its own while it waits.
    ///
    /// - Parameter length: the exact number of bytes; a stream that is shorter or longer fails the request. Without a length
    ///   HTTP/1.1 uses the chunked transfer coding (RFC 9112, 7.1).
    public static func stream(_ stream: InputStream, length: Int64? = nil, mediaType: String? = nil) -> Body {
        .stream(InputStreamChunks(stream), length: length, mediaType: mediaType)
    }
}

// Invariant: one task at a time calls a reader, each call after the last has returned, so that one read runs at a time.
private final class InputStreamReader: @unchecked Sendable {
    private static let pieceBytes = 64 << 10

    private let stream: InputStream
    private let work = BlockingWork("sterna.stream", inOrder: true)
    private var isClosed = false

    init(_ stream: InputStream) { self.stream = stream }

    deinit { close() }

    // A stream may wait for long, so it has a thread of its own: the few that all tasks share would soon be occupied.
    func next() async throws -> Bytes? { try await work.run { try self.read() } }

    private func read() throws -> Bytes? {
        guard !isClosed else { return nil }
        if stream.streamStatus == .notOpen { stream.open() }
        var bytes = Bytes()
        var result = 0
        bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.pieceBytes) { space in
            guard let base = space.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
            result = stream.read(base, maxLength: space.count)
            // A subclass may return a number that is out of range.
            return result <= space.count ? Swift.max(0, result) : 0
        }
        guard result == bytes.readableBytes else {
            let cause = stream.streamError
            close()
            let reason = cause.map { FieldSyntax.printable("\($0)") } ?? "it cannot be read"
            throw SternaError(
                .writeFailed, phase: .write, "The body's stream failed: \(reason).", underlying: cause)
        }
        guard result > 0 else {
            close()
            return nil
        }
        return bytes
    }

    private func close() {
        guard !isClosed else { return }
        isClosed = true
        stream.close()
    }
}

private struct InputStreamChunks: AsyncSequence, Sendable {
    let reader: InputStreamReader

    init(_ stream: InputStream) { reader = InputStreamReader(stream) }

    func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

    struct Iterator: AsyncIteratorProtocol {
        let reader: InputStreamReader

        func next() async throws -> Bytes? { try await reader.next() }
    }
}
#endif
