import Sterna
import Synchronization

/// Prints to standard error, in curl's manner, when and why a request is sent again: redirects, answered challenges, repeats of the
/// engine, retries and their waits.
final class AttemptLog: Sendable {
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

    /// Prints the events of attempts.
    var observer: EventObserver { EventObserver(.network) { [self] in receive($0) } }

    private func receive(_ event: SternaEvent) {
        switch event.kind {
        case .attemptBegan(let reason, let request) where event.attempt > 1:
            sayFailure()
            let url = Redaction.show(request.url)
            say("* Attempt \(event.attempt): \(request.method.rawValue) \(url) (\(Self.words(reason)))")
        case .attemptFailed(let error):
            let text = "* Attempt \(event.attempt) failed: \(TerminalText.line(error.detail))"
            failure.withLock { $0 = text }
        case .retryScheduled(let retry):
            sayFailure()
            let number = limit.map { "\(retry.number) of \($0)" } ?? "\(retry.number)"
            say("* Retry \(number) in \(Self.seconds(retry.delay)), because of \(Self.words(retry.reason))")
        default: break
        }
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
