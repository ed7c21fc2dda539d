import HTTPTypes
package import NIOCore
import Synchronization

/// Writes down what happens to a request, and tells an observer; there is one only where somebody wants to know.
package final class MetricsRecorder: Sendable {
    private let began: NIODeadline
    private let observer: (any NetworkObserver)?
    private let metrics: Mutex<RequestMetrics>

    // What the next attempt is for, where whoever asks for it has said so.
    private let nextReason = Mutex<AttemptMetrics.Reason?>(nil)
    private static let lastID = Atomic<UInt64>(0)

    package init(observer: (any NetworkObserver)?) {
        began = .now()
        self.observer = observer
        metrics = Mutex(RequestMetrics(id: Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue))
    }

    /// What is known so far.
    package var soFar: RequestMetrics { metrics.withLock { $0 } }

    /// A moment counted from the request's begin.
    package func offset(_ moment: NIODeadline) -> Duration { max(.zero, Duration(moment - began)) }

    package func span(_ start: NIODeadline?, _ end: NIODeadline?) -> AttemptMetrics.Span? {
        guard let start, let end else { return nil }
        return AttemptMetrics.Span(start: offset(start), end: offset(end))
    }

    /// Says what the next attempt is for.
    package func expect(_ reason: AttemptMetrics.Reason) { nextReason.withLock { $0 = reason } }

    // MARK: Events

    package func requestBegan(_ request: Request) {
        guard let observer else { return }
        observer.requestBegan(observed(0, request.method.rawValue, Redaction.show(request.url), began))
    }

    package func requestEnded() {
        guard let observer else { return }
        let all = soFar
        let last = all.attempts.last
        observer.requestEnded(
            ObservedRequest(
                id: all.id, attempt: all.attempts.count, method: last?.method ?? "", url: last?.url ?? "",
                time: all.duration),
            all)
    }

    package func attemptBegan(_ request: Request, reason: AttemptMetrics.Reason? = nil) {
        let now = NIODeadline.now()
        let expected = nextReason.withLock { next in
            defer { next = nil }
            return next
        }
        let attempt = metrics.withLock { metrics in
            let reason = reason ?? expected ?? (metrics.attempts.isEmpty ? .first : .retry)
            let attempt = AttemptMetrics(
                reason: reason, method: request.method.rawValue, url: Redaction.show(request.url), start: offset(now))
            // A request that is repeated without end does not fill the memory.
            if metrics.attempts.count < 1_000 { metrics.attempts.append(attempt) }
            return attempt
        }
        tell(now) { $0.attemptBegan($1, reason: attempt.reason) }
    }

    /// Changes what is known of the attempt under way.
    package func update(_ change: (inout AttemptMetrics) -> Void) {
        metrics.withLock { metrics in
            guard !metrics.attempts.isEmpty else { return }
            change(&metrics.attempts[metrics.attempts.count - 1])
        }
    }

    /// Tells the observer of something that happened to the attempt under way.
    package func tell(_ moment: NIODeadline, _ event: (any NetworkObserver, ObservedRequest) -> Void) {
        guard let observer else { return }
        let (count, last) = metrics.withLock { ($0.attempts.count, $0.attempts.last) }
        event(observer, observed(count, last?.method ?? "", last?.url ?? "", moment))
    }

    /// The attempt under way has failed.
    package func attemptFailed(_ error: SternaError, at now: NIODeadline) {
        update { attempt in
            attempt.failure = error.kind
            attempt.whole.end = max(attempt.whole.start, offset(now))
        }
        tell(now) { $0.attemptFailed($1, error) }
    }

    private func observed(_ attempt: Int, _ method: String, _ url: String, _ moment: NIODeadline) -> ObservedRequest {
        ObservedRequest(
            id: metrics.withLock(\.id), attempt: attempt, method: method, url: url, time: offset(moment))
    }
}
