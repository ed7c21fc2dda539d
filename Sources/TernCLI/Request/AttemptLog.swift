import Sterna
import Synchronization

/// Says on standard error, in curl's manner, when and why a request is sent again: redirects, answered challenges, repeats of the
/// engine, retries and their waits.
final class AttemptLog: NetworkObserver {
    private let limit: Int?
    private let say: @Sendable (String) -> Void

    // The failure of the last attempt, which the caller sees unless another one follows.
    private let failure = Mutex<String?>(nil)

    /// - Parameters:
    ///   - limit: the number of retries that the command line allows; nil if it names none.
    ///   - say: called with each line.
    init(limit: Int?, say: @escaping @Sendable (String) -> Void) {
        self.limit = limit
        self.say = say
    }

    func attemptBegan(_ request: ObservedRequest, reason: AttemptMetrics.Reason) {
        guard request.attempt > 1 else { return }
        sayFailure()
        say("* Attempt \(request.attempt): \(request.method) \(request.url) (\(Self.words(reason)))")
    }

    func attemptFailed(_ request: ObservedRequest, _ error: SternaError) {
        let text = "* Attempt \(request.attempt) failed: \(TerminalText.line(error.detail))"
        failure.withLock { $0 = text }
    }

    func retryScheduled(_ request: ObservedRequest, _ retry: ScheduledRetry) {
        sayFailure()
        let number = limit.map { "\(retry.number) of \($0)" } ?? "\(retry.number)"
        say("* Retry \(number) in \(Self.seconds(retry.delay)), because of \(Self.words(retry.reason))")
    }

    private func sayFailure() {
        if let text = failure.withLock({ $0.take() }) { say(text) }
    }

    static func words(_ reason: RetryReason) -> String {
        switch reason {
        case .error(let kind): "an error (\(kind.rawValue))"
        case .status(let code): "status \(code)"
        case .retrier: "a retrier"
        }
    }

    private static func words(_ reason: AttemptMetrics.Reason) -> String {
        switch reason {
        case .first: "the first"
        case .redirect: "redirect"
        case .staleConnection: "the server had closed the connection"
        case .expectationRefused: "without Expect"
        case .refused: "the server had not processed it"
        case .misdirected: "on another connection"
        case .authentication: "to answer a challenge"
        case .retry: "retry"
        case .hedge: "the answer was late"
        }
    }

    static func seconds(_ duration: Duration) -> String {
        let (whole, rest) = duration.components
        let milliseconds = rest / 1_000_000_000_000_000
        guard milliseconds > 0 else { return "\(whole) s" }
        var digits = String(String(milliseconds + 1_000).dropFirst())
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(whole).\(digits) s"
    }
}
