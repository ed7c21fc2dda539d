import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

/// A request that the transport got, and its response. The engine may have made several attempts of it.
final class RecordedTransfer: Sendable {
    struct State: Sendable {
        /// The number of the last attempt; nil with a transport that makes none.
        var number: Int?
        var response: ResponseHead?
        var body: BodyCollector?
        var error: String?
        /// When the head arrived, and when the body or the transfer ended.
        var received: NIODeadline?
        var ended: NIODeadline?
        /// The bytes that were taken for the heads, until those of the exchange are.
        var headBytes = 0
    }

    let head: RequestHead
    let reason: AttemptMetrics.Reason?
    let began: NIODeadline
    private let clock: NetworkClock
    private let requestBody: RequestBodyRecording
    private let budget: RecordingBudget
    private let limits: Recorder.Limits
    private let state = Mutex(State())

    /// Begins to record a request; replaces its body by one that is recorded as it passes.
    init(
        _ request: inout Request, files: RequestBodyRecording.Files = [:], _ budget: RecordingBudget,
        _ limits: Recorder.Limits
    ) {
        head = RequestHead(request)
        reason = request.attemptReason
        clock = request.call?.clock ?? .system
        began = clock.now
        (self.budget, self.limits) = (budget, limits)
        requestBody = RequestBodyRecording(&request, files: files, budget, limits)
        count(512 + head.size)
    }

    /// Takes bytes for a head; the call's exchange is not kept if there are too few of them at its end.
    private func count(_ size: Int) {
        if budget.take(size, of: .heads) { state.withLock { $0.headBytes += size } }
    }

    var snapshot: State { state.withLock { $0 } }

    var sentBody: Recorder.Body? { requestBody.body(limit: limits.bodyBytes) }

    /// Records a response, and returns it with a body that is recorded as it passes.
    ///
    /// - Parameter number: the number of its attempt; nil with a transport that makes none.
    func received(_ response: Response, number: Int?) -> Response {
        let head = ResponseHead(response)
        let now = clock.now
        count(head.size)
        let hasBody = response.duplex == nil
        let body = BodyCollector(budget, limit: limits.bodyBytes, isKept: limits.keeps(response[.contentType]))
        state.withLock { state in
            (state.number, state.response, state.received) = (number, head, now)
            if hasBody { state.body = body }
        }
        guard hasBody else { return response }
        if let whole = response.body.whole {
            body.add(whole)
            ended(response.body.trailers)
            return response
        }
        var response = response
        response.body = ResponseBody(RecordedResponseBody(response.body, of: self))
        return response
    }

    func passed(_ piece: Bytes) {
        // A reader whose task was cancelled may continue.
        let body = state.withLock { state in
            state.error = nil
            return state.body
        }
        body?.add(piece)
    }

    func ended(_ trailers: HTTPFields?) {
        let now = clock.now
        state.withLock { state in
            (state.ended, state.error) = (now, nil)
            if let trailers { state.response?.trailers = trailers }
        }
    }

    func failed(_ error: any Error, number: Int? = nil) {
        let text = RecordedCall.text(error)
        let now = clock.now
        state.withLock { state in
            if let number { state.number = number }
            (state.error, state.ended) = (text, now)
        }
    }
}

/// Records each request that the transport gets.
struct RecordingInterceptor: Interceptor {
    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        guard let call = request.recorder?.context?.find(RecordedCall.self) else { return try await next(request) }
        return try await record(request, call, next)
    }

    // A function of its own, since its locals would otherwise occupy memory in every waiting request.
    @inline(never)
    nonisolated(nonsending) private func record(
        _ request: Request, _ call: RecordedCall, _ next: Chain
    ) async throws -> Response {
        var sent = request
        let files = request.body?.hasFiles == true ? await call.files(of: request) : [:]
        let transfer = call.begin(&sent, files: files)
        // A span may have its attempts noted, too.
        let note = request.options[AttemptNoteKey.self] ?? AttemptNote()
        sent.options[AttemptNoteKey.self] = note
        do {
            let response = try await next(sent)
            return transfer.received(response, number: note.lastNumber)
        } catch {
            transfer.failed(error, number: note.lastNumber)
            throw error
        }
    }
}
