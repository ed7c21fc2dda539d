import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization
import Synchronization

/// Reads the parts of a response one after another; the iterator of the parts and the bodies of the parts share it.
final class PartReader: Sendable {
    /// Decides the positions of a part by its header fields, and may reject it.
    typealias Placing = @Sendable (HTTPFields, inout RangeCheck) throws(SternaError) -> RangeCheck.Place

    private struct State: Sendable {
        var framing: PartFraming
        var check: RangeCheck
        /// The number of the part whose body can be read; 0 before the first.
        var number = 0
        var isReading = false
        /// Whether the part's body has more bytes.
        var isInBody = false
        var isOver = false
        var failure: (any Error)?
    }

    private let source: ClaimedBody
    private let state: Mutex<State>
    private let placing: Placing
    private let explain: @Sendable (any Error) -> any Error
    private let onRelease: @Sendable () -> Void

    /// - Parameters:
    ///   - explain: completes an error with details of the request.
    ///   - onRelease: called when neither the iterator nor a part refers to the reader.
    init(
        _ body: ResponseBody, _ framing: PartFraming, check: RangeCheck = RangeCheck(),
        placing: @escaping Placing, explain: @escaping @Sendable (any Error) -> any Error,
        onRelease: @escaping @Sendable () -> Void = {}
    ) {
        source = ClaimedBody(body)
        state = Mutex(State(framing: framing, check: check))
        (self.placing, self.explain, self.onRelease) = (placing, explain, onRelease)
    }

    deinit { onRelease() }

    /// Returns the next part, after what was not read of the one before; nil after the last.
    func nextPart() async throws -> ResponsePart? {
        var number = try state.withLock { try Self.begin(&$0, nil) }
        while true {
            switch try await event() {
            case .end, nil: return nil
            case .bytes, .partEnd: number = try state.withLock { try Self.begin(&$0, number) }
            case .part(let fields): return try part(fields, number)
            }
        }
    }

    private func part(_ fields: HTTPFields, _ number: Int) throws -> ResponsePart {
        do {
            let place = try state.withLock { state throws(SternaError) in try placing(fields, &state.check) }
            let body = PartBody(self, number, length: place.isBinding ? place.range?.length : nil)
            return ResponsePart(
                headers: fields, body: ResponseBody(body), range: place.range, completeLength: place.completeLength)
        } catch {
            throw fail(error)
        }
    }

    /// Returns the next bytes of a part; nil at its end.
    func nextBytes(of number: Int) async throws -> Bytes? {
        let hasMore = try state.withLock { state in
            guard state.number != number || state.isInBody else { return false }
            _ = try Self.begin(&state, number)
            return true
        }
        guard hasMore, case .bytes(let bytes) = try await event() else { return nil }
        return bytes
    }

    /// Ends the reading by an error that the response deserves, and returns it with details of the request.
    func fail(_ error: any Error) -> any Error {
        let error = explain(error)
        state.withLock {
            $0.failure = error
            $0.isReading = false
        }
        source.cancel()
        return error
    }

    /// Begins to read an event: of the part with a number, or of the next part. Returns the part's number. ``event()`` must follow.
    private static func begin(_ state: inout State, _ number: Int?) throws(SternaError) -> Int {
        guard !state.isReading else {
            throw SternaError(
                .invalidRequest, phase: .read,
                "Another task is reading the parts of this response. One task can read them, one after another.")
        }
        guard number ?? state.number == state.number else {
            throw SternaError(
                .invalidRequest, phase: .read,
                "The part can no longer be read, because the next one was requested. Read its body, or keep the bytes, before."
            )
        }
        if number == nil { state.number += 1 }
        state.isReading = true
        return state.number
    }

    /// Returns the next event; nil after the end.
    private func event() async throws -> MultipartParser.Event? {
        while true {
            let event: MultipartParser.Event?
            do {
                event = try state.withLock { state in
                    if let failure = state.failure { throw failure }
                    let event = state.isOver ? MultipartParser.Event.end : try state.framing.next()
                    switch event {
                    case .part: state.isInBody = true
                    case .partEnd: state.isInBody = false
                    case .end: state.isOver = true
                    case .bytes, nil: break
                    }
                    if event != nil { state.isReading = false }
                    return event
                }
            } catch {
                throw failed(error)
            }
            if let event { return event }
            let bytes: Bytes?
            do {
                bytes = try await source.next()
            } catch {
                // A cancelled task leaves the body as it is.
                state.withLock { $0.isReading = false }
                throw explain(error)
            }
            do {
                try state.withLock { try $0.framing.receive(bytes) }
            } catch {
                throw failed(error)
            }
        }
    }

    /// Returns the error of the parts' format: a new one ends the reading.
    private func failed(_ error: any Error) -> any Error {
        let known = state.withLock { state in
            state.isReading = false
            return state.failure
        }
        return known ?? fail(error)
    }
}

/// The body of a part.
final class PartBody: BodyStream {
    private let reader: PartReader
    private let number: Int
    /// The number of bytes that the part must have; nil for any.
    let length: Int64?

    private struct State: Sendable {
        var received: Int64 = 0
        var isOver = false
        var isCancelled = false
    }

    private let state = Mutex(State())

    init(_ reader: PartReader, _ number: Int, length: Int64?) {
        (self.reader, self.number, self.length) = (reader, number, length)
    }

    func next() async throws -> Bytes? {
        guard try isOpen() else { return nil }
        let bytes = try await reader.nextBytes(of: number)
        // It may have been cancelled in the meantime.
        guard try isOpen() else { return nil }
        let received = state.withLock { state in
            state.received += Int64(bytes?.readableBytes ?? 0)
            state.isOver = bytes == nil
            return state.received
        }
        if let length, received > length || bytes == nil && received < length {
            throw reader.fail(
                SternaError(
                    .malformedResponse, phase: .read,
                    "A part has \(received > length ? "more" : "fewer") than the \(length) bytes of its Content-Range.")
            )
        }
        return bytes
    }

    /// Whether there may be more bytes. Throws if the part was cancelled.
    private func isOpen() throws -> Bool {
        try state.withLock { state in
            if state.isCancelled { throw SternaError.cancelled(phase: .read) }
            return !state.isOver
        }
    }

    func cancel() { state.withLock { $0.isCancelled = true } }

    var trailers: HTTPFields? { nil }
}
