import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

/// The body of a shared response, as one of its readers reads it.
///
/// A reader that was cut off, since the others would have waited too long for it, reads what it has, and fetches the rest for itself where
/// a strong entity tag shows that it is the same content. Otherwise its read fails.
final class SharedBody: BodyStream {
    private struct State {
        var trailers: HTTPFields?
        var rest: (any BodyStream)?
        /// How many bytes of the rest were read before.
        var skipped: Int64 = 0
        var isCancelled = false
        var isOver = false
    }

    private let state = Mutex(State())
    private let reader: SharedReader
    private let head: Response
    private let request: Request
    private let next: Chain
    private let limit: Int64

    init(_ reader: SharedReader, _ head: Response, to request: Request, window: Int64, _ next: Chain) {
        (self.reader, self.head, self.request, self.next) = (reader, head, request, next)
        limit = window
    }

    deinit {
        reader.finish()
        state.withLock { $0.rest }?.cancel()
    }

    func next() async throws -> Bytes? {
        let (rest, isOver) = state.withLock { ($0.rest, $0.isOver) }
        if let rest { return try await read(rest) }
        guard !isOver else { return nil }
        switch try await reader.next() {
        case .piece(let piece): return piece
        case .end(let trailers):
            state.withLock { ($0.trailers, $0.isOver) = (trailers, true) }
            reader.finish()
            return nil
        case .failed(let error): throw error
        case .cutOff(let position): return try await read(fetch(from: position))
        case .wait: return nil
        }
    }

    func cancel() {
        reader.cancel()
        let rest = state.withLock { state in
            state.isCancelled = true
            return state.rest
        }
        rest?.cancel()
    }

    var length: Int64? { head.body.length }

    var trailers: HTTPFields? { state.withLock { $0.trailers } }

    // MARK: The rest of a reader that was cut off

    nonisolated(nonsending) private func read(_ rest: any BodyStream) async throws -> Bytes? {
        while var piece = try await rest.next() {
            let skipped = state.withLock { state in
                let count = min(state.skipped, Int64(piece.readableBytes))
                state.skipped -= count
                return Int(count)
            }
            piece.moveReaderIndex(forwardBy: skipped)
            if piece.readableBytes > 0 { return piece }
        }
        state.withLock { $0.trailers = rest.trailers }
        return nil
    }

    nonisolated(nonsending) private func fetch(from position: Int64) async throws -> any BodyStream {
        guard let tag = SharedRest.validator(of: head, to: request) else { throw tooSlow.at(request) }
        var request = request
        request.headers[.range] = "bytes=\(position)-"
        request.headers[HTTPField.Name.ifRange] = tag.fieldValue
        request.delivery = .head
        let response = try await next(request)
        guard let skipped = SharedRest.skipped(position, in: response, tag, instead: head) else {
            response.body.cancel()
            throw tooSlow.at(request)
        }
        let rest = ClaimedBody(response.body)
        let isCancelled = state.withLock { state in
            (state.rest, state.skipped) = (rest, skipped)
            return state.isCancelled
        }
        reader.finish()
        if isCancelled {
            rest.cancel()
            throw SharedReader.cancelled(.read)
        }
        return rest
    }

    private var tooSlow: SternaError {
        SternaError(
            .limitExceeded, phase: .read,
            "The body was read so slowly that it fell \(ByteSize(limit)) behind identical requests that share the transfer, and the rest "
                + "cannot be fetched, since there is no strong entity tag or the content has changed. Send the request with "
                + "network.coalescesRequests = false, or read faster.")
    }
}

/// Whether the rest of a response can be fetched by another request.
enum SharedRest {
    /// Returns the entity tag by which the rest of a response can be fetched; nil if it cannot.
    static func validator(of response: Response, to request: Request) -> EntityTag? {
        guard request.method == .get, response.status == .ok, !request.headers.contains(.range),
            let tag = EntityTag(response.headers), !tag.isWeak
        else { return nil }
        return tag
    }

    /// Returns how many bytes of a response were read already; nil if it is not the rest of the first response.
    static func skipped(_ position: Int64, in response: Response, _ tag: EntityTag, instead first: Response) -> Int64? {
        let fields = response.headers
        guard let own = EntityTag(fields), own.isStronglyEqual(tag) else { return nil }
        switch response.status.code {
        case 200: return fields[.contentEncoding] == first.headers[.contentEncoding] ? position : nil
        case 206:
            let lines = fields[values: .contentRange]
            guard lines.count == 1, let line = lines.first, case .part(let range, let length)? = ContentRange(line),
                range.lowerBound == position, length == nil || length == range.upperBound
            else { return nil }
            return 0
        default: return nil
        }
    }
}
