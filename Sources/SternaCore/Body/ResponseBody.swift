public import HTTPTypes
public import NIOCore
import Synchronization

/// The content of a response, delivered as it arrives: an asynchronous sequence of chunks.
///
/// A small body is complete when the response is delivered. The reader of a large one pulls it from the connection; the library
/// reads no more from the network than the reader requests.
///
/// The body of a verb's reply can be read any number of times. A streamed body is read once, by one iterator or one call of
/// ``collect(upTo:reportingTo:)``. The same holds for every body inside `withResponse`, even if it arrived together with the
/// head. A second or concurrent read throws `invalidRequest`.
///
/// A read ends with `cancelled` when its task is cancelled. ``cancel()``, or the release of the last reference, ends the body
/// itself and gives up the transfer.
public struct ResponseBody: AsyncSequence, Sendable {
    public typealias Element = Bytes

    enum Storage: Sendable {
        case whole(Bytes, trailers: HTTPFields?)
        case stream(any BodyStream, ReadAdmission)
        case once(WholeBody)
    }

    /// A complete body that can be read once; stored indirectly, since nearly all bodies can be read again and cost less to copy.
    final class WholeBody: Sendable {
        let bytes: Bytes
        let trailers: HTTPFields?
        let admission = ReadAdmission()

        init(_ bytes: Bytes, trailers: HTTPFields?) { (self.bytes, self.trailers) = (bytes, trailers) }
    }

    let storage: Storage

    /// Makes a complete body that can be read any number of times.
    public init(_ bytes: Bytes = Bytes(), trailers: HTTPFields? = nil) {
        storage = .whole(bytes, trailers: trailers)
    }

    /// Makes a body that is pulled from a stream and can be read once.
    public init(_ stream: any BodyStream) {
        storage = .stream(stream, ReadAdmission())
    }

    private init(once body: WholeBody) { storage = .once(body) }

    /// Returns the same body, which can be read only once from now on, whether it is streamed or complete.
    package var readableOnce: ResponseBody {
        guard case .whole(let bytes, let trailers) = storage else { return self }
        return ResponseBody(once: WholeBody(bytes, trailers: trailers))
    }

    /// Admits one reader; nil for a body that can be read any number of times.
    private var admission: ReadAdmission? {
        switch storage {
        case .whole: nil
        case .stream(_, let admission): admission
        case .once(let body): body.admission
        }
    }

    /// Claims the body; throws `invalidRequest` if it can be read only once and another reader has claimed it.
    package func claim() throws(SternaError) {
        guard admission?.admits() == false else { return }
        throw SternaError(
            .invalidRequest, phase: .read,
            "The body was already read, or another task is reading it. A streamed body can be read only "
                + "once: keep what you read, or use a verb, whose reply can be read again.")
    }

    /// The whole body if it is available without waiting, else nil; this access does not count as a read.
    public var whole: Bytes? {
        switch storage {
        case .whole(let bytes, _): bytes
        case .once(let body): body.bytes
        case .stream: nil
        }
    }

    /// The stream that delivers the body; nil if the body is complete.
    package var stream: (any BodyStream)? {
        if case .stream(let stream, _) = storage { stream } else { nil }
    }

    /// The length in bytes if it is known before the end.
    public var length: Int64? {
        switch storage {
        case .whole(let bytes, _): Int64(bytes.readableBytes)
        case .once(let body): Int64(body.bytes.readableBytes)
        case .stream(let stream, _): stream.length
        }
    }

    /// The trailer fields (RFC 9110, 6.5) after the body was read to its end; nil before, or if there are none.
    public var trailers: HTTPFields? {
        switch storage {
        case .whole(_, let trailers): trailers
        case .once(let body): body.trailers
        case .stream(let stream, _): stream.trailers
        }
    }

    /// Discards the rest of the body: the connection becomes free, or is closed if bytes are outstanding. The current read and
    /// every later read of a streamed body throw `cancelled`.
    public func cancel() {
        if case .stream(let stream, _) = storage { stream.cancel() }
    }

    /// Reads to the end and returns all bytes; throws `limitExceeded` when there are more than `limit`.
    ///
    /// A limit above 2 GiB counts as 2 GiB.
    /// - Parameter progress: called after every chunk with the progress so far.
    public func collect(
        upTo limit: Int, reportingTo progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Bytes {
        try claim()
        let limit = Swift.min(limit, Int(Int32.max))
        guard let stream else {
            let bytes = whole ?? Bytes()
            guard bytes.readableBytes <= limit else { throw Self.tooLong(limit) }
            progress?(TransferProgress(completed: Int64(bytes.readableBytes), total: Int64(bytes.readableBytes)))
            return bytes
        }
        if let length = stream.length, length > Int64(limit) {
            stream.cancel()
            throw Self.tooLong(limit)
        }
        return try await Self.read(stream, upTo: limit, reportingTo: progress)
    }

    private static func read(
        _ stream: any BodyStream, upTo limit: Int, reportingTo progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws -> Bytes {
        var all = Bytes()
        var meter = ProgressMeter(total: stream.length)
        if let length = stream.length { all.reserveCapacity(Swift.min(Int(length), 1 << 20)) }
        while var chunk = try await stream.next() {
            guard chunk.readableBytes <= limit - all.readableBytes else {
                stream.cancel()
                throw tooLong(limit)
            }
            if let progress {
                let now = NIODeadline.now()
                meter.add(chunk.readableBytes, at: now)
                progress(meter.progress(at: now))
            }
            all.writeBuffer(&chunk)
        }
        return all
    }

    private static func tooLong(_ limit: Int) -> SternaError {
        SternaError(
            .limitExceeded, phase: .read,
            "The body is longer than the limit of \(ByteSize(Int64(limit))) for bodies in memory; "
                + "stream it with withResponse, or raise the limit.")
    }

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Reads the chunks one after another.
    public struct Iterator: AsyncIteratorProtocol {
        private enum State {
            case new(ResponseBody)
            case reading(any BodyStream)
            case ended
        }

        private var state: State

        init(_ body: ResponseBody) { state = .new(body) }

        /// Returns the next bytes, never empty; nil at the end.
        ///
        /// The first call claims the body, and throws `invalidRequest` if another reader has claimed it.
        public mutating func next() async throws -> Bytes? {
            switch state {
            case .reading(let stream): return try await stream.next()
            case .ended: return nil
            case .new(let body):
                try body.claim()
                guard let stream = body.stream else {
                    state = .ended
                    return body.whole.flatMap { $0.readableBytes > 0 ? $0 : nil }
                }
                state = .reading(stream)
                return try await stream.next()
            }
        }
    }
}

/// Admits the first reader of a body that can be read once.
final class ReadAdmission: Sendable {
    private let isTaken = Atomic(false)

    func admits() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
}

extension ResponseBody: CustomReflectable {
    /// Shows the length and the trailer fields without credentials; the content may hold secrets.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["length": length as Any, "trailers": trailers.map { Headers($0) } as Any],
            displayStyle: .struct)
    }
}

/// The source of a streamed response body: a transport's stream, or one that wraps another.
public protocol BodyStream: AnyObject, Sendable {
    /// Returns the next bytes, never empty; nil at the end. One caller at a time: a concurrent call throws.
    ///
    /// Throws `cancelled` if the caller's task is cancelled; the stream stays unchanged, and another call may continue.
    func next() async throws -> Bytes?

    /// Discards the unread bytes; `next` throws `cancelled` from then on.
    func cancel()

    /// The length in bytes if known.
    var length: Int64? { get }

    /// The trailer fields, once `next` has returned nil.
    var trailers: HTTPFields? { get }
}
