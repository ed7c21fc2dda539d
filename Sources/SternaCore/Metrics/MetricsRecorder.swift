import HTTPTypes
package import NIOCore
import Synchronization

/// Records the metrics of a call and posts its network events; a call has none if neither is enabled.
@usableFromInline
package final class MetricsRecorder: Sendable {
    package let began: NIODeadline
    private let clock: NetworkClock
    private let events: EventSource?
    private let call: ObservedCall
    private let state: Mutex<State>

    private struct State {
        var metrics: RequestMetrics
        /// The announced reason for the next attempt.
        var nextReason: AttemptMetrics.Reason?
    }

    // The end must be the last event, even if bytes of an unread body still arrive.
    private let isEnded = Atomic<Bool>(false)
    private let spanCount = Atomic<Int>(0)

    init(_ call: ObservedCall, events: EventSource?, clock: NetworkClock = .system) {
        began = clock.now
        self.clock = clock
        (self.call, self.events) = (call, events)
        state = Mutex(State(metrics: RequestMetrics(id: call.id)))
    }

    /// What an observer captured where the call was made.
    package var context: (any EventContext)? { call.context }

    /// The metrics so far.
    package var snapshot: RequestMetrics { state.withLock { $0.metrics } }

    /// Returns a time as an offset from the request's beginning.
    package func offset(_ moment: NIODeadline) -> Duration { .nanoseconds(max(0, (moment - began).nanoseconds)) }

    /// Counts requests that are reported as spans; returns the number of those before them.
    func countSpans(_ count: Int) -> Int { spanCount.wrappingAdd(count, ordering: .relaxed).oldValue }

    /// Announces the reason for the next attempt.
    package func expect(_ reason: AttemptMetrics.Reason) { state.withLock { $0.nextReason = reason } }

    // MARK: Events

    package func requestBegan(_ request: Request) {
        call.context?.requestBegan(request)
        post(.requestBegan)
    }

    /// Posts that a retry is scheduled, and announces the reason for its attempt.
    package func retryScheduled(_ retry: ScheduledRetry) {
        expect(.retry)
        post(.retryScheduled(retry), attempt: snapshot.attempts.count)
    }

    /// Posts the end of the call, once.
    package func requestEnded(_ error: SternaError? = nil) {
        guard !isEnded.exchange(true, ordering: .relaxed) else { return }
        let all = endAttempts(error)
        guard let events else { return }
        if let error { call.context?.failed(error) }
        send(.requestEnded(all), all.attempts.count, nil)
        call.context?.ended(all, in: events.buffer)
    }

    /// Ends the attempts that the engine has not ended yet, and returns the metrics. An attempt without a response that the call
    /// did not need, such as a hedged copy, counts as cancelled.
    private func endAttempts(_ error: SternaError?) -> RequestMetrics {
        let now = offset(clock.now)
        return state.withLock { state in
            for index in state.metrics.attempts.indices where !state.metrics.attempts[index].isOver {
                let status = state.metrics.attempts[index].status
                let failure = error?.kind ?? (status == nil ? .cancelled : nil)
                state.metrics.attempts[index].end(at: now)
                state.metrics.attempts[index].failure = state.metrics.attempts[index].failure ?? failure
            }
            // Of an error in reading the body the engine may know only that the rest was cancelled.
            if let error, let last = state.metrics.attempts.indices.last, state.metrics.attempts[last].status != nil,
                state.metrics.attempts[last].failure == .cancelled
            {
                state.metrics.attempts[last].failure = error.kind
            }
            return state.metrics
        }
    }

    private func post(
        _ kind: @autoclosure () -> SternaEvent.Kind, attempt: @autoclosure () -> Int = 0, at moment: NIODeadline? = nil
    ) {
        guard events != nil, !isEnded.load(ordering: .relaxed) else { return }
        send(kind(), attempt(), moment)
    }

    private func send(_ kind: consuming SternaEvent.Kind, _ attempt: Int, _ moment: NIODeadline?) {
        guard let events else { return }
        // In one expression, which moves the event and does not copy it.
        var posted = PostedEvent(
            SternaEvent(kind, call: call, attempt: attempt, time: offset(moment ?? clock.now)), of: events)
        events.buffer.post(&posted)
    }

    /// Begins an attempt.
    ///
    /// - Parameter reason: the reason for it; by default the one announced by ``expect(_:)``.
    package func attemptBegan(_ request: Request, reason: AttemptMetrics.Reason? = nil) -> Attempt {
        let now = clock.now
        let (index, begun) = state.withLock { state in
            let expected = state.nextReason.take()
            let reason =
                reason ?? expected ?? request.attemptReason
                ?? (state.metrics.attempts.isEmpty ? .first : .retry)
            state.metrics.attempts.append(
                AttemptMetrics(
                    reason: reason, method: request.method.rawValue, url: request.url, start: offset(now)))
            return (state.metrics.attempts.count - 1, reason)
        }
        // The engine names the reason for its own repeats of the same request, which it makes outside of the caller's task.
        if reason == nil { call.context?.attemptBegan(index + 1, request) }
        post(.attemptBegan(begun, request), attempt: index + 1, at: now)
        let attempt = Attempt(recorder: self, index: index)
        request.options[AttemptNoteKey.self]?.began(attempt)
        return attempt
    }

    /// Records the length of a body after content decoding, in the last attempt with a response: a copy of the request may have
    /// begun later.
    package func decoded(_ bytes: Int) {
        state.withLock { state in
            let index =
                state.metrics.attempts.lastIndex { $0.status != nil } ?? state.metrics.attempts.indices.last
            if let index { state.metrics.attempts[index].decodedBytes += Int64(bytes) }
        }
    }

    /// Records what a request found in the session's cache.
    package func answered(by result: CacheResult) { state.withLock { $0.metrics.cacheResult = result } }

    /// One attempt; its events are recorded in it even after the next one has begun.
    package struct Attempt: Sendable {
        package let recorder: MetricsRecorder
        fileprivate let index: Int

        /// The attempt's number, counted from 1.
        var number: Int { index + 1 }

        /// The attempt's metrics so far.
        var metrics: AttemptMetrics { recorder.state.withLock { $0.metrics.attempts[index] } }

        package func span(_ start: NIODeadline?, _ end: NIODeadline?) -> AttemptMetrics.Span? {
            guard let start, let end else { return nil }
            return AttemptMetrics.Span(start: recorder.offset(start), end: recorder.offset(end))
        }

        /// Changes the attempt's metrics.
        package func update(_ change: (inout AttemptMetrics) -> Void) {
            recorder.state.withLock { change(&$0.metrics.attempts[index]) }
        }

        /// Posts an event, if events are enabled.
        package func post(_ kind: @autoclosure () -> SternaEvent.Kind, at moment: NIODeadline) {
            recorder.post(kind(), attempt: index + 1, at: moment)
        }

        /// Records the end of the attempt.
        package func ended(at now: NIODeadline? = nil) {
            let now = now ?? recorder.clock.now
            update { end(&$0, at: now) }
        }

        /// Records the end of the attempt together with other changes.
        package func end(_ metrics: inout AttemptMetrics, at now: NIODeadline) {
            metrics.end(at: recorder.offset(now))
        }

        /// Records a failure; the first one is an event.
        package func failed(_ error: SternaError) {
            let now = recorder.clock.now
            let isNew = recorder.state.withLock { state in
                let failure = state.metrics.attempts[index].failure
                state.metrics.attempts[index].failure = failure ?? error.kind
                return failure == nil
            }
            guard isNew else { return }
            ended(at: now)
            post(.attemptFailed(error), at: now)
        }
    }
}
