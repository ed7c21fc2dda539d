import HTTPTypes
import SternaCore

/// Decides the consequence of a failed attempt. Functions of values, without I/O or a clock.
enum TransferRule {
    /// The consequence of a failed attempt.
    enum Decision: Sendable, Hashable {
        /// Another attempt after a pause in milliseconds.
        case again(after: Int64)
        /// No attempt until the program supplies what the transfer needs.
        case block(TransferFailure)
        /// No further attempt: the transfer has failed.
        case end(TransferFailure)
    }

    /// Decides about a failure.
    ///
    /// - Parameters:
    ///   - asked: the pause that the server requested.
    ///   - attempts: the number of attempts, including the failed one.
    ///   - failuresInARow: the number of attempts since the last one with progress, including the failed one.
    ///   - requests: the number of requests since the last progress.
    ///   - knowsServer: whether the server has responded to an earlier request of the transfer.
    ///   - now: in milliseconds since 1970.
    ///   - random: a number from 0 to 1 that chooses half of each pause, so that transfers do not resume all at once.
    static func decide(
        _ error: SternaError, asked: Duration?, attempts: Int, failuresInARow: Int, requests: Int,
        knowsServer: Bool, options: TransferOptions, now: Int64, created: Int64, random: Double
    ) -> Decision {
        if lacksMeans(error) { return .block(TransferFailure(error)) }
        guard isTransient(error) else { return .end(TransferFailure(error)) }
        // A certificate that was accepted before may be accepted again: a captive portal responded, or a clock is wrong. Any other
        // one will be refused again.
        if error.kind == .certificateRejected, !knowsServer { return .end(TransferFailure(error)) }
        guard attempts < options.maxAttempts else {
            return .end(
                TransferFailure(
                    error.kind, "The transfer was given up after \(attempts) attempts. The last one: \(error)"))
        }
        guard requests < max(1, options.maxRequests) else {
            return .end(
                TransferFailure(
                    error.kind,
                    "The transfer was given up after \(requests) requests without progress. The last attempt: \(error)"
                ))
        }
        let pause = delay(
            afterFailures: failuresInARow, asked: asked, longest: options.longestPause, random: random)
        if let lifetime = options.lifetime, now.addingReportingOverflow(pause).partialValue >= end(lifetime, created) {
            return .end(
                TransferFailure(
                    error.kind,
                    "The transfer was given up because its lifetime, \(lifetime), is over. The last attempt: \(error)"))
        }
        return .again(after: pause)
    }

    /// Returns why no further attempt may begin; nil before the end of the transfer's lifetime.
    static func expiry(_ options: TransferOptions, now: Int64, created: Int64) -> TransferFailure? {
        guard let lifetime = options.lifetime, now >= end(lifetime, created) else { return nil }
        return TransferFailure(.timedOut, "The transfer was given up because its lifetime, \(lifetime), is over.")
    }

    private static func end(_ lifetime: Duration, _ created: Int64) -> Int64 {
        created.addingReportingOverflow(milliseconds(lifetime)).partialValue
    }

    /// Returns the pause before the next attempt in milliseconds: up to 1 s, doubled with each failure, at most `longest`.
    static func delay(afterFailures count: Int, asked: Duration?, longest: Duration, random: Double) -> Int64 {
        let backoff = ExponentialBackoff(first: .seconds(1), limit: max(.milliseconds(1), longest))
        let own = milliseconds(backoff.delay(count - 1, random: random))
        // A server may ask for a longer pause, up to a day.
        return max(own, min(86_400_000, asked.map(milliseconds) ?? 0))
    }

    /// Returns how long to wait for the next attempt, in milliseconds; never longer than the pause, since a clock may be set back.
    static func wait(_ history: TransferHistory, now: Int64) -> Int64 {
        guard history.nextAttempt > 0, let failed = history.attempts.last?.ended else { return 0 }
        let (pause, isOver) = history.nextAttempt.subtractingReportingOverflow(failed)
        let (rest, isFar) = history.nextAttempt.subtractingReportingOverflow(now)
        return max(0, min(isOver ? 0 : pause, isFar ? 0 : rest, 86_400_000))
    }

    /// Returns whether a later attempt may succeed without a change by the program or its user.
    static func isTransient(_ error: SternaError) -> Bool {
        if let fault = error.underlying as? UploadFault { return fault.isTransient }
        if error.underlying is MissingSource { return true }
        if let isTransient = DownloadRule.isTransient(error) { return isTransient }
        switch error.kind {
        case .timedOut, .hostNotFound, .connectionFailed, .proxyFailed, .connectionClosed, .truncated, .writeFailed,
            .trafficLimited, .shutDown, .digestMismatch, .malformedResponse:
            return true
        // A connection that is cut within the handshake; a clock that is wrong after the machine has started; a captive portal that
        // responds in place of the server.
        case .tlsFailed, .certificateRejected: return true
        case .unacceptableStatus: return TransientStatus.contains(error.status)
        default: return false
        }
    }

    /// Returns whether the program must supply something: the server or a proxy refuses the credentials, or the program lacks the
    /// value of a secret or the upload method.
    private static func lacksMeans(_ error: SternaError) -> Bool {
        if error.underlying is MissingSecret || error.underlying is MissingMethod { return true }
        if error.kind == .authenticationFailed { return true }
        switch error.underlying as? UploadFault {
        case .refused(let status, _), .refusedByTarget(let status, _): return isRefusal(status)
        case nil: break
        default: return false
        }
        switch error.kind {
        case .unacceptableStatus: return isRefusal(error.status)
        case .proxyFailed: return error.proxyResponse?.status.code == 407
        default: return false
        }
    }

    private static func isRefusal(_ status: Int) -> Bool { status == 401 || status == 403 || status == 407 }

    /// Returns whether the loss of the network may be the cause of a failure.
    static func isLoss(_ failure: TransferFailure) -> Bool {
        switch SternaError.Kind(rawValue: failure.kind) {
        case .timedOut, .hostNotFound, .connectionFailed, .proxyFailed, .connectionClosed, .truncated, .tlsFailed,
            .certificateRejected:
            true
        default: false
        }
    }

    static func milliseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let (whole, isOver) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !isOver else { return seconds < 0 ? 0 : .max / 4 }
        return min(.max / 4, max(0, whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue))
    }
}

extension TransferRule.Decision {
    /// Returns the journal's event for a failed attempt.
    ///
    /// - Parameters:
    ///   - error: the reason of the failure.
    ///   - secrets: the secrets to remove from text of the server.
    ///   - now: in milliseconds since 1970.
    ///   - requests: the number of requests in a row without progress.
    func event(
        after error: SternaError, hiding secrets: SentSecrets, at now: Int64, requests: Int
    ) -> TransferEvent {
        switch self {
        case .again(let pause):
            .failed(
                TransferFailure(error).hiding(secrets), at: now,
                again: now.addingReportingOverflow(pause).partialValue, requests: requests)
        case .block(let failure): .blocked(failure.hiding(secrets), at: now)
        case .end(let failure): .ended(failure.hiding(secrets))
        }
    }
}

extension TransferEvent {
    /// Whether the event must survive a power failure. An attempt whose beginning is lost begins again.
    var isEssential: Bool { if case .began = self { false } else { true } }
}
