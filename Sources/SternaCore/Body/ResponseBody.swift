public import HTTPTypes
public import NIOCore

/// The content of a response, delivered as it arrives: an asynchronous sequence of chunks.
///
/// A small body is there as a whole when the response is; a large one is pulled from the connection by whoever iterates,
/// and nothing more is read from the network than is asked for. A streamed body can be read once. Its last release
/// before the end cancels the transfer.
public struct ResponseBody: AsyncSequence, Sendable {
    public typealias Element = Bytes

    enum Storage: Sendable {
        case whole(Bytes, trailers: HTTPFields?)
        case stream(any BodyStream)
    }

    let storage: Storage

    /// A body that is there already.
    public init(_ bytes: Bytes = Bytes(), trailers: HTTPFields? = nil) {
        storage = .whole(bytes, trailers: trailers)
    }

    /// A body that is pulled from a stream.
    public init(_ stream: any BodyStream) {
        storage = .stream(stream)
    }

    /// The whole body where it is there without waiting, else nil.
    public var whole: Bytes? {
        if case .whole(let bytes, _) = storage { bytes } else { nil }
    }

    /// Where it is pulled from; nil where the whole of it is there.
    package var stream: (any BodyStream)? {
        if case .stream(let stream) = storage { stream } else { nil }
    }

    /// The length in bytes where it is known before the end.
    public var length: Int64? {
        switch storage {
        case .whole(let bytes, _): Int64(bytes.readableBytes)
        case .stream(let stream): stream.length
        }
    }

    /// The trailer fields (RFC 9110, 6.5), once the body was read to its end; nil before, or where there are none.
    public var trailers: HTTPFields? {
        switch storage {
        case .whole(_, let trailers): trailers
        case .stream(let stream): stream.trailers
        }
    }

    /// Gives the rest of the body up: the connection is freed, or closed when bytes are outstanding.
    public func cancel() {
        if case .stream(let stream) = storage { stream.cancel() }
    }

    /// Reads to the end and returns all bytes; throws `limitExceeded` when there are more than `limit`.
    ///
    /// A limit above 2 GiB is taken for that.
    /// - Parameter progress: told how much has come, after every chunk.
    public func collect(
        upTo limit: Int, reportingTo progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Bytes {
        let limit = Swift.min(limit, Int(Int32.max))
        switch storage {
        case .whole(let bytes, _):
            guard bytes.readableBytes <= limit else { throw Self.tooLong(limit) }
            progress?(TransferProgress(completed: Int64(bytes.readableBytes), total: Int64(bytes.readableBytes)))
            return bytes
        case .stream(let stream):
            if let length = stream.length, length > Int64(limit) {
                stream.cancel()
                throw Self.tooLong(limit)
            }
            return try await Self.read(stream, upTo: limit, reportingTo: progress)
        }
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
            "The body is longer than the \(ByteCount(Int64(limit))) that are collected in memory; "
                + "stream it with withResponse, or raise the limit.")
    }

    public func makeAsyncIterator() -> Iterator { Iterator(storage: storage) }

    public struct Iterator: AsyncIteratorProtocol {
        var storage: Storage?

        init(storage: Storage) { self.storage = storage }

        public mutating func next() async throws -> Bytes? {
            switch storage {
            case .stream(let stream): return try await stream.next()
            case .whole(let bytes, _):
                storage = nil
                return bytes.readableBytes > 0 ? bytes : nil
            case nil: return nil
            }
        }
    }
}

extension ResponseBody: CustomReflectable {
    /// The length and the trailer fields, without credentials; content may hold secrets.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["length": length as Any, "trailers": trailers.map { Headers($0) } as Any],
            displayStyle: .struct)
    }
}

/// Where a streamed response body comes from: a transport's, or one that wraps another.
public protocol BodyStream: AnyObject, Sendable {
    /// The next bytes, never empty; nil at the end. One caller at a time.
    func next() async throws -> Bytes?

    /// Gives up what has not been read; `next` throws `cancelled` from then on.
    func cancel()

    /// The length in bytes where it is known.
    var length: Int64? { get }

    /// The trailer fields, once `next` has returned nil.
    var trailers: HTTPFields? { get }
}
