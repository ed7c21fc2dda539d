import HTTPTypes
package import NIOCore
import Synchronization

/// Records the metrics of a call and reports its events to an observer; a call without either has none.
@usableFromInline
package final class MetricsRecorder: Sendable {
    private let began: NIODeadline
    private let clock: NetworkClock
    private let observer: (any NetworkObserver)?
    private let metrics: Mutex<RequestMetrics>

    // The reason for the next attempt, if its caller has announced one.
    private let nextReason = Mutex<AttemptMetrics.Reason?>(nil)
    // The end is the last reported event, even if bytes of an unread body still arrive.
    private let isEnded = Atomic<Bool>(false)

    init(id: UInt64, observer: (any NetworkObserver)?, clock: NetworkClock = .system) {
        began = clock.now
        self.clock = clock
        self.observer = observer
        metrics = Mutex(RequestMetrics(id: id))
    }

    /// The metrics so far.
    package var snapshot: RequestMetrics { metrics.withLock { $0 } }

    /// Returns a moment as an offset from the request's begin.
    package func offset(_ moment: NIODeadline) -> Duration { max(.zero, Duration(moment - began)) }

    /// Announces the reason for the next attempt.
    package func expect(_ reason: AttemptMetrics.Reason) { nextReason.withLock { $0 = reason } }

    // MARK: Events

    package func requestBegan(_ request: Request) {
        guard let observer else { return }
        observer.requestBegan(observed(0, request.method.rawValue, Redaction.show(request.url), began))
    }

    /// Reports that a request is to be sent again, and announces the reason for that attempt.
    package func retryScheduled(_ retry: ScheduledRetry, _ request: Request) {
        expect(.retry)
        guard let observer, !isEnded.load(ordering: .relaxed) else { return }
        observer.retryScheduled(
            observed(
                snapshot.attempts.count, request.method.rawValue, Redaction.show(request.url), clock.now), retry)
    }

    package func requestEnded() {
        guard let observer, !isEnded.exchange(true, ordering: .relaxed) else { return }
        let all = snapshot
        let last = all.attempts.last
        observer.requestEnded(
            ObservedRequest(
                id: all.id, attempt: all.attempts.count, method: last?.method ?? "", url: last?.url ?? "",
                time: all.duration),
            all)
    }

    /// Begins an attempt.
    ///
    /// - Parameter reason: the reason for it; by default the one announced by ``expect(_:)``.
    package func attemptBegan(_ request: Request, reason: AttemptMetrics.Reason? = nil) -> Begun {
        let now = clock.now
        let expected = nextReason.withLock { next in
            defer { next = nil }
            return next
        }
        let (index, begun) = metrics.withLock { metrics in
            let reason =
                reason ?? expected ?? request.attemptReason
                ?? (metrics.attempts.isEmpty ? .first : .retry)
            metrics.attempts.append(
                AttemptMetrics(
                    reason: reason, method: request.method.rawValue, url: Redaction.show(request.url),
                    start: offset(now)))
            return (metrics.attempts.count - 1, reason)
        }
        let attempt = Attempt(recorder: self, index: index)
        return Begun(attempt: attempt, report: attempt.report(now) { $0.attemptBegan($1, reason: begun) })
    }

    /// An attempt, and the observer call for its begin.
    package struct Begun {
        package let attempt: Attempt
        package let report: Report?
    }

    /// A call of the observer, which runs user code and therefore happens outside of all state changes.
    package typealias Report = @Sendable () -> Void

    /// Records the length of a body after content decoding: the last attempt's that has a response, since a copy of the request may
    /// have begun later.
    package func decoded(_ bytes: Int) {
        metrics.withLock { metrics in
            let index = metrics.attempts.lastIndex { $0.status != nil } ?? metrics.attempts.indices.last
            if let index { metrics.attempts[index].decodedBytes += Int64(bytes) }
        }
    }

    /// One attempt; its events are recorded in it even after the next one has begun.
    package struct Attempt: Sendable {
        package let recorder: MetricsRecorder
        fileprivate let index: Int

        package func span(_ start: NIODeadline?, _ end: NIODeadline?) -> AttemptMetrics.Span? {
            guard let start, let end else { return nil }
            return AttemptMetrics.Span(start: recorder.offset(start), end: recorder.offset(end))
        }

        /// Changes the attempt's metrics.
        package func update(_ change: (inout AttemptMetrics) -> Void) {
            recorder.metrics.withLock { change(&$0.attempts[index]) }
        }

        /// Returns the observer call for an event; nil without an observer.
        package func report(
            _ moment: NIODeadline, _ event: @escaping @Sendable (any NetworkObserver, ObservedRequest) -> Void
        ) -> Report? {
            guard let observer = recorder.observer else { return nil }
            let attempt = recorder.metrics.withLock { $0.attempts[index] }
            let request = recorder.observed(index + 1, attempt.method, attempt.url, moment)
            return { [recorder] in
                if !recorder.isEnded.load(ordering: .relaxed) { event(observer, request) }
            }
        }

        /// Records the end of the attempt.
        package func ended(at now: NIODeadline? = nil) {
            let offset = recorder.offset(now ?? recorder.clock.now)
            update { $0.whole.end = max($0.whole.start, offset) }
        }

        /// Records a failure; returns the observer call for the first one.
        package func failed(_ error: SternaError) -> Report? {
            let now = recorder.clock.now
            let isNew = recorder.metrics.withLock { metrics in
                defer { metrics.attempts[index].failure = metrics.attempts[index].failure ?? error.kind }
                return metrics.attempts[index].failure == nil
            }
            guard isNew else { return nil }
            ended(at: now)
            return report(now) { $0.attemptFailed($1, error) }
        }
    }

    private func observed(_ attempt: Int, _ method: String, _ url: String, _ moment: NIODeadline) -> ObservedRequest {
        ObservedRequest(
            id: metrics.withLock(\.id), attempt: attempt, method: method, url: url, time: offset(moment))
    }
}
