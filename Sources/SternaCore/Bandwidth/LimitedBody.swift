package import HTTPTypes
import NIOCore
import Synchronization

/// A response body throttled by bandwidth limits.
///
/// It requests permission after it has pulled a chunk, since the number of bytes is unknown before, and passes the chunk on in
/// portions. Meanwhile it pulls no more, so that back-pressure slows down the server, and no time limit of the engine runs.
package final class LimitedBody: BodyStream {
    private struct State {
        /// The bytes that were pulled and not yet passed on.
        var chunk = Bytes()
        var payment: BandwidthPayment
        var wait: (queue: BandwidthQueue, number: UInt64)?
        var isReading = false
        var isCancelled = false
    }

    private let source: ClaimedBody
    private let queues: [BandwidthQueue]
    private let time: LoopClock
    private let request: Request
    private let state: Mutex<State>

    private init(
        _ body: ResponseBody, of request: Request, _ queues: [BandwidthQueue], _ payment: BandwidthPayment,
        _ time: LoopClock
    ) {
        source = ClaimedBody(body)
        self.queues = queues
        self.time = time
        var request = request
        // The request is kept only for errors; its body must not be retained.
        request.body = nil
        self.request = request
        state = Mutex(State(payment: payment))
    }

    /// Wraps the body of a response. A complete body stays complete if every limit permits it at once.
    package static func wrap(
        _ body: ResponseBody, of request: Request, by limits: [BandwidthLimit], _ time: LoopClock
    ) -> ResponseBody {
        let queues = limits.map(\.downloads)
        var payment = BandwidthPayment(limits: queues.count)
        if let count = body.whole?.readableBytes {
            guard count > 0 else { return body }
            var isPaid = true
            for (index, queue) in queues.enumerated() {
                let bytes = queue.takeNow(upTo: count, by: time) ?? 0
                payment.add(bytes, by: index)
                if bytes < count { isPaid = false }
            }
            if isPaid { return body }
        }
        return ResponseBody(LimitedBody(body, of: request, queues, payment, time))
    }

    package func next() async throws -> Bytes? {
        try begin()
        defer { state.withLock { $0.isReading = false } }
        if state.withLock({ $0.chunk.readableBytes == 0 }) {
            guard let chunk = try await source.next() else { return nil }
            state.withLock { $0.chunk = chunk }
        }
        while let (queue, number, index, count) = try nextPermission() {
            let bytes = try await queue.take(upTo: count, for: self, as: number, by: time)
            state.withLock { state in
                state.wait = nil
                state.payment.add(bytes, by: index)
            }
        }
        return try state.withLock { state throws(SternaError) in
            if state.isCancelled { throw SternaError.cancelled(phase: .read).at(request) }
            return state.chunk.readSlice(length: state.payment.spend(upTo: state.chunk.readableBytes))
        }
    }

    private func begin() throws(SternaError) {
        try state.withLock { state throws(SternaError) in
            if state.isCancelled { throw SternaError.cancelled(phase: .read).at(request) }
            guard !state.isReading else {
                throw SternaError(.invalidRequest, phase: .read, "Two tasks read one response body at a time.").at(
                    request)
            }
            state.isReading = true
        }
    }

    /// Returns the queue, the wait's number, and the index and bytes of the next missing permission; nil if part of the chunk may
    /// pass.
    private func nextPermission() throws(SternaError) -> (BandwidthQueue, UInt64, Int, Int)? {
        try state.withLock { state throws(SternaError) in
            if state.isCancelled { throw SternaError.cancelled(phase: .read).at(request) }
            guard let (index, count) = state.payment.missing(of: state.chunk.readableBytes),
                queues.indices.contains(index)
            else { return nil }
            let number = BandwidthQueue.nextNumber()
            state.wait = (queues[index], number)
            return (queues[index], number, index, count)
        }
    }

    package func cancel() {
        let wait = state.withLock { state in
            state.isCancelled = true
            state.chunk = Bytes()
            return state.wait.take()
        }
        wait?.queue.cancel(wait?.number ?? 0)
        source.cancel()
    }

    package var length: Int64? { source.length }

    package var trailers: HTTPFields? { source.trailers }
}

extension LimitedBody: LimitedContent {
    var phase: SternaError.Phase { .read }

    var deadline: NIODeadline { request.call?.limit ?? .distantFuture }

    func failure(at now: NIODeadline) -> SternaError? {
        if state.withLock({ $0.isCancelled }) || request.call?.isCancelled == true {
            return .cancelled(phase: .read).at(request)
        }
        guard deadline <= now else { return nil }
        return SternaError(
            .timedOut, phase: .read,
            "The request's time was over while its body waited for a bandwidth limit."
        ).at(request)
    }
}
