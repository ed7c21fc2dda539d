import Sterna
import SternaCore
import Synchronization
import Tracing

/// The span of a request, or of a whole call. It ends once: with the response's body, with an error, or when the body is given up.
final class RequestSpan: Sendable {
    private struct State: Sendable {
        var isOver = false
        /// When the head, or the latest piece of the body, was received.
        var latest: DefaultTracerClock.Timestamp?
        /// The error of a cancelled read, after which the reader may continue.
        var cancellation: (any Error)?
    }

    private let span: any Span
    private let call: Call?
    private let kind: SpanKind

    /// The number of the call's requests before this one.
    private let earlier: Int
    private let note = AttemptNote()
    private let state = Mutex(State())

    init(of request: Request, _ kind: SpanKind, by tracer: any Tracer) {
        (self.kind, call) = (kind, request.call)
        earlier = kind == .client ? request.call?.countSpans() ?? 0 : 0
        let name = SpanRule.name(of: request.method)
        span = tracer.startSpan(kind == .client ? name : "\(name) call", ofKind: kind)
        // A tracer that leaves a request out, as samplers do, needs no attributes.
        if span.isRecording { span.updateAttributes { SpanRule.add(request, resends: earlier, to: &$0) } }
        if kind == .client { (request.options[JoinedCallsKey.self] as? JoinedContexts)?.link(to: span) }
    }

    var context: ServiceContext { span.context }

    /// Adds the span's context to the fields of a request, and has its attempts noted.
    func prepare(_ request: inout Request, by tracer: any Tracer) {
        tracer.inject(span.context, into: &request.headers, using: FieldInjector())
        if request.recorder != nil { request.options[AttemptNoteKey.self] = note }
    }

    // MARK: The response

    /// Records the head of a response. Ends the span if the body is complete; otherwise returns the response with a body that does.
    func received(_ response: Response) -> Response {
        if SpanRule.isError(response.status.code) { span.setStatus(SpanStatus(code: .error)) }
        // After a switch of protocols no body follows; the bytes of the other protocol are no part of the response.
        guard response.body.whole == nil, response.duplex == nil else {
            end(nil, at: nil, with: response)
            return response
        }
        if span.isRecording { span.updateAttributes { add(response, to: &$0) } }
        progressed()
        var response = response
        response.body = ResponseBody(SpanBody(response.body, of: self))
        return response
    }

    private func add(_ response: Response, to attributes: inout SpanAttributes) {
        SpanRule.add(response, to: &attributes)
        if kind == .internal { attributes.set("sterna.response.source", value: .string(response.source.rawValue)) }
    }

    /// Records that a piece of the body was received.
    func progressed() {
        let now = DefaultTracerClock.now
        state.withLock { ($0.latest, $0.cancellation) = (now, nil) }
    }

    // MARK: The end

    /// Ends the span, unless it has ended.
    func end() { end(nil, at: nil) }

    /// Ends the span with an error, unless it has ended.
    func fail(_ error: any Error) { end(error, at: nil) }

    /// Records the error of a read. A reader whose task was cancelled may continue.
    func readFailed(_ error: any Error) {
        guard SpanRule.isCancellation(error) else { return fail(error) }
        state.withLock { $0.cancellation = error }
    }

    /// Ends the span because the rest of the body is given up. The time since the latest piece is not part of it.
    func giveUp() {
        let (cancellation, latest) = state.withLock { ($0.cancellation, $0.latest) }
        // The cancellation may have ended the body before a read could see it.
        let isCancelled = Task.isCancelled || call?.isCancelled == true
        end(cancellation ?? (isCancelled ? SternaError.cancelled(phase: .read) : nil), at: latest)
    }

    /// - Parameter response: a response whose body was received with its head.
    private func end(
        _ error: (any Error)?, at moment: DefaultTracerClock.Timestamp?, with response: Response? = nil
    ) {
        let isFirst = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
        guard isFirst else { return }
        // The engine has sent the request again on another connection, in the same span.
        let repeats = max(0, note.count - 1)
        if repeats > 0 { _ = call?.countSpans(repeats) }
        if span.isRecording {
            span.updateAttributes { attributes in
                if let response { add(response, to: &attributes) }
                SpanRule.add(note.last, to: &attributes)
                if repeats > 0 { SpanRule.add(resends: earlier + repeats, to: &attributes) }
                if let error { attributes.set("error.type", value: .string(SpanRule.type(of: error))) }
            }
        }
        // Not the server's own message, which may repeat secrets of the request.
        if let error { span.setStatus(SpanStatus(code: .error, message: (error as? SternaError)?.detail)) }
        if let moment { span.end(at: moment) } else { span.end() }
    }
}
