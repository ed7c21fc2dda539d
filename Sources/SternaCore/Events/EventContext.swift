/// What an observer captured where a call or a task was made, such as the values of task-local variables.
///
/// Events are delivered on another thread, so an observer that needs the caller's task captures there. ``ObservedCall/context`` has
/// it for all events of the call.
package protocol EventContext: AnyObject, Sendable {
    /// Captures the request as the caller gave it; called before the event of the call's begin.
    func requestBegan(_ request: Request)

    /// Captures what belongs to an attempt; called in the task that makes it. The engine's own repeats have no such task, and belong
    /// to the attempt before.
    func attemptBegan(_ number: Int, _ request: Request)

    /// Receives the response that the caller gets, before the event of the call's end; with its body if the call has collected it.
    func received(_ response: Response, body: Bytes?)

    /// Receives the error that the call fails with, before the event of its end.
    func failed(_ error: SternaError)

    /// Receives a message of a WebSocket, or a server-sent event, between the response and the end of the call; in order for each
    /// direction.
    func passed(_ message: StreamMessage)

    /// Receives the metrics of a call that has ended, after its last event was posted to a buffer. Unlike that event, this is never
    /// lost.
    func ended(_ metrics: RequestMetrics, in buffer: EventBuffer)
}

extension EventContext {
    package func requestBegan(_ request: Request) {}
    package func passed(_ message: StreamMessage) {}
    package func ended(_ metrics: RequestMetrics, in buffer: EventBuffer) {}

    /// Returns this context, or the one of a group, that has a type.
    package func find<Context: EventContext>(_ type: Context.Type) -> Context? {
        self as? Context ?? (self as? EventContextGroup)?.contexts.lazy.compactMap { $0 as? Context }.first
    }
}

/// What several observers captured for the same call.
final class EventContextGroup: EventContext {
    let contexts: [any EventContext]

    init(_ contexts: [any EventContext]) { self.contexts = contexts }

    func requestBegan(_ request: Request) { for context in contexts { context.requestBegan(request) } }

    func attemptBegan(_ number: Int, _ request: Request) {
        for context in contexts { context.attemptBegan(number, request) }
    }

    func received(_ response: Response, body: Bytes?) {
        for context in contexts { context.received(response, body: body) }
    }

    func failed(_ error: SternaError) { for context in contexts { context.failed(error) } }

    func passed(_ message: StreamMessage) { for context in contexts { context.passed(message) } }

    func ended(_ metrics: RequestMetrics, in buffer: EventBuffer) {
        for context in contexts { context.ended(metrics, in: buffer) }
    }
}

/// What a call that stays open sends or receives after its response.
package enum StreamMessage: Sendable {
    /// A WebSocket's message, or one of its fragments.
    case webSocket(isSent: Bool, isText: Bool, bytes: Bytes, isFirst: Bool, isLast: Bool)
    /// A server-sent event.
    case event(name: String, id: String, data: String)
}
