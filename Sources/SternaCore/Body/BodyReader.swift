public import NIOCore
import SternaPlatform

/// Reads a body from its start in pieces of any size.
///
/// The transport sends files without a reader. Interceptors and builders use one to compress, throttle or store the bytes.
public struct BodyReader {
    private let body: Body
    private var segment = 0
    private var offset: Int64 = 0
    private var reader: BodyProducer.Reader?
    private var rest = Bytes()
    private var file: ReadableFile?

    /// The number of bytes read from a file at once.
    private static let fileBytes = 64 << 10

    /// Makes a reader. A body that can be read only once admits one reader.
    public init(_ body: Body) { self.body = body }

    /// The maximum piece of a file in bytes, whatever the requested count, since the capacity of a buffer is limited.
    private static let longestPiece: Int64 = 16 << 20

    /// Returns the next bytes, at least one and at most `count`; nil at the end.
    ///
    /// Throws `fileUnreadable` if a file cannot be read or has changed its size, `invalidRequest` if a source is shorter or longer
    /// than declared, `bodyNotReplayable`, `CancellationError` if the task is cancelled, and the errors of sources.
    public mutating func next(upTo count: Int = 256 << 10) async throws -> Bytes? {
        let count = max(1, count)
        while segment < body.segments.count {
            try Task.checkCancellation()
            switch body.segments[segment] {
            case .bytes(let bytes):
                let length = min(count, bytes.readableBytes - Int(offset))
                if length > 0, let piece = bytes.getSlice(at: bytes.readerIndex + Int(offset), length: length) {
                    offset += Int64(length)
                    return piece
                }
            case .file(let range):
                if let piece = try await next(of: range, upTo: count) { return piece }
            case .producer(let producer):
                if let piece = try await next(of: producer, upTo: count) { return piece }
            }
            segment += 1
            offset = 0
            reader = nil
            file = nil
        }
        return nil
    }

    /// Returns the next `count` bytes, up to 1 GiB, or fewer at the end of the body; nil at the end. Throws as ``next(upTo:)``
    /// does.
    package mutating func next(filling count: Int) async throws -> Bytes? {
        let count = min(max(1, count), 1 << 30)
        guard var all = try await next(upTo: count) else { return nil }
        while all.readableBytes < count, var more = try await next(upTo: count - all.readableBytes) {
            all.writeBuffer(&more)
        }
        return all
    }

    private mutating func next(of range: FileRange, upTo count: Int) async throws -> Bytes? {
        if rest.readableBytes == 0 {
            guard offset < range.length else { return nil }
            let opened = file
            let start = range.offset + offset
            // Small pieces are cut from a large one.
            let length = Int(min(Int64(max(count, Self.fileBytes)), range.length - offset, Self.longestPiece))
            (file, rest) = try await BlockingWork.run {
                let file = try opened ?? ReadableFile(range)
                return (file, try file.read(range, at: start, count: length))
            }
            offset += Int64(length)
        }
        return rest.readSlice(length: min(count, rest.readableBytes))
    }

    private mutating func next(of producer: BodyProducer, upTo count: Int) async throws -> Bytes? {
        while rest.readableBytes == 0 {
            try Task.checkCancellation()
            let reader = try reader ?? producer.makeReader()
            self.reader = reader
            guard let bytes = try await reader() else {
                if let length = producer.length, offset != length {
                    throw Self.wrongLength(.tooShort(delivered: offset, declared: length))
                }
                return nil
            }
            offset += Int64(bytes.readableBytes)
            if let length = producer.length, offset > length { throw Self.wrongLength(.tooLong(declared: length)) }
            rest = bytes
        }
        return rest.readSlice(length: min(count, rest.readableBytes))
    }

    private static func wrongLength(_ fault: BodyFault) -> SternaError {
        SternaError(
            .invalidRequest, phase: .write, "The body does not have its declared length: \(fault).", underlying: fault
        )
    }
}
