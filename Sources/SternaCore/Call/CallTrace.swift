package import HTTPTypes
import Synchronization

/// Records the progress of a call for errors that its user's interceptors throw, since these carry neither the position nor the
/// response. Nil in calls of sessions without such interceptors.
package final class CallTrace: Sendable {
    /// The position of a call.
    package struct Point: Sendable {
        /// The method of the last request passed on; nil before the first one.
        package var method: HTTPRequest.Method?

        /// The URL of the last request passed on.
        package var url: HTTPURL?

        /// The number of attempts before that request.
        package var attempts = 0

        /// The outcome of that request; nil until then.
        package var outcome: Outcome?

        /// The redirects that led to that request, in order; known if following a redirect failed.
        package var redirects: [RedirectStep] = []

        package init() {}
    }

    /// The outcome of a request.
    package enum Outcome: Sendable {
        /// A response, without its body.
        case response(Response)
        case failure(SternaError)
        /// An error of a foreign transport that is not a `SternaError`.
        case transportFailure
    }

    private let state = Mutex(Point())

    package init() {}

    /// The position of the call.
    package var point: Point { state.withLock { $0 } }

    /// Records that a request is passed on.
    package func passed(_ request: Request) {
        var point = Point()
        point.method = request.method
        point.url = request.url
        point.attempts = request.call?.attempts ?? 0
        replace(by: point)
    }

    /// Records the response to a request.
    package func returned(_ response: Response) {
        // Keeping a body here would keep its connection.
        var head = response
        head.body = ResponseBody()
        update { $0.outcome = .response(head) }
    }

    /// Records an outcome other than a response.
    package func failed(_ outcome: Outcome) { update { $0.outcome = outcome } }

    /// Records the redirects followed before an interceptor failed.
    package func followed(_ steps: [RedirectStep]) { update { $0.redirects = steps } }

    private func update(_ change: (inout Point) -> Void) {
        var point = point
        change(&point)
        replace(by: point)
    }

    private func replace(by point: Point) {
        // The former outcome is released outside the lock.
        let old = state.withLock { state in
            let old = state
            state = point
            return old
        }
        _ = old
    }
}
