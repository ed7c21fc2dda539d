package import HTTPTypes
import Synchronization

/// Records the progress of a call, to complete errors that the program's interceptors throw without a position and a response. Only
/// in calls of sessions with such interceptors.
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
        /// An error of a custom transport that is not a `SternaError`.
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
        // The former outcome is released after unlocking.
        state.withLock { swap(&$0, &point) }
    }

    /// Records the response to a request.
    package func returned(_ response: Response) {
        // A retained body would occupy its connection.
        var head = response
        head.body = ResponseBody()
        ended(.response(head))
    }

    /// Records the outcome of a request.
    package func ended(_ outcome: Outcome) {
        var outcome: Outcome? = outcome
        state.withLock { swap(&$0.outcome, &outcome) }
    }

    /// Records the redirects followed before an interceptor failed.
    package func followed(_ steps: [RedirectStep]) {
        var steps = steps
        state.withLock { swap(&$0.redirects, &steps) }
    }
}
