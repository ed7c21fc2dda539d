import Synchronization

/// The attempts that the engine makes of one request of a transport: usually one, and more if it repeats the request on another
/// connection.
///
/// An interceptor sets it as an option of the request (``AttemptNoteKey``), and reads it when the response has arrived. It stays empty
/// where the call has no ``MetricsRecorder``, and with a transport of the program's own.
package final class AttemptNote: Sendable {
    private struct State {
        var count = 0
        var last: MetricsRecorder.Attempt?
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of attempts so far.
    package var count: Int { state.withLock { $0.count } }

    /// The metrics of the last attempt so far; nil if none has begun.
    package var last: AttemptMetrics? { state.withLock { $0.last }?.metrics }

    /// The number of the last attempt so far, counted from 1; nil if none has begun.
    package var lastNumber: Int? { state.withLock { $0.last?.number } }

    func began(_ attempt: MetricsRecorder.Attempt) {
        state.withLock { state in
            state.count += 1
            state.last = attempt
        }
    }
}

/// The option key of a request whose attempts are noted.
package enum AttemptNoteKey: RequestOptionKey {
    package static var defaultValue: AttemptNote? { nil }
}
